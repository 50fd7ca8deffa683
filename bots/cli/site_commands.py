"""Commands that connect to a site: ``esr login``, ``upload``, ``status``, ``play-remote``, ``watch``, ``download``."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from getpass import getpass
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from rich.progress import MofNCompleteColumn

from bots.cli.frame import FOUND, MACHINE, Screen, SubCommand, UsageError, near_lines, table_of
from bots.cli.programs import (
    RemoteProgram,
    find_played,
    launcher_for,
    packed,
    python_argument,
    require_one_way,
    sandbox_argument,
)
from bots.cli.site import (
    Credentials,
    ProcessPlayer,
    ask_limits,
    bot_argument,
    find_credentials,
    keep,
    site_client,
)
from bots.client import Client, ClientError, Closed, GameEnd, GameStart, Incident, Problem, Session
from bots.client.calls import as_bot
from bots.reports import warnings
from games.registry import GAMES

# --- esr login -------------------------------------------------------------------------------------------------------

_LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "::1")


def login_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr login``."""
    parser.add_argument("site", metavar="URL", help="URL of the site, for example https://arena.example.org")


def run_login(options: Namespace, screen: Screen) -> int:
    """Ask for a token, verify it with the site and save it."""
    credentials = Credentials(options.site.rstrip("/"), _asked_token())
    with site_client(credentials=credentials, patience_s=0) as client:
        try:
            client.get("token")
        except Problem as problem:
            if problem.status != HTTPStatus.NOT_FOUND:
                raise
            raise UsageError(
                f"{credentials.site} is not the home page of a site. Use the URL of that page."
            ) from problem
        ask_limits(client, credentials.site)
    path = keep(credentials)
    screen.say(f"Signed in to {credentials.site}. The token was saved in {path}, which only you can read.")
    if urlsplit(credentials.site).scheme == "http" and urlsplit(credentials.site).hostname not in _LOCAL_HOSTS:
        screen.say(
            "Warning: this URL uses http, so others on the network can read your token. Use https if possible.",
            "yellow",
        )
    screen.answer({"ok": True, "site": credentials.site, "file": str(path)})
    return 0


def _asked_token() -> str:
    """Read the token from the terminal without echo, or else from the first line of standard input."""
    token = getpass("API token (esr_…): ") if sys.stdin.isatty() else sys.stdin.readline()
    token = token.strip()
    if not token.startswith("esr_"):
        raise UsageError("Invalid API token: a token starts with esr_. Create one on your account page.")
    return token


LOGIN_COMMAND = SubCommand(
    "login",
    "Sign in to a site with an API token.",
    """\
examples:
  esr login https://arena.example.org              prompts for the token
  esr login https://arena.example.org < token.txt

Create an API token and choose its scopes on your account page. You can set the environment variables ESR_SITE and
ESR_TOKEN instead of signing in. There is no option for the token because other users of this machine could see it in
the process list.""",
    login_arguments,
    run_login,
)


# --- esr upload ------------------------------------------------------------------------------------------------------

_PAUSE_S: Final = 2.0
_OPEN: Final = ("received", "checking")
_STATES: Final = {
    "received": "Queued",
    "checking": "Validating",
    "undecided": "Undecided",
    "refused": "Rejected",
}


