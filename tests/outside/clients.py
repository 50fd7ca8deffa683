"""Clients that outside programs generate from the OpenAPI document of a site, and linters of this document.

Each client is generated and compiled. It then lists ladders and standings, uploads a bot and plays one game by long
polling. The result is ``whole game`` if all of that succeeds. A linter's result is ``no errors``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from tests.outside.site import Site
from tests.outside.streams import WHOLE, game
from tests.outside.trial import Failed, Outcome, Trial, Workshop

CLEAN = "no errors"
BOT = b"""\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello": print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""

PYTHON = """\
import os
SITE, NAME = os.environ["ESR_SITE"], os.environ["BOT_NAME"]
{code}
slugs = [ladder["slug"] for ladder in ladders()["results"]]
assert len(slugs) > 10 and all("results" in members(slug) for slug in slugs)
assert upload()["state"] == "received"
event = None
while event is None: event = following()
while event is None or event["type"] != "game_end":
    if event is not None and event["type"] == "decide":
        match = event["game"]
        decide(match, event["decision"], event["message"]["decision"]["default"])
    event = following(match)
print(match)
"""
TYPESCRIPT = """\
const SITE = process.env.ESR_SITE!, NAME = process.env.BOT_NAME!;
const TOKEN = process.env.ESR_TOKEN!, BOT_TOKEN = process.env.BOT_TOKEN!;
const FILE = new File([require("node:fs").readFileSync("bot.py")], "bot.py");
CODE
async function main() {
  const slugs = (await ladders()).map((ladder) => ladder.slug);
  if (slugs.length < 10) throw new Error("few ladders");
  for (const slug of slugs) if (!Array.isArray(await members(slug))) throw new Error("no standings");
  if ((await upload())?.state !== "received") throw new Error("not received");
  let event = null, match = 0;
  while (!event) event = await following();
  while (event?.type !== "game_end") {
    if (event?.type === "decide") {
      match = event.game;
      await decide(match, event.decision, event.message.decision._default ?? event.message.decision.default);
    }
    event = await following(match);
  }
  console.log(match);
}
main().catch((fault) => { console.error(fault); process.exit(1); });
"""
TSC = "tsc --strict --skipLibCheck --target es2022 --module commonjs --moduleResolution node --lib es2022,dom"
COMPILE = f"{TSC} --types node --typeRoots $NODE_PATH/@types --outDir js play.ts"
IMPORT_ALL = (
    'python -c "import importlib, pkgutil, sys; package = importlib.import_module(sys.argv[1]);'
    " [importlib.import_module(one.name) for one in pkgutil.walk_packages(package.__path__, package.__name__ + '.')]\""
)
TYPES = ("typescript@5.9.3", "@types/node@20.19.25")


@dataclass(frozen=True)
class Client(Trial):
    """The shell ``commands`` generate, compile and run it next to the document ``schema.json`` and ``program``."""

    commands: tuple[str, ...] = ()
    program: str = ""
    code: str = ""


def _typescript(name: str, npm: tuple[str, ...], generate: str, code: str, **packages: tuple[str, ...]) -> Client:
    commands = (generate, COMPILE, "node js/play.js")
    return Client(name, WHOLE, npm=(*npm, *TYPES), commands=commands, program="play.ts",
                  code=TYPESCRIPT.replace("CODE", code), **packages)  # fmt: skip


def _python(
    name: str, pip: tuple[str, ...], generate: str, package: str, code: str, **packages: tuple[str, ...]
) -> Client:
    commands = (generate, f"{IMPORT_ALL} {package}", "python play.py")
    return Client(name, WHOLE, pip=pip, commands=commands, program="play.py", code=PYTHON.format(code=code), **packages)


