"""Commands about games and new bots: ``esr games``, ``rules``, ``new-bot`` and ``verify``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markdown import Markdown
from rich.progress import TextColumn
from rich.table import Table

from bots.cli.frame import FOUND, Command, Screen, UsageError
from bots.cli.programs import HOUSE_PREFIX, game_of, house_bots
from bots.cli.records import Fault, check_file
from bots.manifest import MAX_NAME
from bots.starter_kits import bot_files
from games import words
from games.game import Game
from games.registry import GAMES
from games.words import either

# --- esr games -------------------------------------------------------------------------------------------------------


def games_arguments(_parser: ArgumentParser) -> None:
    """None."""


def run_games(_options: Namespace, screen: Screen) -> int:
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
        "rules": game.rules.version,
        "seats": list(game.seat_counts),
        "house_bots": list(bots),
    }


GAMES_COMMAND = Command(
    "games",
    "List the games and the house bots that play them.",
    "The names in the last column are what `esr play` takes as opponents.",
    games_arguments,
    run_games,
)


# --- esr rules -------------------------------------------------------------------------------------------------------


def rules_arguments(parser: ArgumentParser) -> None:
    """The game."""
    parser.add_argument("game", metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("--plain", action="store_true", help="the text as it is written, in Markdown")


def run_rules(options: Namespace, screen: Screen) -> int:
    """Show the game's guide, with words for its symbols; laid out on a terminal, plain Markdown elsewhere."""
    game = game_of(options.game)
    guide = words.in_words(game.presentation.guide, game.presentation.drawn).strip()
    heading = f"# {game.name}\n\n{words.either(game.seat_counts)} seats · `{game.slug}`, rules {game.rules.version}\n\n"
    if screen.console.is_terminal and not options.plain:
        screen.show(Markdown(heading + guide))
    else:
        screen.say(heading + guide)
    about = {
        "ok": True,
        "game": game.slug,
        "name": game.name,
        "rules": game.rules.version,
        "seats": list(game.seat_counts),
    }
    screen.answer({**about, "guide": guide})
    return 0


RULES_COMMAND = Command(
    "rules",
    "Explain a game: what one decides, what counts, who wins.",
    """\
  esr rules edel-stein-reich | less

How moves are written is in docs/record.md, what a bot sees in docs/views.md.""",
    rules_arguments,
    run_rules,
)


# --- esr new-bot -----------------------------------------------------------------------------------------------------


def write_bot(folder: Path, game: Game) -> list[Path]:
    """Write a bot for ``game`` into ``folder``, which is new or empty; the files. Raises ``UsageError``."""
    name = folder.resolve().name
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise UsageError(f"The folder's name becomes the bot's: 1 to {MAX_NAME} printable characters, please.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty. Name a new folder: nothing is ever overwritten.")
        for file, text in bot_files(name, game).items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.") from error
    return sorted(folder.iterdir())


def new_bot_arguments(parser: ArgumentParser) -> None:
    """Where, and for which game."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that is new or empty; its name is the bot's")
    parser.add_argument("--game", required=True, metavar="GAME", help=", ".join(GAMES))


def run_new_bot(options: Namespace, screen: Screen) -> int:
    """Write the folder and say what to do next."""
    game = game_of(options.game)
    folder: Path = options.folder
    written = write_bot(folder, game)
    screen.say(f"{folder} has a bot for {game.name}: {', '.join(path.name for path in written)}")
    screen.say(f"  esr check {folder}\n  then change strategy.py; README.md says what else there is")
    screen.answer({"ok": True, "game": game.slug, "files": [str(path) for path in written]})
    return 0


NEW_BOT_COMMAND = Command(
    "new-bot",
    "Write a first bot that plays at once: commented, with a test, and nothing but Python's standard library.",
    "  esr new-bot mybot --game edel-stein-reich\n\nThe folder can be checked, played and uploaded as it is.",
    new_bot_arguments,
    run_new_bot,
)


# --- esr verify ------------------------------------------------------------------------------------------------------


def verify_arguments(parser: ArgumentParser) -> None:
    """Any number of files."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="records, one a line")


def run_verify(options: Namespace, screen: Screen) -> int:
    """Check every file; faults are said as they are found, and a count at the end."""
    files: list[Path] = options.files
    faults: list[Fault] = []
    records = 0
    with screen.progress(TextColumn("{task.fields[records]} records")) as progress:
        total = sum(path.stat().st_size for path in files if path.is_file())
        task = progress.add_task("verifying", total=total, records=0)
        for path in files:
            for checked in check_file(path):
                records += 1
                progress.update(task, advance=checked.read, records=records)
                if checked.fault is not None:
                    faults.append(checked.fault)
                    screen.say(str(checked.fault))
    screen.answer({"ok": not faults, "records": records, "faults": [fault.document() for fault in faults]})
    if faults:
        screen.say(f"{len(faults)} of {records} records are wrong.", "red")
        return FOUND
    screen.say(f"{records} records, all right.")
    return 0


VERIFY_COMMAND = Command(
    "verify",
    "Re-execute records from their seeds and say what is wrong where.",
    "A file has one record a line (as `esr play --record` writes them), or is one JSON document.",
    verify_arguments,
    run_verify,
)
