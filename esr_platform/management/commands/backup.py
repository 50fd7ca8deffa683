from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from esr_platform.backups import BackupProblem
from esr_platform.backups.backup import back_up


class Command(BaseCommand):
    help = "Write an encrypted backup of the database and the uploads to a new file. The site can keep running."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="file to create")

    def handle(self, *_args: Any, **options: Any) -> None:
        began, path = perf_counter(), options["file"]
        try:
            backup = back_up(path)
        except BackupProblem as problem:
            raise CommandError(str(problem)) from problem
        for name in backup.missing:
            self.stderr.write(
                f"Warning: the upload {name} is missing from the storage, or damaged. The backup lacks it."
            )
        self.stdout.write(
            f"Backed up {backup.rows} rows, {backup.sealed} of them sealed, and {backup.uploads} uploads to {path} "
            f"({path.stat().st_size / 1e6:.1f} MB) in {perf_counter() - began:.1f} s."
        )
