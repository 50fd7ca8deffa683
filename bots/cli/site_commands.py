"""Commands that use a site: ``esr login``, ``upload``, ``status``, ``play-remote``, ``watch`` and ``download``."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from getpass import getpass
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from rich.box import SIMPLE_HEAD
from rich.progress import MofNCompleteColumn
from rich.table import Table
from rich.text import Text

from bots.cli.frame import FOUND, Command, Screen, UsageError, escaped
from bots.cli.programs import (
    Played,
    find_played,
    launcher_for,
    packed,
    python_argument,
    require_one_way,
    sandbox_argument,
)
from bots.cli.site import Credentials, ProcessPlayer, bot_argument, keep, site_client
from bots.client import Client, ClientError, Closed, GameEnd, GameStart, Incident, Problem, Session
from bots.client.calls import as_bot
from games.registry import GAMES

# --- esr login -------------------------------------------------------------------------------------------------------

_HERE = ("localhost", "127.0.0.1", "::1")


def login_arguments(parser: ArgumentParser) -> None:
    """The site."""
    parser.add_argument("site", metavar="SITE", help="its address, such as https://arena.example.org")


def run_login(options: Namespace, screen: Screen) -> int:
    """Ask for the token, try it, write it down."""
    credentials = Credentials(options.site.rstrip("/"), _asked_token())
    with credentials.client() as client:
        try:
            client.get("token")
        except Problem as problem:
            raise UsageError(problem.detail) from problem
        except ClientError as error:
            raise UsageError(str(error)) from error
    path = keep(credentials)
    screen.say(f"The token works, and is kept in {path}, which only you can read.")
    if urlsplit(credentials.site).scheme == "http" and urlsplit(credentials.site).hostname not in _HERE:
        screen.say("Its address begins with http: whoever is on the way can read your token.", "yellow")
    screen.answer({"ok": True, "site": credentials.site, "file": str(path)})
    return 0


def _asked_token() -> str:
    """From the terminal without showing it, else the first line of standard input; never from the command line."""
    token = getpass("Token (esr_…): ") if sys.stdin.isatty() else sys.stdin.readline()
    token = token.strip()
    if not token.startswith("esr_"):
        raise UsageError("A token begins with esr_. The page Account → Tokens of the site makes one.")
    return token


LOGIN_COMMAND = Command(
    "login",
    "Keep the address of a site and a token for it.",
    """\
  esr login https://arena.example.org              asks for the token
  esr login https://arena.example.org < token.txt

The token is made on the site, under Account → Tokens; what it may do is chosen there. Instead of logging in, the
variables ESR_SITE and ESR_TOKEN do. A token never stands on a command line, where other users could see it.""",
    login_arguments,
    run_login,
)


# --- esr upload ------------------------------------------------------------------------------------------------------

_PAUSE_S: Final = 2.0
_OPEN: Final = ("received", "checking")


def upload_arguments(parser: ArgumentParser) -> None:
    """What, and as which bot."""
    parser.add_argument("path", type=Path, metavar="DIR", help="the bot's folder, one .py file, or a .zip")
    bot_argument(parser)
    parser.add_argument("--name", default="", help="what a new bot is called; else what its bot.toml says")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the check")


def run_upload(options: Namespace, screen: Screen) -> int:
    """Upload, then watch the check until it has decided."""
    filename, data = packed(options.path)
    with site_client() as client:
        version = client.upload(filename, data, options.bot, options.name)
        screen.say(f"{version['bot']} version {version['number']}: {version['state']}")
        if not options.no_wait:
            version = _checked(client, version, screen)
    ok = version["state"] != "refused"
    screen.answer({"ok": ok, "bot": version["bot"], "version": version["number"], "state": version["state"],
                   "reason": version.get("reason", "")})  # fmt: skip
    if not ok:
        screen.say(version["reason"], "red")
    return 0 if ok else FOUND


def _checked(client: Client, version: dict[str, Any], screen: Screen) -> dict[str, Any]:
    """The version once it is ready or refused; each change of its state is said."""
    state = version["state"]
    while version["state"] in _OPEN:
        time.sleep(_PAUSE_S)
        version = client.get(f"bots/{version['bot']}/versions/{version['number']}")
        if version["state"] != state:
            state = version["state"]
            screen.say(f"{version['bot']} version {version['number']}: {state}")
    return version


UPLOAD_COMMAND = Command(
    "upload",
    "Upload a bot, or a new version of one, and wait for its check.",
    """\
  esr upload mybot                       a new bot
  esr upload mybot --bot citrine         a new version of the bot at /bots/citrine

