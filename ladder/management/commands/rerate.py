from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.rebuilding import rerate


class Command(BaseCommand):
    help = "Rebuild all ratings from the ordered ledger of results."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="change nothing; exit code 1 if a number is not what the ledger gives"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        check = options["check"]
        rebuilds = rerate(check=check)
        for rebuild in rebuilds:
            found = len(rebuild.differences)
            self.stdout.write(f"{rebuild.ladder}: {rebuild.results} results, {found} differences")
            for difference in rebuild.differences:
                self.stdout.write(f"  {difference}")
        if check and any(rebuild.differences for rebuild in rebuilds):
            raise CommandError("The ratings differ from the ledger. `manage.py rerate` rebuilds them.")
