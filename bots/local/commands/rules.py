"""``esr rules GAME``: how a game is played, for somebody who has never seen it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from rich.markdown import Markdown

from bots.local.command import Command
from bots.local.screen import Screen
from bots.local.seating import game_of
from games import words
from games.registry import GAMES


def arguments(parser: ArgumentParser) -> None:
    """The game."""
    parser.add_argument("game", metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("--plain", action="store_true", help="the text as it is written, in Markdown")


def run(options: Namespace, screen: Screen) -> int:
    """Show the game's guide, with words for its symbols; laid out on a terminal, plain Markdown elsewhere."""
    game = game_of(options.game)
    guide = words.in_words(game.guide, game.drawn).strip()
    heading = f"# {game.name}\n\n{words.either(game.seat_counts)} seats · `{game.slug}`, rules {game.rules}\n\n"
    if screen.console.is_terminal and not options.plain:
        screen.show(Markdown(heading + guide))
    else:
        screen.say(heading + guide)
    about = {"ok": True, "game": game.slug, "name": game.name, "rules": game.rules, "seats": list(game.seat_counts)}
    screen.answer({**about, "guide": guide})
    return 0


COMMAND = Command(
    "rules",
    "Explain a game: what one decides, what counts, who wins.",
    """\
  esr rules edel-stein-reich | less

How moves are written is in docs/record.md, what a bot sees in docs/views.md.""",
    arguments,
    run,
)