CLIENTS = (
    Client(
        "Redocly, recommended", CLEAN, npm=("@redocly/cli@2.77.0",),
        commands=("redocly lint --extends recommended schema.json",),
    ),
    Client(
        "Spectral, oas", CLEAN, npm=("@stoplight/spectral-cli@6.16.3",),
        commands=("""echo 'extends: ["spectral:oas"]' > rules.yaml && spectral lint -r rules.yaml schema.json""",),
    ),
    _python(
        "openapi-python-client", ("openapi-python-client==0.29.1",),
        "python -m openapi_python_client generate --path schema.json --output-path out --meta none",
        "out", '''\
from io import BytesIO
from out import AuthenticatedClient
from out.api.bots import upload_bot
from out.api.ladders import ladders as list_ladders, members as list_members
from out.api.remote_bot_own_token import decide as submit, game_decision, next_decision
from out.models import Answer, NewBotForm
from out.types import File
reader = AuthenticatedClient(SITE, os.environ["ESR_TOKEN"])
player = AuthenticatedClient(SITE, os.environ["BOT_TOKEN"], timeout=60)
def ladders(): return list_ladders.sync(client=reader, limit=200).to_dict()
def members(slug): return list_members.sync(slug, client=reader).to_dict()
def upload():
    file = File(BytesIO(open("bot.py", "rb").read()), "bot.py")
    return upload_bot.sync(client=reader, body=NewBotForm(file=file, name=NAME)).to_dict()
def following(match=None):
    if match is None: found = next_decision.sync(client=player, wait=25)
    else: found = game_decision.sync(match, client=player, wait=25)
    return found and found.to_dict()
def decide(match, number, move): submit.sync(match, number, client=player, body=Answer(id=number, move=move))
''',
    ),
    _python(
        "openapi-generator, python",
        ("openapi-generator-cli==7.26.0", "pydantic==2.12.5", "python-dateutil==2.9.0.post0", "urllib3==2.8.0"),
        "openapi-generator-cli generate -g python -i schema.json -o .", "openapi_client", '''\
import openapi_client
from openapi_client import Answer, ApiClient, BotsApi, Configuration, LaddersApi, RemoteBotOwnTokenApi
def client(token): return ApiClient(Configuration(host=SITE, access_token=os.environ[token]))
reader, bots = LaddersApi(client("ESR_TOKEN")), BotsApi(client("ESR_TOKEN"))
player = RemoteBotOwnTokenApi(client("BOT_TOKEN"))
def ladders(): return reader.ladders(limit=200).to_dict()
def members(slug): return reader.members(slug).to_dict()
def upload(): return bots.upload_bot(("bot.py", open("bot.py", "rb").read()), name=NAME).to_dict()
def following(match=None):
    found = player.next_decision(wait=25) if match is None else player.game_decision(match, wait=25)
    return found and found.to_dict()
def decide(match, number, move): player.decide(match, number, Answer(id=number, move=move))
''', apt=("openjdk-17-jre-headless",),
    ),
    _typescript(
        "openapi-generator, typescript-fetch", (),
        "openapi-generator-cli generate -g typescript-fetch -i schema.json -o out", '''\
import { BotsApi, Configuration, LaddersApi, RemoteBotOwnTokenApi } from "./out";
const to = (accessToken: string) => new Configuration({ basePath: SITE, accessToken });
const reader = new LaddersApi(to(TOKEN)), bots = new BotsApi(to(TOKEN));
const player = new RemoteBotOwnTokenApi(to(BOT_TOKEN));
const ladders = async () => (await reader.ladders({ limit: 200 })).results;
const members = async (slug: string) => (await reader.members({ slug })).results;
const upload = () => bots.uploadBot({ file: FILE, name: NAME });
const following = async (match?: number): Promise<any> =>
  match ? player.gameDecision({ match, wait: 25 }) : player.nextDecision({ wait: 25 });
const decide = (match: number, number: number, move: any) =>
  player.decide({ match, number, answer: { id: number, move } });
''', apt=("openjdk-17-jre-headless",), pip=("openapi-generator-cli==7.26.0",),
    ),
    _typescript(
        "openapi-typescript", ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0"),
        "openapi-typescript schema.json -o schema.d.ts", '''\
import createClient from "openapi-fetch";
import type { paths } from "./schema";
const to = (token: string) => createClient<paths>({ baseUrl: SITE, headers: { Authorization: `Bearer ${token}` } });
const reader = to(TOKEN), player = to(BOT_TOKEN);
const ladders = async () => (await reader.GET("/api/v1/ladders", { params: { query: { limit: 200 } } })).data!.results;
const members = async (slug: string) =>
  (await reader.GET("/api/v1/ladders/{slug}/members", { params: { path: { slug } } })).data!.results;
const form = new FormData();
form.set("file", FILE);
form.set("name", NAME);
const upload = async () =>
  (await reader.POST("/api/v1/bots", { body: { file: "", name: NAME } as any, bodySerializer: () => form })).data;
const following = async (match?: number): Promise<any> => (match
  ? await player.GET("/api/v1/matches/{match}/decision", { params: { path: { match }, query: { wait: 25 } } })
  : await player.GET("/api/v1/bot/decision", { params: { query: { wait: 25 } } })).data;
const decide = (match: number, number: number, move: any) => player.POST("/api/v1/matches/{match}/decisions/{number}",
  { params: { path: { match, number } }, body: { id: number, move } });
''',
    ),
    _typescript(
        "hey-api", ("@hey-api/openapi-ts@0.99.0",), "openapi-ts -i schema.json -o out", '''\
import * as sdk from "./out";
import { createClient } from "./out/client";
const reader = createClient({ baseUrl: SITE as any, auth: TOKEN });
const player = createClient({ baseUrl: SITE as any, auth: BOT_TOKEN });
const ladders = async () => (await sdk.ladders({ client: reader, query: { limit: 200 } })).data!.results;
const members = async (slug: string) => (await sdk.members({ client: reader, path: { slug } })).data!.results;
const upload = async () => (await sdk.uploadBot({ client: reader, body: { file: FILE, name: NAME } })).data;
const following = async (match?: number): Promise<any> => (match
  ? await sdk.gameDecision({ client: player, path: { match }, query: { wait: 25 } })
  : await sdk.nextDecision({ client: player, query: { wait: 25 } })).data || null;
const decide = (match: number, number: number, move: any) =>
  sdk.decide({ client: player, path: { match, number }, body: { id: number, move } });
''',
    ),
    _typescript(
        "orval", ("orval@8.38.0",), "orval --input schema.json --output out.ts --client fetch", '''\
import * as api from "./out";
const to = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } }), plain = globalThis.fetch;
globalThis.fetch = (url: any, options: any) => plain(new URL(url, SITE), options);
const ladders = async () => (await api.ladders({ limit: 200 }, to(TOKEN)) as any).data.results as { slug: string }[];
const members = async (slug: string) => (await api.members(slug, undefined, to(TOKEN)) as any).data.results;
const upload = async () => (await api.uploadBot({ file: FILE, name: NAME }, to(TOKEN)) as any).data;
const following = async (match?: number): Promise<any> => { const found: any = match
  ? await api.gameDecision(match, { wait: 25 }, to(BOT_TOKEN)) : await api.nextDecision({ wait: 25 }, to(BOT_TOKEN));
  return found.status === 200 ? found.data : null; };
const decide = (match: number, number: number, move: any) => api.decide(match, number, { id: number, move }, undefined,
  { headers: { ...to(BOT_TOKEN).headers, "Content-Type": "application/json" } });
''',
    ),
)  # fmt: skip