def upload_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr upload``."""
    parser.add_argument("path", type=Path, metavar="PATH", help="bot folder, .py file or .zip file")
    bot_argument(parser)
    parser.add_argument("--name", default="", metavar="NAME", help="name of a new bot (default: the name in bot.toml)")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the validation")


def run_upload(options: Namespace, screen: Screen) -> int:
    """Upload a version and wait until its validation has finished."""
    bot, credentials = packed(options.path), find_credentials()
    with site_client(credentials=credentials) as client:
        archive = bot.read(ask_limits(client, credentials.site))
        for notice in archive.notices:
            screen.say(notice.text, "yellow")
        version = client.upload(bot.filename, bot.data, options.bot, options.name)
        screen.say(_version_line(version))
        if version["state"] not in _OPEN:
            screen.say("This version has the same files, so nothing new was uploaded.")
        if not options.no_wait:
            version = _validated(client, version, screen)
    ok = version["state"] not in ("refused", "undecided")
    report = version.get("validation_report")
    near = warnings(report) if report else {}
    screen.answer({"ok": ok, "bot": version["bot"], "version": version["number"], "state": version["state"],
                   "reason": version.get("reason", ""), "warnings": near,
                   "notices": [notice._asdict() for notice in archive.notices]})  # fmt: skip
    for line in near_lines(near):
        screen.say(line, "yellow")
    if not ok:
        screen.say(version["reason"], "red")
    return 0 if ok else FOUND if version["state"] == "refused" else MACHINE


def _version_line(version: dict[str, Any]) -> str:
    return f"{version['bot']} version {version['number']}: {_version_state(version)}"


def _version_state(version: dict[str, Any]) -> str:
    return _STATES.get(version["state"]) or ("Active" if version.get("active") else "Inactive")


def _validated(client: Client, version: dict[str, Any], screen: Screen) -> dict[str, Any]:
    """Poll the version until its validation has finished and show every change of its state."""
    state = version["state"]
    while version["state"] in _OPEN:
        time.sleep(_PAUSE_S)
        version = client.get(f"bots/{version['bot']}/versions/{version['number']}")
        if version["state"] != state:
            state = version["state"]
            screen.say(_version_line(version))
    return version


UPLOAD_COMMAND = SubCommand(
    "upload",
    "Upload a bot or a new version of a bot, and wait for its validation.",
    """\
examples:
  esr upload mybot                       create a bot
  esr upload mybot --bot citrine         upload a new version of the bot at /bots/citrine

Hidden files and Python caches are not uploaded. The command reads the bot as the site does, with the site's limits,
before it sends anything. The site validates the upload with the same check as
`esr check`: one self-play game per supported format. The exit code is 1 if the upload is rejected, and 3 if the
site could not validate it for now. The token needs the scope `upload`.""",
    upload_arguments,
    run_upload,
)


# --- esr status ------------------------------------------------------------------------------------------------------

_COLUMNS = ("Bot", "Kind", "Version", "Status", "Rating (games) by ladder")
_PLACES = 3
"""Maximum number of ladders shown per bot. ``--json`` contains all of them."""


def status_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr status``."""
    parser.add_argument("bots", nargs="*", metavar="BOT", help="slug of a bot (default: all your bots)")


def run_status(options: Namespace, screen: Screen) -> int:
    """Show the token's scopes and one table row per bot."""
    with site_client() as client:
        token = client.get("token")
        slugs = options.bots or ([token["bot"]] if token["bot"] else client.get(f"people/{token['owner']}")["bots"])
        bots = [_bot(client, slug, token) for slug in slugs]
    bound = f", only for {token['bot']}" if token["bot"] else ""
    until = f". The token expires on {token['expires'][:10]}" if token["expires"] else ""
    screen.say(f"Signed in as {token['owner']}. Token scopes: {', '.join(token['scopes'])}{bound}{until}.")
    if bots:
        screen.show(table_of(_COLUMNS, [tuple(_cells(bot)) for bot in bots]))
    else:
        screen.say("No bots yet. Run `esr upload DIR` or `esr play-remote DIR --ladder SLUG`.")
    screen.answer({"ok": True, "token": token, "bots": bots})
    return 0


def _bot(client: Client, slug: str, token: dict[str, Any]) -> dict[str, Any]:
    """Get the public data of a bot. For your own remote bot, ``remote`` is its connection state."""
    bot: dict[str, Any] = client.get(f"bots/{slug}")
    if bot["kind"] == "remote" and "play" in token["scopes"] and bot["owner"] == token["owner"]:
        bot["remote"] = client.get("bot", bot=slug)
    return bot


