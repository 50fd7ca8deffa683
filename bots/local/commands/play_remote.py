"""``esr play-remote BOT --ladder L``: let a bot of this machine play on the site, as a remote bot."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import suppress
from typing import Any, Final

from bots.client import Client, ClientError, Closed, GameEnd, GameStart, Incident, Problem, Session, calls
from bots.local.asking import bot_argument, site_client
from bots.local.command import Command
from bots.local.faults import FOUND, UsageError
from bots.local.launching import launcher_for, python_argument, require_one_way, sandbox_argument
from bots.local.programs import Played, find_played
from bots.local.remote import ProcessPlayer
from bots.local.screen import Screen
from games.registry import GAMES

_NOT_FOUND: Final = 404
_MAY_NOT: Final = 403


def arguments(parser: ArgumentParser) -> None:
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


def run(options: Namespace, screen: Screen) -> int:
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
        return str(client.do(calls.my_bot(options.bot))["slug"])
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


COMMAND = Command(
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
    arguments,
    run,
)
