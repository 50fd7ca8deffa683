"""``esr games``: what there is to play, and with which house bots."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from bots.local.command import Command
from bots.local.screen import Screen
from bots.local.seating import HOUSE_PREFIX, house_bots
from games.base import Game
from games.registry import GAMES
from games.words import either


def arguments(_parser: ArgumentParser) -> None:
    """None."""


def run(_options: Namespace, screen: Screen) -> int:
    """Show every game of the registry."""
    found = [_about(game) for game in GAMES.values()]
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    for heading in ("Game", "Name", "Seats"):
        table.add_column(heading, no_wrap=True)
    table.add_column(f"House bots ({HOUSE_PREFIX}…)", overflow="fold")
    for about in found:
        names = [bot.removeprefix(HOUSE_PREFIX) for bot in about["house_bots"]]
        table.add_row(about["game"], about["name"], either(about["seats"]), ", ".join(names))
    screen.show(table)
    screen.answer({"ok": True, "games": found})
    return 0


def _about(game: Game) -> dict[str, Any]:
    bots = {HOUSE_PREFIX + name: None for seats in game.seat_counts for name in house_bots(game, seats)}
    return {
        "game": game.slug,
        "name": game.name,
        "rules": game.rules,
        "seats": list(game.seat_counts),
        "house_bots": list(bots),
    }


COMMAND = Command(
    "games",
    "List the games and the house bots that play them.",
    "The names in the last column are what `esr play` takes as opponents.",
    arguments,
    run,
)