def _cells(bot: dict[str, Any]) -> Iterator[str]:
    newest = bot["versions"][0] if bot["versions"] else None
    playing = "None" if bot["version"] is None else str(bot["version"])
    behind = newest is not None and newest["number"] != bot["version"]
    yield bot["name"]
    yield bot["kind"].capitalize()
    yield f"{playing} ({newest['number']}: {_version_state(newest)})" if newest and behind else playing
    yield _state(bot)
    places = sorted(bot["ladders"], key=lambda place: -place["games"])
    shown = [f"{place['ladder']}: {place['rating']:.0f} ({place['games']})" for place in places[:_PLACES]]
    yield "\n".join([*shown, *([f"and {len(places) - _PLACES} more"] if len(places) > _PLACES else [])])


def _state(bot: dict[str, Any]) -> str:
    if bot["retired"]:
        return "Retired"
    if bot["suspended"]:
        return "Suspended"
    if bot["paused"]:
        return f"Paused: {bot['pause_reason']}"
    if "remote" not in bot:
        return "Active" if bot["version"] is not None else "No active version"
    games = len(bot["remote"]["running"])
    running = f"{games} {'game' if games == 1 else 'games'} running"
    closed = "" if bot["remote"]["games_at_once"] else ", accepts no new games"
    return f"{'Online' if bot['remote']['available'] else 'Offline'}, {running}{closed}"


STATUS_COMMAND = SubCommand(
    "status",
    "Show the scopes of your token and the status of your bots.",
    """\
examples:
  esr status
  esr status citrine --json

The column Version shows the active version. A newer version that is not active follows in parentheses.""",
    status_arguments,
    run_status,
)


# --- esr play-remote -------------------------------------------------------------------------------------------------

_NOT_FOUND: Final = 404
_FORBIDDEN: Final = 403

_NOTICED_S: Final = 5.0
"""Maximum seconds until a site that is not overloaded has noticed that a stream is closed."""

_LOOK_AGAIN_S: Final = 0.2


