"""``esr status``: what the token may do, and how one's bots are doing on the site."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from bots.client import Client
from bots.local.asking import site_client
from bots.local.command import Command
from bots.local.escaping import escaped
from bots.local.screen import Screen

_PLACES = 3
"""So many ladders of a bot are shown; ``--json`` has all of them."""


def arguments(parser: ArgumentParser) -> None:
    """Which bots."""
    parser.add_argument("bots", nargs="*", metavar="BOT", help="only these bots, by the name in their address")


def run(options: Namespace, screen: Screen) -> int:
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
    if bot["on_leave"]:
        return f"on leave: {bot['leave_reason']}"
    if "remote" not in bot:
        return "plays" if bot["version"] is not None else "does not play yet"
    games = len(bot["remote"]["running"])
    return f"{'here' if bot['remote']['available'] else 'away'}, {games} {'game' if games == 1 else 'games'} running"


COMMAND = Command(
    "status",
    "Show what the token may do, and how one's bots are doing on the site.",
    """\
  esr status
  esr status citrine --json

Version is the one that plays; a newer one that does not stands behind it, with its state.""",
    arguments,
    run,
)
