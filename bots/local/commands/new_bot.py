"""``esr new-bot DIR --game GAME``: the folder of a first bot, which plays as it is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from bots.local.command import Command
from bots.local.screen import Screen
from bots.local.seating import game_of
from bots.local.starting import write_bot
from games.registry import GAMES


def arguments(parser: ArgumentParser) -> None:
    """Where, and for which game."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that is new or empty; its name is the bot's")
    parser.add_argument("--game", required=True, metavar="GAME", help=", ".join(GAMES))


def run(options: Namespace, screen: Screen) -> int:
    """Write the folder and say what to do next."""
    game = game_of(options.game)
    folder: Path = options.folder
    written = write_bot(folder, game)
    screen.say(f"{folder} has a bot for {game.name}: {', '.join(path.name for path in written)}")
    screen.say(f"  esr check {folder}\n  then change strategy.py; README.md says what else there is")
    screen.answer({"ok": True, "game": game.slug, "files": [str(path) for path in written]})
    return 0


COMMAND = Command(
    "new-bot",
    "Write a first bot that plays at once: commented, with a test, and nothing but Python's standard library.",
    "  esr new-bot mybot --game edel-stein-reich\n\nThe folder can be checked, played and uploaded as it is.",
    arguments,
    run,
)