def play_remote_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr play-remote``."""
    parser.add_argument("what", metavar="BOT", help="bot folder, house bot, or command such as 'node bot.js'")
    parser.add_argument("--ladder", required=True, metavar="SLUG", help="slug of a remote or open ladder")
    parser.add_argument("--games", type=int, metavar="N", help="number of games on this ladder (default: unlimited)")
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="number of simultaneous games (default: 1)")
    parser.add_argument("--name", metavar="NAME", help="name of a new remote bot (default: name of the program)")
    parser.add_argument("--label", metavar="LABEL", help="version label (default: hash of the bot's files or command)")
    parser.add_argument("--challenges", action="store_true", help="accept all challenges")
    bot_argument(parser)
    python_argument(parser)
    sandbox_argument(parser)


def run_play_remote(options: Namespace, screen: Screen) -> int:
    """Register the bot if necessary, then play until the requested number of games or Ctrl-C."""
    if options.games is not None and options.games < 1:
        raise UsageError("--games must be at least 1.")
    if options.at_once < 1:
        raise UsageError("--at-once must be at least 1.")
    require_one_way(options.sandbox, options.python)
    with site_client() as anonymous:
        ladder = anonymous.get(f"ladders/{options.ladder}")
        _require_known(ladder)
        launcher = launcher_for(options.sandbox)
        played = find_played(options.what, ladder["game"], ladder["seats"], launcher, options.python)
        slug = _registered(anonymous, options, played, ladder)
    with site_client(slug) as client:
        before = _introduce(client, slug, options, played, ladder)
        screen.say(f"{slug} is online and waiting for games on {ladder['name']}. Press Ctrl-C to stop.")
        run = _RemoteRun(client, options, screen, played, before)
        run.play()
    screen.answer({"ok": not run.incidents, "bot": slug, "games": run.games, "incidents": run.incidents})
    return FOUND if run.incidents else 0


class _RemoteRun:
    """The games of one ``esr play-remote`` command, limited to the requested number.

    ``before`` is the number of simultaneous games that the bot has again afterwards.
    """

    def __init__(self, client: Client, options: Namespace, screen: Screen, played: RemoteProgram, before: int) -> None:
        self._client, self._screen, self._played, self._before = client, screen, played, before
        self._wanted: int | None = options.games
        self._ladder: str = options.ladder
        self._session = Session(client, self._sit, self._tell, self._ended, options.challenges)
        self._begun = 0
        self.games: list[dict[str, Any]] = []
        self.incidents: list[dict[str, Any]] = []

    def play(self) -> None:
        """Play until all games are done or Ctrl-C. Raises ``UsageError`` if the site closes the stream for good."""
        replaced = False
        try:
            self._session.run(self._enough)
        except Closed as closed:
            replaced = True
            raise UsageError(str(closed)) from closed
        except KeyboardInterrupt:
            if self._session.running:
                self._screen.say("Some games are still running. Restart soon to continue them before time runs out.")
            raise
        finally:
            if not replaced:  # a newer program of this bot has declared its own number
                self._stop_pairing()
            self._allow_pairing(0 if replaced else _NOTICED_S)

    def _sit(self, start: GameStart) -> ProcessPlayer:
        self._begun += start["ladder"] == self._ladder
        if self._begun == self._wanted:
            self._stop_pairing()
        hello, number = start["message"], start["game"]
        names = ", ".join(str(player.get("name", "?")) for player in start["players"])
        self._screen.say(f"game {number}: started, {hello['game']}, seat {hello['seat']}, players: {names}")
        return ProcessPlayer(self._played.start, start, lambda line: self._screen.say(f"game {number}: {line}"))

    def _ended(self, start: GameStart, end: GameEnd) -> None:
        outcome = end["message"]["outcome"] if end["message"] else None
        seat = start["message"]["seat"]
        rank = outcome["ranks"][seat] if outcome else None
        result = f"finished, rank {rank} of {len(outcome['ranks'])}" if outcome else f"no result: {end.get('reason')}"
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

    def _stop_pairing(self) -> None:
        """Set the number of simultaneous games to 0, so that the site starts no new game."""
        with suppress(ClientError):
            self._client.change_bot(games_at_once=0)

    def _allow_pairing(self, patience_s: float) -> None:
        """Undo ``_stop_pairing`` for later programs as soon as the site has noticed that the stream is closed."""
        with suppress(ClientError):
            until = time.monotonic() + patience_s
            while (bot := self._client.my_bot())["here"] and time.monotonic() < until:
                time.sleep(_LOOK_AGAIN_S)
            if bot["games_at_once"] == 0:
                self._client.change_bot(games_at_once=self._before)


def _require_known(ladder: dict[str, Any]) -> None:
    if ladder.get("players") == "hosted":
        raise UsageError(f"{ladder['name']} is a ladder for hosted bots. Remote bots play on {ladder['slug']}-remote.")
    if ladder["game"] not in GAMES:
        raise UsageError(f"This version of esr does not support the game {ladder['game']}. Install a newer version.")


def _registered(client: Client, options: Namespace, played: RemoteProgram, ladder: dict[str, Any]) -> str:
    """Return the slug of the remote bot. With --name, or without a remote bot, register one for this format."""
    if options.bot is not None or options.name is None:
        try:
            return str(client.get("bot", **as_bot(options.bot))["slug"])
        except Problem as problem:
            if problem.code == "bot_missing":
                raise UsageError(
                    "You have several remote bots. Add `--bot SLUG`. `esr status` lists your bots."
                ) from problem
            if problem.status != _NOT_FOUND or options.bot is not None:
                raise
    tables = {ladder["game"]: [ladder["seats"]]}
    try:
        return str(client.register_bot(options.name or played.name, tables, options.label or played.label)["bot"])
    except Problem as problem:
        if problem.code == "name_taken":
            remedy = "To choose another name, add `--name NAME`."
            if options.name is not None:
                remedy = "Choose another name, or use `--bot SLUG` to play as a bot that you already have."
            raise UsageError(f"{problem} {remedy}") from problem
        raise


def _introduce(client: Client, slug: str, options: Namespace, played: RemoteProgram, ladder: dict[str, Any]) -> int:
    """Declare the version, the number of games and the format, and join the ladder. Other formats are kept.

    Returns the number of simultaneous games to restore: the one until now, or ``at_once`` if the bot had 0.
    """
    at_once = min(options.at_once, options.games or options.at_once)
    label = options.label or played.label
    declared: dict[str, Any] = {"available": True, "games_at_once": at_once, "label": label}
    bot = client.my_bot()
    games = bot["games"]
    if ladder["seats"] not in games.get(ladder["game"], []):
        declared["games"] = {**games, ladder["game"]: sorted([*games.get(ladder["game"], []), ladder["seats"]])}
    client.change_bot(**declared)
    try:
        client.join(options.ladder, slug)
    except Problem as problem:
        if problem.status != _FORBIDDEN:  # a bot token can only play; the bot joined when it declared its games
            raise
    return int(bot["games_at_once"] or at_once)


PLAY_REMOTE_COMMAND = SubCommand(
    "play-remote",
    "Connect a local bot to a site and play as a remote bot.",
    """\
