from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.exports.tables import export


class Command(BaseCommand):
    help = "Write all results into a folder, as Parquet files with a table each, and what their columns mean."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="is made where it is missing; files are replaced")
        parser.add_argument("--private", action="store_true", help="with private ladders; keep the files to yourself")

    def handle(self, *_args: Any, **options: Any) -> None:
        began = perf_counter()
        try:
            rows = export(options["folder"], options["private"])
        except OSError as error:
            raise CommandError(f"{options['folder']} cannot be written ({error.strerror}).") from error
        for name, count in rows.items():
            self.stdout.write(f"{name}.parquet: {count} rows")
        self.stdout.write(f"{options['folder']}: {len(rows)} tables in {perf_counter() - began:.1f} s")