def outcomes(workshop: Workshop, site: Site, trials: list[Client]) -> Iterator[Outcome]:
    """Generate, compile and run each client, and run each linter."""
    for trial in trials:
        try:
            result = _result(workshop, site, trial)
        except Failed as failure:
            result = str(failure)
        yield Outcome(trial, workshop.version(trial), result)


def _result(workshop: Workshop, site: Site, trial: Client) -> str:
    folder = workshop.folder / "client"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "schema.json").write_text(json.dumps(site.get("schema")), encoding="utf-8")
    (folder / "bot.py").write_bytes(BOT + trial.name.encode().join([b"# ", b"\n"]))
    environment = {
        **workshop.install(trial),
        "ESR_SITE": site.url,
        "ESR_TOKEN": site.token,
        "BOT_NAME": trial.name[:40],
    }
    if trial.npm:
        (folder / "node_modules").symlink_to(environment["NODE_PATH"])
    if not trial.program:
        workshop.run(trial.commands[0], folder, environment)
        return CLEAN
    (folder / trial.program).write_text(trial.code, encoding="utf-8")
    printed = ""
    environment["BOT_TOKEN"] = site.remote_bot()[1]
    for command in trial.commands:
        printed = workshop.run(command, folder, environment)
    return game(site, int(printed.split()[-1]))