A folder is packed without hidden files and Python's caches. The check plays one game at every table that the bot
claims, as `esr check` does here; exit status 1 if it was refused. The token needs the scope `upload`.""",
    upload_arguments,
    run_upload,
)


# --- esr status ------------------------------------------------------------------------------------------------------

_PLACES = 3
"""So many ladders of a bot are shown; ``--json`` has all of them."""


def status_arguments(parser: ArgumentParser) -> None:
    """Which bots."""
    parser.add_argument("bots", nargs="*", metavar="BOT", help="only these bots, by the name in their address")


def run_status(options: Namespace, screen: Screen) -> int:
    """Ask for each of them, and show a row a bot."""
    with site_client() as client:
        token = client.get("token")
        slugs = options.bots or ([token["bot"]] if token["bot"] else client.get(f"people/{token['owner']}")["bots"])
        bots = [_bot(client, slug, token) for slug in slugs]
    bound = f", for {token['bot']} alone" if token["bot"] else ""
    until = f", until {token['expires'][:10]}" if token["expires"] else ""
    screen.say(f"{token['owner']}, with a token that may {', '.join(token['scopes'])}{bound}{until}")
    if bots:
        screen.show(_table(bots))
    else:
        screen.say("There is no bot yet: `esr upload DIR`, or `esr play-remote DIR --ladder L`.")
    screen.answer({"ok": True, "token": token, "bots": bots})
    return 0


def _bot(client: Client, slug: str, token: dict[str, Any]) -> dict[str, Any]:
    """A bot as everybody sees it; one's own remote bot with what its stream is doing, under ``remote``."""
    bot: dict[str, Any] = client.get(f"bots/{slug}")
    if bot["kind"] == "remote" and "play" in token["scopes"] and bot["owner"] == token["owner"]:
        bot["remote"] = client.get("bot", bot=slug)
    return bot


def _table(bots: list[dict[str, Any]]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for heading in ("Bot", "Kind", "Version", "State", "Ladders: rating (games)"):
        table.add_column(heading, overflow="fold")
    for bot in bots:
        table.add_row(*(Text("\n".join(map(escaped, cell.split("\n")))) for cell in _cells(bot)))
    return table


def _cells(bot: dict[str, Any]) -> Iterator[str]:
    newest = bot["versions"][0] if bot["versions"] else None
    playing = "none" if bot["version"] is None else str(bot["version"])
    behind = newest is not None and newest["number"] != bot["version"]
    yield bot["name"]
    yield bot["kind"]
    yield f"{playing} ({newest['number']}: {newest['state']})" if newest and behind else playing
    yield _state(bot)
    places = sorted(bot["ladders"], key=lambda place: -place["games"])
    shown = [f"{place['ladder']}: {place['rating']:.0f} ({place['games']})" for place in places[:_PLACES]]
    yield "\n".join([*shown, *([f"and {len(places) - _PLACES} more"] if len(places) > _PLACES else [])])


def _state(bot: dict[str, Any]) -> str:
    if bot["retired"]:
        return "retired"
    if bot["suspended"]:
        return "suspended"
    if bot["paused"]:
        return f"on leave: {bot['pause_reason']}"
    if "remote" not in bot:
        return "plays" if bot["version"] is not None else "does not play yet"
    games = len(bot["remote"]["running"])
    return f"{'here' if bot['remote']['available'] else 'away'}, {games} {'game' if games == 1 else 'games'} running"


STATUS_COMMAND = Command(
    "status",
    "Show what the token may do, and how one's bots are doing on the site.",
    """\
  esr status
  esr status citrine --json

Version is the one that plays; a newer one that does not stands behind it, with its state.""",
    status_arguments,
    run_status,
)


# --- esr play-remote -------------------------------------------------------------------------------------------------

_NOT_FOUND: Final = 404
_MAY_NOT: Final = 403


def play_remote_arguments(parser: ArgumentParser) -> None:
    """What plays, where, and how much."""
    parser.add_argument("what", metavar="BOT", help="a bot's folder, house:greedy, or a command such as 'node bot.js'")
    parser.add_argument("--ladder", required=True, metavar="SLUG", help="a ladder for remote bots, as in its address")
    parser.add_argument("--games", type=int, metavar="N", help="stop after N games there; else go on until Ctrl-C")
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="how many games at once (1)")
    parser.add_argument("--name", help="what a new remote bot is called; default: what the bot says of itself")
    parser.add_argument("--label", help="the version; default: another one whenever a file of the bot has changed")
    parser.add_argument("--challenges", action="store_true", help="accept every challenge")
    bot_argument(parser)
    python_argument(parser)
    sandbox_argument(parser)


