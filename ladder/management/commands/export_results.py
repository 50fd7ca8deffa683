from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.exports.tables import export


class Command(BaseCommand):
    help = "Export all results as Parquet files, one per table, with a description of the columns."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="output folder; existing files are replaced")
        parser.add_argument("--private", action="store_true", help="include private ladders")

    def handle(self, *_args: Any, **options: Any) -> None:
        began = perf_counter()
        try:
            rows = export(options["folder"], options["private"])
        except OSError as error:
            raise CommandError(f"Cannot write {options['folder']}: {error.strerror}.") from error
        for name, count in rows.items():
            self.stdout.write(f"{name}.parquet: {count} rows")
        self.stdout.write(f"Exported {len(rows)} tables to {options['folder']} in {perf_counter() - began:.1f} s.")