examples:
  esr play-remote mybot --ladder edel-stein-reich-3-remote --games 20
  esr play-remote house:greedy --ladder edel-stein-reich-3-open
  esr play-remote 'node bot.js' --ladder edel-stein-reich-3-remote --at-once 4

BOT is a program as in `esr play`. It speaks the bot protocol on stdin and stdout, with one process per game. A command
runs in your environment, for example with your GPU.

The first run registers a remote bot and needs a token with the scopes `play` and `upload`. Later runs play as the same
bot, also when you pass another program, and work with the bot's own token. Use `--name` to register another bot. The
bot also gets games on other ladders that it has joined.

Moves are checked before they are sent. If a move is illegal, the default move is sent instead. The exit code is 1 if
a decision failed.""",
    play_remote_arguments,
    run_play_remote,
)


# --- esr watch -------------------------------------------------------------------------------------------------------


def watch_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr watch``."""
    parser.add_argument("game", type=int, metavar="MATCH", help="id of a live match")


def run_watch(options: Namespace, screen: Screen) -> int:
    """Print the moves of a live match as they become public, until the match ends."""
    with site_client(needs_token=False) as client:
        story: _Story | None = None
        end: dict[str, Any] = {}
        for event in client.watch(options.game):
            if event["type"] == "game" and story is None:
                story = _Story([str(player["name"]) for player in event["players"]])
                screen.say(f"match {options.game}, {event['ladder']}: {', '.join(story.names)}")
            elif story is not None:
                for line in story.lines(event):
                    screen.say(line)
            if event["type"] == "game_end":
                end = event
    outcome = end.get("outcome")
    result = f"ranks {outcome['ranks']}" if outcome else end.get("reason") or "no result"
    screen.say(f"match {options.game} {end.get('status', 'ended')}: {result}")
    screen.answer({"ok": True, "game": options.game, "status": end.get("status"), "outcome": outcome})
    return 0