def run_play_remote(options: Namespace, screen: Screen) -> int:
    """Make the bot known, hold its stream, play; what goes wrong is shown as it happens."""
    if (options.games is not None and options.games < 1) or options.at_once < 1:
        raise UsageError("There is at least 1 game to play, and at least 1 at once.")
    require_one_way(options.sandbox, options.python)
    with site_client() as anonymous:
        ladder = anonymous.get(f"ladders/{options.ladder}")
        _require_known(ladder)
        launcher = launcher_for(options.sandbox)
        played = find_played(options.what, ladder["game"], ladder["seats"], launcher, options.python)
        slug = _registered(anonymous, options, played, ladder)
    with site_client(slug) as client:
        _introduce(client, slug, options, played, ladder)
        screen.say(f"{slug} waits for games on {ladder['name']}; Ctrl-C stops it.")
        evening = _Evening(client, options, screen, played)
        evening.play()
    screen.answer({"ok": not evening.incidents, "bot": slug, "games": evening.games, "incidents": evening.incidents})
    return FOUND if evening.incidents else 0


class _Evening:
    """The games of one run: counted, shown, and no more of them than were wanted."""

    def __init__(self, client: Client, options: Namespace, screen: Screen, played: Played) -> None:
        self._client, self._screen, self._played = client, screen, played
        self._wanted: int | None = options.games
        self._ladder: str = options.ladder
        self._session = Session(client, self._sit, self._tell, self._ended, options.challenges)
        self._begun = 0
        self.games: list[dict[str, Any]] = []
        self.incidents: list[dict[str, Any]] = []

    def play(self) -> None:
        """Play until there were enough games, or Ctrl-C. Raises ``UsageError`` when another program takes over."""
        try:
            self._session.run(self._enough)
        except Closed as closed:
            raise UsageError(str(closed)) from closed
        except KeyboardInterrupt:
            if self._session.running:
                self._screen.say("Games still run, and are lost by the clock: start again soon to go on with them.")
            raise
        finally:
            self._rest()

    def _sit(self, start: GameStart) -> ProcessPlayer:
        self._begun += start["ladder"] == self._ladder
        if self._begun == self._wanted:
            self._rest()
        hello, number = start["message"], start["game"]
        names = ", ".join(str(player.get("name", "?")) for player in start["players"])
        self._screen.say(f"game {number}: {hello['game']} at seat {hello['seat']}: {names}")
        return ProcessPlayer(self._played.start, start, lambda line: self._screen.say(f"game {number}: {line}"))

    def _ended(self, start: GameStart, end: GameEnd) -> None:
        outcome = end["message"]["outcome"] if end["message"] else None
        seat = start["message"]["seat"]
        rank = outcome["ranks"][seat] if outcome else None
        result = f"rank {rank} of {len(outcome['ranks'])}" if outcome else f"no result: {end.get('reason')}"
        self._screen.say(f"game {start['game']}: {result}")
        about = {"game": start["game"], "ladder": start["ladder"], "rated": start["rated"]}
        self.games.append({**about, "rank": rank, "status": end["status"]})

    def _tell(self, incident: Incident) -> None:
        self._screen.say(str(incident), "yellow")
        self.incidents.append({"game": incident.game, "decision": incident.decision, "reason": incident.reason,
                               "detail": incident.detail})  # fmt: skip

    def _enough(self) -> bool:
        there = sum(game["ladder"] == self._ladder for game in self.games)
        return self._wanted is not None and there >= self._wanted and not self._session.running

    def _rest(self) -> None:
        """Ask for no new game, so that none begins that nobody would play."""
        with suppress(ClientError):
            self._client.change_bot(games_at_once=0)


