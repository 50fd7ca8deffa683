"""Commands for games, new bots and game records: ``esr games``, ``rules``, ``new-bot`` and ``verify``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from rich.markdown import Markdown
from rich.progress import TextColumn

from bots.cli.frame import FOUND, Screen, SubCommand, UsageError, table_of
from bots.cli.programs import HOUSE_PREFIX, game_argument, game_of, house_bots
from bots.cli.records import RecordFault, check_file
from bots.manifest import MAX_NAME
from bots.starter_kits import KITS, Kit, bot_files
from games import words
from games.game import Game
from games.registry import GAMES
from games.words import either

# --- esr games -------------------------------------------------------------------------------------------------------


def games_arguments(_parser: ArgumentParser) -> None:
    """``esr games`` has no arguments."""


def run_games(_options: Namespace, screen: Screen) -> int:
    """List every game of the registry."""
    games = [_about(game) for game in GAMES.values()]
    headings = "Game", "Name", "Seats", f"House bots ({HOUSE_PREFIX}…)"
    bots = [", ".join(bot.removeprefix(HOUSE_PREFIX) for bot in about["house_bots"]) for about in games]
    rows = [
        (about["game"], about["name"], either(about["seats"]), names) for about, names in zip(games, bots, strict=True)
    ]
    screen.show(table_of(headings, rows))
    screen.answer({"ok": True, "games": games})
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


GAMES_COMMAND = SubCommand(
    "games",
    "List the games and the house bots that play them.",
    "Use the names in the last column as opponents in `esr play`, for example house:random.",
    games_arguments,
    run_games,
)


# --- esr rules -------------------------------------------------------------------------------------------------------


def rules_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr rules``."""
    game_argument(parser)
    parser.add_argument("--plain", action="store_true", help="print plain Markdown, also on a terminal")


def run_rules(options: Namespace, screen: Screen) -> int:
    """Print the rules with symbols replaced by words: formatted on a terminal, as Markdown otherwise."""
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


RULES_COMMAND = SubCommand(
    "rules",
    "Print the rules of a game.",
    """\
examples:
  esr rules edel-stein-reich | less

The documentation describes the notation of moves on the page "The record of a game", and the messages to a bot on the
page "Views, decisions and logs".""",
    rules_arguments,
    run_rules,
)


# --- esr new-bot -----------------------------------------------------------------------------------------------------


def write_bot(folder: Path, game: Game, kit: Kit) -> list[Path]:
    """Create a bot for ``game`` in ``folder`` and return its files.

    Raises ``UsageError`` if the folder is not empty, cannot be written, or has a name that is not a valid bot name.
    """
    name = folder.resolve().name
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise UsageError(f"The folder name is also the bot name and must have 1 to {MAX_NAME} printable characters.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty. Choose a new folder; existing files are never overwritten.")
        for file, text in bot_files(name, game, kit.name).items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"Cannot write {folder}: {error.strerror}.") from error
    return sorted(folder.iterdir())


def new_bot_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr new-bot``."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="new or empty folder; its name becomes the bot name")
    game_argument(parser, "--game", required=True)
    parser.add_argument(
        "--language", choices=[*KITS], default=next(iter(KITS)), metavar="LANGUAGE",
        help=f"programming language: {', '.join(KITS)} (default: %(default)s)",
    )  # fmt: skip


def run_new_bot(options: Namespace, screen: Screen) -> int:
    """Create the folder and show the next steps."""
    game = game_of(options.game)
    folder: Path = options.folder
    kit = KITS[options.language]
    written = write_bot(folder, game, kit)
    screen.say(f"Created a bot for {game.name} in {folder}: {', '.join(path.name for path in written)}")
    build = f"`{kit.build}` in this folder, then " if kit.build else ""
    screen.say(f"Next: run {build}`esr check {folder}`, then edit {kit.strategy}. See README.md for more commands.")
    screen.answer({"ok": True, "game": game.slug, "language": kit.name, "files": [str(path) for path in written]})
    return 0


NEW_BOT_COMMAND = SubCommand(
    "new-bot",
    "Create a bot from a template.",
    """\
examples:
  esr new-bot mybot --game edel-stein-reich
  esr new-bot gopher --game edel-stein-reich --language go

The bot uses only what comes with its language, and has tests. In Python and JavaScript it works without changes: you
can check, play and upload the folder immediately. In other languages, run `make` in the folder first.""",
    new_bot_arguments,
    run_new_bot,
)


# --- esr verify ------------------------------------------------------------------------------------------------------


def verify_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr verify``."""
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="file with one game record per line, or with one JSON document",
    )


def run_verify(options: Namespace, screen: Screen) -> int:
    """Verify every file. Report faults as they are found, then a summary."""
    files: list[Path] = options.files
    faults: list[RecordFault] = []
    records = unread = 0
    with screen.progress(TextColumn("{task.fields[records]} records")) as progress:
        total = sum(path.stat().st_size for path in files if path.is_file())
        task = progress.add_task("Verifying", total=total, records=0)
        for path in files:
            for checked in check_file(path):
                whole_file = checked.fault is not None and not checked.fault.line
                unread += whole_file
                records += not whole_file
                progress.update(task, advance=checked.read, records=records)
                if checked.fault is not None:
                    faults.append(checked.fault)
                    screen.say(str(checked.fault))
    screen.answer({"ok": not faults, "records": records, "faults": [fault.document() for fault in faults]})
    if faults:
        if records:
            screen.say(f"{len(faults) - unread} of {_records(records)} failed verification.", "red")
        if unread:
            screen.say(f"{'1 file has' if unread == 1 else f'{unread} files have'} no game records to verify.", "red")
        return FOUND
    screen.say(f"{_records(records)} verified.")
    return 0


def _records(count: int) -> str:
    return f"{count} record" if count == 1 else f"{count} records"


VERIFY_COMMAND = SubCommand(
    "verify",
    "Verify game records by replaying them from their seeds.",
    """\
examples:
  esr play edel-stein-reich-duel house:random house:random --record games.jsonl
  esr verify games.jsonl
  esr download edel-stein-reich-3 && esr verify edel-stein-reich-3.jsonl

The exit code is 1 if a record is invalid. The message names the file, the line and the ply.""",
    verify_arguments,
    run_verify,
)
