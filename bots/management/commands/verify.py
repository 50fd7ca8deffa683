"""``manage.py verify FILE…``: play records again and say what is wrong where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bots.local.escaping import escaped
from bots.local.verifying import check_file


class Command(BaseCommand):
    """Exit status 1 if anything is wrong. Uses no database."""

    help = "Re-executes records (JSON lines, or one JSON document a file) and says what is wrong where."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Any number of files."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="records, one a line")

    def handle(self, *_: Any, **options: Any) -> None:
        """Check every file; faults go to stdout, one a line, and a count at the end."""
        files: list[Path] = options["files"]
        console = Console()
        records = faults = 0
        total = sum(path.stat().st_size for path in files if path.is_file())
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[records]} records"))
        with Progress(
            *columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal
        ) as progress:
            task = progress.add_task("verifying", total=total, records=0)
            for path in files:
                for checked in check_file(path):
                    records += 1
                    progress.update(task, advance=checked.read, records=records)
                    if checked.fault is not None:
                        faults += 1
                        progress.console.print(
                            escaped(str(checked.fault)), markup=False, highlight=False, soft_wrap=True
                        )
        if faults:
            raise CommandError(f"{faults} of {records} records are wrong.", returncode=1)
        self.stdout.write(f"{records} records, all right.")
