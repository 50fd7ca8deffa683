"""``esr play GAME BOT…``: games between bots on this machine, without database or network."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.progress import MofNCompleteColumn

from bots.local.command import Command
from bots.local.faults import UsageError
from bots.local.keeping import logs_folder, records_file, write_logs, write_record
from bots.local.launching import (
    Local,
    MakeLauncher,
    launcher_for,
    python_argument,
    require_one_way,
    sandbox_argument,
    warn_about_plain,
)
from bots.local.parallel import play_at_once
from bots.local.printing import incidents, result_table
from bots.local.screen import Screen
from bots.local.seating import find_game, read_limits, seat_bots
from bots.local.tallies import Tallies
from bots.runner.machine import cores
from bots.series import Played, Series, play_series
from games.registry import GAMES


def arguments(parser: ArgumentParser) -> None:
    """The game, the bots in the order of their seats, and how to play."""
    parser.add_argument("game", metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("bots", nargs="*", metavar="BOT", help="house:random, or the folder of a bot")
    parser.add_argument(
        "--command", dest="commands", action="append", default=[], metavar="CMD",
        help="command line that plays as a bot, after the bots above; repeat it for more; runs without a sandbox",
    )  # fmt: skip
    python_argument(parser)
    parser.add_argument("--games", type=int, default=1, metavar="N", help="how many games (1)")
    parser.add_argument("--seed", help="game i, from 0, has the seed SHA-256(play/SEED/i); default: a new one")
    parser.add_argument("--rotate", action="store_true", help="everybody moves on by one seat after every game")
    parser.add_argument(
        "--parallel", type=int, nargs="?", const=0, default=1, metavar="N",
        help="play N games at once; without N as many as there are processors",
    )  # fmt: skip
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the records there, one a line")
    parser.add_argument("--logs", type=Path, metavar="DIR", help="write every record and every seat's log there")
    parser.add_argument("--limits", default="", help="such as move_ms=500,bank_ms=2000")
    sandbox_argument(parser)


def run(options: Namespace, screen: Screen) -> int:
    """Play, then show the table; whatever went wrong at a seat is shown as it happens."""
    series = series_of(options)
    make_launcher = launcher_for(options.sandbox)
    warn_about_plain(screen, options.sandbox, [bot.program for bot in series.bots])
    tallies = Tallies.between([bot.label for bot in series.bots])
    games: list[dict[str, Any]] = []
    try:
        _play(series, make_launcher, options, screen, tallies, games)
    finally:
        if tallies.ranked():
            screen.show(result_table(tallies, f"{series.game}, seed {series.seed}"))
    answer = {"ok": True, "game": series.game, "seed": series.seed, "games": games}
    screen.answer({**answer, "table": [tally.document() for tally in tallies.ranked()]})
    return 0


def series_of(options: Namespace) -> Series[Local]:
    """What the command line asks for. Raises ``UsageError``."""
    require_one_way(options.sandbox, options.python, options.commands)
    if not options.bots and not options.commands:
        raise UsageError("No bots. Name a folder or a house bot such as house:random for every seat, or use --command.")
    game = find_game(options.game, len(options.bots) + len(options.commands))
    bots = seat_bots(options.bots, game, options.commands, options.python)
    seed = options.seed if options.seed is not None else str(secrets.randbelow(1_000_000))
    if not seed.isascii():
        raise UsageError("The seed may hold ASCII characters only.")
    if options.games < 1:
        raise UsageError("There is at least 1 game to play.")
    if options.parallel < 0:
        raise UsageError("At least 1 game is played at once.")
    return Series(game.slug, bots, seed, options.games, read_limits(options.limits), options.rotate)


def _play(
    series: Series[Local],
    make_launcher: MakeLauncher,
    options: Namespace,
    screen: Screen,
    tallies: Tallies,
    games: list[dict[str, Any]],
) -> None:
    """Play every game, count it, write its files at once."""
    folder = logs_folder(options.logs)
    with records_file(options.record) as records, screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(series.game, total=series.games)
        for played in _played(series, make_launcher, options.parallel or cores(), folder is not None):
            tallies.add(played)
            games.append(played.document())
            write_record(records, played)
            write_logs(folder, played)
            for line in incidents(played):
                screen.say(line)
            progress.advance(task)


def _played(series: Series[Local], make_launcher: MakeLauncher, at_once: int, keep: bool) -> Iterator[Played]:
    if min(at_once, series.games) > 1:
        return play_at_once(series, make_launcher, min(at_once, series.games), keep)
    return play_series(series, make_launcher(), keep)


COMMAND = Command(
    "play",
    "Play games between bots on this machine: your own folders, house bots and commands.",
    """\
  esr play edel-stein-reich mybot house:greedy house:random
  esr play edel-stein-reich mybot house:greedy house:random --games 200 --rotate --parallel --record games.jsonl
  esr play edel-stein-reich-duel mybot house:random --logs logs     what was asked and answered, to look into
  esr play edel-stein-reich-duel house:kontor --command 'node bot.js'
  esr play edel-stein-reich-duel house:kontor mybot --python .venv --limits startup_ms=60000

A bot is a folder with a bot.py or a bot.toml, one .py file, or a house bot (`esr games` lists them). Strikes, forfeits
and what a bot writes to stderr are shown as they happen; none of that is an error of this command.

A command speaks the bot protocol on stdin and stdout. It runs as in your shell, with your environment, without a
sandbox and without the memory limit of the site. --python runs your Python bots in the same way with the packages of a
virtual environment, such as numpy or torch. The limits of time are those of the site; --limits changes them.""",
    arguments,
    run,
)