def _require_known(ladder: dict[str, Any]) -> None:
    if ladder.get("players") == "hosted":
        raise UsageError(f"{ladder['name']} is for uploaded bots. Remote ones play at {ladder['slug']}-remote.")
    if ladder["game"] not in GAMES:
        raise UsageError(f"This esr does not know the game {ladder['game']}. Install a newer one.")


def _registered(client: Client, options: Namespace, played: Played, ladder: dict[str, Any]) -> str:
    """The slug of the remote bot that plays; registered now, for this table, if there is none."""
    try:
        return str(client.get("bot", **as_bot(options.bot))["slug"])
    except Problem as problem:
        if problem.status != _NOT_FOUND or options.bot is not None:
            raise
    tables = {ladder["game"]: [ladder["seats"]]}
    return str(client.register_bot(options.name or played.name, tables, options.label or played.label)["bot"])


def _introduce(client: Client, slug: str, options: Namespace, played: Played, ladder: dict[str, Any]) -> None:
    """Say which state of the bot plays, how much of it, and where; the tables that it plays already stay."""
    at_once = min(options.at_once, options.games or options.at_once)
    declared: dict[str, Any] = {"available": True, "games_at_once": at_once}
    if label := options.label or played.label:
        declared["label"] = label
    games = client.my_bot()["games"]
    if ladder["seats"] not in games.get(ladder["game"], []):
        declared["games"] = {**games, ladder["game"]: sorted([*games.get(ladder["game"], []), ladder["seats"]])}
    client.change_bot(**declared)
    try:
        client.join(options.ladder, slug)
    except Problem as problem:
        if problem.status != _MAY_NOT:  # a bot's own token may only play: it stands where its games say
            raise


PLAY_REMOTE_COMMAND = Command(
    "play-remote",
    "Let a bot of this machine play on the site, as a remote bot.",
    """\
  esr play-remote mybot --ladder edel-stein-reich-3-remote --games 20
  esr play-remote house:greedy --ladder edel-stein-reich-3-open
  esr play-remote 'node bot.js' --ladder edel-stein-reich-3-remote --at-once 4

The bot is the same program that `esr play` and an upload start: lines on stdin and stdout, a process a game. A folder
and a house bot run as they do in `esr play`; a command runs as in your shell, with your environment and its GPU.
A remote bot is registered the first time, for which the token needs the scopes `play` and `upload`; a bot's own token
does for everything else. It also gets games of other ladders that it stands on. Moves are checked before they are
sent: for an illegal one the default move is sent instead. Exit status 1 if anything went wrong at a decision.""",
    play_remote_arguments,
    run_play_remote,
)


# --- esr watch -------------------------------------------------------------------------------------------------------


def watch_arguments(parser: ArgumentParser) -> None:
    """The game."""
    parser.add_argument("game", type=int, metavar="GAME", help="the number of a live match")


def run_watch(options: Namespace, screen: Screen) -> int:
    """Say what has become public as it does, until the game has ended."""
    with site_client(needs_token=False) as client:
        telling: _Telling | None = None
        end: dict[str, Any] = {}
        for event in client.watch(options.game):
            if event["type"] == "game" and telling is None:
                telling = _Telling([str(player["name"]) for player in event["players"]])
                screen.say(f"game {options.game}, {event['ladder']}: {', '.join(telling.names)}")
            elif telling is not None:
                for line in telling.lines(event):
                    screen.say(line)
            if event["type"] == "game_end":
                end = event
    outcome = end.get("outcome")
    said = f"ranks {outcome['ranks']}" if outcome else end.get("reason") or "no result"
    screen.say(f"game {options.game} {end.get('status', 'has ended')}: {said}")
    screen.answer({"ok": True, "game": options.game, "status": end.get("status"), "outcome": outcome})
    return 0


