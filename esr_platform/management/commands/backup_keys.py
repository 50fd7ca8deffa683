from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from esr_platform.backups import BackupProblem
from esr_platform.backups.keys import create


class Command(BaseCommand):
    help = "Create the two key pairs of backups: private keys in a folder, and settings with the public keys."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="folder for the private keys")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            public = create(options["folder"])
        except BackupProblem as problem:
            raise CommandError(str(problem)) from problem
        for name, key in public.items():
            self.stdout.write(f"{name}={key}")
