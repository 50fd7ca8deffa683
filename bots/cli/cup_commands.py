"""``esr cup``: list the cups of a site, enter and withdraw bots, and show the standings of a cup."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from math import ceil
from typing import Any, Final
from urllib.parse import quote

from bots.cli.frame import Screen, SubCommand, table_of
from bots.cli.site import find_credentials, site_client
from games.registry import GAMES

_OPEN: Final = ("registration", "ready", "running")
_STATES: Final = {
    "registration": "Registration open",
    "ready": "Registration closed",
    "running": "Running",
    "finished": "Finished",
    "cancelled": "Canceled",
}
_LEFT: Final = ("withdrawn", "disqualified")
_MOST_CUPS: Final = 100
"""Maximum number of cups per state in a list."""

_LEADERS: Final = 10
"""Rows of the standings that are shown besides your own bots. ``--json`` contains all of them."""


def cup_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr cup`` and its subcommands."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listed = _action(actions, "list", "list the public cups", _run_list)
    listed.add_argument("--state", choices=_STATES, help="only cups in this state (default: all open cups)")
    listed.add_argument("--mine", action="store_true", help="only cups that you organize or have entered")
    listed.add_argument("--game", choices=list(GAMES), help="only cups of this game")
    status = _action(actions, "status", "show the state and the standings of a cup", _run_status)
    status.add_argument("cup", metavar="CUP", help="slug of the cup, as in the URL of its page")
    for name, help_, run in (
        ("enter", "enter your bot", _run_enter),
        ("withdraw", "withdraw your bot", _run_withdraw),
    ):
        action = _action(actions, name, help_, run)
        action.add_argument("cup", metavar="CUP", help="slug of the cup, as in the URL of its page")
        action.add_argument("bot", metavar="BOT", help="slug of your bot")


def _action(actions: Any, name: str, help_: str, run: Callable[[Namespace, Screen], int]) -> ArgumentParser:
    parser: ArgumentParser = actions.add_parser(name, help=help_, description=f"{help_.capitalize()}.")
    parser.add_argument("--json", action="store_true", default=SUPPRESS, help="print one JSON document instead of text")
    parser.set_defaults(action=run)
    return parser


def run_cup(options: Namespace, screen: Screen) -> int:
    """Run the selected action."""
    action: Callable[[Namespace, Screen], int] = options.action
    return action(options, screen)


# --- esr cup list ----------------------------------------------------------------------------------------------------


def _run_list(options: Namespace, screen: Screen) -> int:
    states = _OPEN if options.state is None else (options.state,)
    wanted = {} if options.game is None else {"game": options.game}
    if options.mine:
        wanted["mine"] = "true"
    with site_client(needs_token=options.mine) as client:
        cups = [cup for state in states for cup in islice(client.each("cups", state=state, **wanted), _MOST_CUPS)]
    if options.state is None:
        cups.sort(key=lambda cup: (cup["starts_at"], cup["id"]))
    if cups:
        rows = [
            (cup["slug"], cup["title"], _format(cup), _state(cup), _time(cup["starts_at"]), _filled(cup))
            for cup in cups
        ]
        screen.show(table_of(("Cup", "Title", "Format", "Status", "Start (UTC)", "Entries"), rows))
    else:
        hint = " Add `--state finished` to list finished cups." if options.state is None else ""
        screen.say(f"No cups found.{hint}")
    screen.answer({"ok": True, "cups": cups})
    return 0


def _format(cup: dict[str, Any]) -> str:
    game = GAMES[cup["game"]].name if cup["game"] in GAMES else cup["game"]
    return f"{game}, {cup['seats']} players, {cup['format'].replace('-', ' ')}"


def _state(cup: dict[str, Any]) -> str:
    paused = cup["paused"] and cup["ended"] is None
    return "Paused" if paused else _STATES.get(cup["state"], cup["state"])


def _filled(cup: dict[str, Any]) -> str:
    return f"{cup['entries']} of {cup['capacity']}" if cup["state"] == "registration" else str(cup["entries"])


def _time(text: str) -> str:
    return datetime.fromisoformat(text).strftime("%d %b %Y, %H:%M")


# --- esr cup enter, esr cup withdraw ---------------------------------------------------------------------------------


def _run_enter(options: Namespace, screen: Screen) -> int:
    with site_client() as client:
        entry = client.enter_cup(options.cup, options.bot)
        cup = client.get(f"cups/{entry['cup']}")
    screen.say(f"{entry['name']} was entered in {cup['title']}.")
    screen.say(f"Registration closes on {_time(cup['closes_at'])} UTC. The version that is active then will play.")
    screen.answer({"ok": True, "entry": entry, "cup": cup})
    return 0


def _run_withdraw(options: Namespace, screen: Screen) -> int:
    with site_client() as client:
        entry = client.withdraw_from_cup(options.cup, options.bot)
    screen.say(f"{entry['name']} was withdrawn from {options.cup}.")
    screen.answer({"ok": True, "entry": entry})
    return 0


# --- esr cup status --------------------------------------------------------------------------------------------------


def _run_status(options: Namespace, screen: Screen) -> int:
    path = f"cups/{quote(options.cup, safe='')}"
    credentials = find_credentials(needs_token=False)
    with site_client(credentials=credentials) as client:
        cup = client.get(path)
        standings = client.get(f"{path}/standings")["results"]
        entries = list(client.each(f"{path}/entries", limit=200))
        own = str(client.get("token")["owner"]) if credentials.token else ""
    _show(cup, standings, entries, own, screen)
    screen.answer({"ok": True, "cup": cup, "standings": standings, "entries": entries})
    return 0


def _show(
    cup: dict[str, Any],
    standings: Sequence[dict[str, Any]],
    entries: Sequence[dict[str, Any]],
    own: str,
    screen: Screen,
) -> None:
    screen.say(f"{cup['title']}: {_state(cup)}")
    if cup["reason"]:
        screen.say(f"Reason: {cup['reason']}")
    screen.say(f"{_format(cup)}, organized by {cup['organizer'] or 'a deleted user'}")
    screen.say(f"Registration closes: {_time(cup['closes_at'])} UTC. Start: {_time(cup['starts_at'])} UTC.")
    if cup["schedule"] and cup["schedule"]["seconds"] is not None:
        screen.say(f"Estimated duration of the remaining rounds: {ceil(cup['schedule']['seconds'] / 60)} min")
    rows = standings or entries
    if not rows:
        hint = f" Run `esr cup enter {cup['slug']} BOT`." if cup["state"] == "registration" else ""
        screen.say(f"No bots entered yet.{hint}")
        return
    rounds = cup["rounds_ended"]
    screen.say(
        f"Standings after {rounds} {'round' if rounds == 1 else 'rounds'}:" if standings else f"Entries: {_filled(cup)}"
    )
    shown = [row for place, row in enumerate(rows) if place < _LEADERS or row["owner"] == own != ""]
    headings = ("#", "Bot", "Owner", "Match points", "Byes") if standings else ("Bot", "Owner", "Version", "Status")
    cells = [(_standing if standings else _entry)(row) for row in shown]
    screen.show(table_of(headings, cells))
    if len(rows) > len(shown):
        screen.say(f"{len(rows) - len(shown)} more. Use `--json` to list all of them.")


def _standing(row: dict[str, Any]) -> tuple[str, ...]:
    left = f" ({row['state']})" if row["state"] in _LEFT else ""
    return str(row["rank"]), f"{row['name']}{left}", row["owner"] or "", str(row["match_points"]), str(row["byes"])


def _entry(row: dict[str, Any]) -> tuple[str, ...]:
    reason = f": {row['reason']}" if row["reason"] else ""
    version = "active version" if row["version"] is None else f"v{row['version']}"
    return row["name"], row["owner"] or "", version, f"{row['state'].capitalize()}{reason}"


CUP_COMMAND = SubCommand(
    "cup",
    "List cups, enter or withdraw a bot, and show standings.",
    """\
examples:
  esr cup list
  esr cup list --state finished --game edel-stein-reich
  esr cup enter winter-cup citrine
  esr cup status winter-cup
  esr cup withdraw winter-cup citrine

The slug of a cup is in the URL of its page. `enter` and `withdraw` need a token with the scope `manage`, `list --mine`
needs one with the scope `read`. The version that is active when registration closes plays in the cup. If you
withdraw after that, your bot ranks last in every game of its undecided table.""",
    cup_arguments,
    run_cup,
)
