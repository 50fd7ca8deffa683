from __future__ import annotations

import signal
from argparse import SUPPRESS
from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from esr_platform.backups import BackupProblem
from esr_platform.backups.drill import drill
from esr_platform.backups.keys import private_key
from esr_platform.backups.restore import restore


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty site, upgrade it to this version, and verify ratings, records and deals. "
        "Exit codes: 0 restored and verified, 1 not restored or faults found (details are printed)."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="file of `manage.py backup`")
        parser.add_argument("--key", type=Path, required=True, metavar="FILE", help="private key of BACKUP_KEY")
        parser.add_argument(
            "--deals-key", type=Path, required=True, metavar="FILE", help="private key of BACKUP_DEALS_KEY"
        )
        parser.add_argument(
            "--drill", action="store_true", help="restore into a temporary site, verify it and delete it again"
        )
        parser.add_argument("--temporary", action="store_true", help=SUPPRESS)  # the drill restores into such a site

    def handle(self, *_args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that temporary data is deleted
        began, path = perf_counter(), options["file"]
        try:
            if options["drill"]:
                self._drill(options)
                return
            keys = private_key(options["key"]), private_key(options["deals_key"])
            faults = restore(
                path,
                *keys,
                self.stdout.write,
                lambda text: self.stderr.write(f"Warning: {text}"),
                temporary=options["temporary"],
            )
        except BackupProblem as problem:
            raise CommandError(str(problem)) from problem
        except KeyboardInterrupt:
            raise CommandError("Interrupted. The command refuses to run again if the site is not empty.") from None
        for fault in faults:
            self.stderr.write(fault)
        if faults:
            raise CommandError(f"The backup is restored, but {len(faults)} faults were found.")
        self.stdout.write(f"Restored and verified {path} in {perf_counter() - began:.1f} s.")

    def _drill(self, options: dict[str, Any]) -> None:
        if drill(options["file"], options["key"], options["deals_key"]):
            raise CommandError("The drill failed. The temporary site is deleted.")
        self.stdout.write("The drill succeeded. The temporary site is deleted.")