class _Telling:
    """The sentences of a game that have not been said yet."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._entries: list[dict[str, Any]] = []
        self._title = ""
        self._said = 0

    def lines(self, event: dict[str, Any]) -> Iterator[str]:
        """What ``event`` adds to what was said, under a heading a round."""
        view, self._entries = event.get("view"), self._entries + event.get("log", [])
        if view is None or view["game"] not in GAMES:
            return
        game = GAMES[view["game"]]
        about = {"format": "game-log/1", "game": game.slug, "rules": game.rules.version}
        log = {**about, "seats": view["seats"], "seat": None,
               "commitment": None, "entries": self._entries, "outcome": event.get("outcome")}  # fmt: skip
        told = [
            (chapter.title, line)
            for chapter in game.presentation.story(log, self.names, by_step=True)
            for line in chapter.sentences
        ]
        for title, line in told[self._said :]:
            if title != self._title:
                self._title = title
                yield f"\n{title}"
            yield f"  {line}"
        self._said = max(self._said, len(told))


WATCH_COMMAND = Command(
    "watch",
    "Follow a live game in sentences, a round behind, as everybody may.",
    """\
  esr watch 1234

The number is that of its match. While a game runs nobody but its seats sees more than the rounds before the last one;
when it has ended, all of it is told. No token is needed but for private ladders.""",
    watch_arguments,
    run_watch,
)


# --- esr download ----------------------------------------------------------------------------------------------------

_TAIL: Final = 2**20
"""Bytes at the end of a file in which its last line is looked for; a line has a hundredth of that."""


def download_arguments(parser: ArgumentParser) -> None:
    """Which ladder or match, and where to."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("ladder", nargs="?", metavar="LADDER", help="as in its address")
    what.add_argument("--match", type=int, metavar="N", help="the record of one match instead")
    parser.add_argument("--to", type=Path, metavar="FILE", help="default: LADDER.jsonl, or match-N.json")


def run_download(options: Namespace, screen: Screen) -> int:
    """Write what is new at the end of the file."""
    with site_client(needs_token=False) as client:
        if options.match is not None:
            return _match(client, options.match, options.to or Path(f"match-{options.match}.json"), screen)
        path: Path = options.to or Path(f"{options.ladder}.jsonl")
        try:
            with path.open("a+b") as file:
                games = _ladder(client, options.ladder, file, screen)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    screen.say(f"{path}: {games} new {'game' if games == 1 else 'games'}")
    screen.answer({"ok": True, "file": str(path), "games": games})
    return 0


def _ladder(client: Client, ladder: str, file: IO[bytes], screen: Screen) -> int:
    """Add the games that follow the last whole line; how many there were."""
    after, games = _last_match(file), 0
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(ladder, total=None)
        for line in client.records(ladder, after):
            file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
            games += 1
            progress.advance(task)
    return games


def _last_match(file: IO[bytes]) -> int | None:
    """The match of the last whole line; an incomplete one after it is cut off. Raises ``UsageError``."""
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - _TAIL))
    whole = file.read().rpartition(b"\n")[0]
    if not whole:
        if size > _TAIL:
            raise UsageError("The file exists, and is none that `esr download` has written.")
        file.truncate(0)
        return None
    file.truncate(start + len(whole) + 1)
    try:
        return int(json.loads(whole.rpartition(b"\n")[2])["match"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError("The file exists, and its last line is no game: name another one with --to.") from error


def _match(client: Client, number: int, path: Path, screen: Screen) -> int:
    record = client.get(f"matches/{number}/record")
    try:
        path.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    screen.say(f"{path}: the record of match {number}; `esr verify {path}` plays it again")
    screen.answer({"ok": True, "file": str(path), "match": number})
    return 0


DOWNLOAD_COMMAND = Command(
    "download",
    "Download every record of a ladder, or go on where the last download ended.",
    """\
  esr download edel-stein-reich-3                   all games so far, a line each; again: those that are new
  esr download edel-stein-reich-3 --to games.jsonl
  esr download --match 123                          one record

Each line has the match, its players with versions and ratings, and under `record` the record. A game comes a minute
after the last game of its deal has ended. No token is needed but for private ladders.""",
    download_arguments,
    run_download,
)