class _Story:
    """The move list of a match, printed in parts."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._entries: list[dict[str, Any]] = []
        self._title = ""
        self._shown = 0

    def lines(self, event: dict[str, Any]) -> Iterator[str]:
        """Yield the new lines of the move list, with one heading per round."""
        view, self._entries = event.get("view"), self._entries + event.get("log", [])
        if view is None or view["game"] not in GAMES:
            return
        game = GAMES[view["game"]]
        about = {"format": "game-log/1", "game": game.slug, "rules": game.rules.version}
        log = {**about, "seats": view["seats"], "seat": None,
               "commitment": None, "entries": self._entries, "outcome": event.get("outcome")}  # fmt: skip
        story = [
            (chapter.title, line)
            for chapter in game.presentation.story(log, self.names, by_step=True)
            for line in chapter.sentences
        ]
        for title, line in story[self._shown :]:
            if title != self._title:
                self._title = title
                yield f"\n{title}"
            yield f"  {line}"
        self._shown = max(self._shown, len(story))


WATCH_COMMAND = SubCommand(
    "watch",
    "Follow a live match as text, with a one-round delay.",
    """\
examples:
  esr watch 1234

The id is in the URL of the match page. The last round is printed when the match ends. Only matches on private
ladders need a token.""",
    watch_arguments,
    run_watch,
)


# --- esr download ----------------------------------------------------------------------------------------------------

_TAIL: Final = 2**20
"""Number of bytes at the end of a file that are searched for its last line. A line has about 1% of this size."""


def download_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr download``."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("ladder", nargs="?", metavar="LADDER", help="slug of a ladder")
    what.add_argument("--match", type=int, metavar="ID", help="download the record of one match instead")
    parser.add_argument("--to", type=Path, metavar="FILE", help="output file (default: LADDER.jsonl or match-ID.json)")


def run_download(options: Namespace, screen: Screen) -> int:
    """Append new records to the file, or write the record of one match."""
    with site_client(needs_token=False) as client:
        if options.match is not None:
            return _match(client, options.match, options.to or Path(f"match-{options.match}.json"), screen)
        path: Path = options.to or Path(f"{options.ladder}.jsonl")
        existed = path.exists()
        try:
            with path.open("a+b") as file:
                games = _ladder(client, options.ladder, file, screen)
        except OSError as error:
            raise UsageError(f"Cannot write {path}: {error.strerror}.") from error
        except Problem:
            if not existed and not path.stat().st_size:
                path.unlink()
            raise
    screen.say(f"Downloaded {games} new {'game' if games == 1 else 'games'} to {path}")
    screen.answer({"ok": True, "file": str(path), "games": games})
    return 0


def _ladder(client: Client, ladder: str, file: IO[bytes], screen: Screen) -> int:
    """Append the games after the last complete line and return their number."""
    after, games = _last_match(file), 0
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(ladder, total=None)
        for line in client.records(ladder, after):
            file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
            games += 1
            progress.advance(task)
    return games


def _last_match(file: IO[bytes]) -> int | None:
    """Return the match id of the last complete line and remove an incomplete line after it. Raises ``UsageError``."""
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - _TAIL))
    whole = file.read().rpartition(b"\n")[0]
    if not whole:
        if size > _TAIL:
            raise UsageError("The file was not written by `esr download`. Choose another file with --to.")
        file.truncate(0)
        return None
    file.truncate(start + len(whole) + 1)
    try:
        return int(json.loads(whole.rpartition(b"\n")[2])["match"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError("The last line of the file is not a game record. Choose another file with --to.") from error


def _match(client: Client, number: int, path: Path, screen: Screen) -> int:
    record = client.get(f"matches/{number}/record")
    try:
        path.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from error
    screen.say(f"Downloaded the record of match {number} to {path}. Run `esr verify {path}` to verify it.")
    screen.answer({"ok": True, "file": str(path), "match": number})
    return 0


DOWNLOAD_COMMAND = SubCommand(
    "download",
    "Download the game records of a ladder or a match.",
    """\
examples:
  esr download edel-stein-reich-3                   all games, one per line
  esr download edel-stein-reich-3 --to games.jsonl
  esr download --match 123                          one record

If the file of a ladder exists, only new games are downloaded and appended. Each line contains the match id, the
players with versions and ratings, and the game record. Games are available one minute after the last game of their
deal has ended. Only private ladders need a token.""",
    download_arguments,
    run_download,
)
