"""``manage.py play GAME BOT…``: games between bots on this machine, without database or broker."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bots.local.faults import UsageError
from bots.local.printing import incidents, result_table
from bots.local.seating import find_game, read_limits, seat_bots
from bots.local.series import Series, play_series
from bots.local.tallies import Tallies
from bots.runner import HouseProgram, Launcher, LocalProgram, PlatformFailure
from bots.sandbox import PlainLauncher, SandboxLauncher, self_test
from games.record import to_json
from games.registry import GAMES

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""


class Command(BaseCommand):
    """Uses no database."""

    help = "Plays games between bots on this machine: house bots (house:greedy) and folders with a bot.py."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """The game, the bots in the order of their seats, and how to play."""
        parser.add_argument("game", help=", ".join(GAMES))
        parser.add_argument("bots", nargs="+", metavar="bot", help="house:greedy, or a folder with a bot.py")
        parser.add_argument("--games", type=int, default=1, help="how many games (1)")
        parser.add_argument("--seed", help="game i, from 0, has the seed SHA-256(play/SEED/i); default: a new one")
        parser.add_argument("--rotate", action="store_true", help="everybody moves on by one seat after every game")
        parser.add_argument("--record", type=Path, metavar="FILE", help="write the records there, one a line")
        parser.add_argument("--limits", default="", help="such as move_ms=500,bank_ms=2000")
        parser.add_argument("--sandbox", action="store_true", help="put every seat in the sandbox")

    def handle(self, *_: Any, **options: Any) -> None:
        """Play, then show the table; whatever went wrong at a seat is shown as it happens."""
        try:
            series = self.series(options)
            launcher = self.launcher(options["sandbox"])
        except UsageError as error:
            raise CommandError(str(error)) from error
        tallies = Tallies.between([bot.label for bot in series.bots])
        console = Console()
        try:
            self.play(series, launcher, tallies, options["record"], console)
        except UsageError as error:
            raise CommandError(str(error)) from error
        except PlatformFailure as error:
            raise CommandError(f"This machine failed, not a bot: {error}") from error
        except KeyboardInterrupt:
            console.print("Stopped.")
            raise SystemExit(INTERRUPTED) from None
        finally:
            if tallies.ranked():
                console.print(result_table(tallies, f"{series.game}, seed {series.seed}"))

    def series(self, options: dict[str, Any]) -> Series[HouseProgram | LocalProgram]:
        """What the command line asks for."""
        bots = seat_bots(options["bots"])
        game = find_game(options["game"], len(bots))
        seed = options["seed"] if options["seed"] is not None else str(secrets.randbelow(1_000_000))
        if not seed.isascii():
            raise UsageError("The seed may hold ASCII characters only.")
        if options["games"] < 1:
            raise UsageError("There is at least 1 game to play.")
        limits = read_limits(options["limits"])
        return Series(game.slug, bots, seed, options["games"], limits, options["rotate"])

    def launcher(self, sandbox: bool) -> Launcher[HouseProgram | LocalProgram]:
        """Plain processes, or with ``sandbox`` the one that the ladder uses."""
        if not sandbox:
            return PlainLauncher()
        test = self_test()
        if not test.ok:
            raise UsageError(f"The sandbox does not work here: {test.problem} {test.remedy}")
        return SandboxLauncher()

    def play(
        self,
        series: Series[HouseProgram | LocalProgram],
        launcher: Launcher[HouseProgram | LocalProgram],
        tallies: Tallies,
        record: Path | None,
        console: Console,
    ) -> None:
        """Play every game, count it, write its record at once."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with ExitStack() as stack:
            out = stack.enter_context(open_record(record)) if record else None
            progress = stack.enter_context(
                Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
            )
            task = progress.add_task(series.game, total=series.games)
            for played in play_series(series, launcher):
                tallies.add(played)
                if out:
                    out.write(to_json(played.report.record) + "\n")
                    out.flush()
                for line in incidents(played):
                    progress.console.print(line, markup=False, highlight=False, soft_wrap=True)
                progress.advance(task)


def open_record(path: Path) -> IO[str]:
    """``path`` for writing. Raises ``UsageError`` where that is impossible."""
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
