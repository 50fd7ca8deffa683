from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.ledger.rebuild import Rebuild, rerate


class Command(BaseCommand):
    help = "Rebuild all ratings from the ledger of results."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="change nothing; exit with code 1 if a rating differs from the ledger"
        )
        parser.add_argument("--records", action="store_true", help="also verify the hash of every stored record")

    def handle(self, *_args: Any, **options: Any) -> None:
        check = options["check"]
        rebuilds = rerate(check=check, records=options["records"])
        for rebuild in rebuilds:
            self._report(rebuild)
        if check and any(rebuild.count for rebuild in rebuilds):
            raise CommandError("The ratings differ from the ledger. Run `manage.py rerate` to rebuild them.")

    def _report(self, rebuild: Rebuild) -> None:
        self.stdout.write(f"{rebuild.ladder}: {rebuild.results} results, {rebuild.count} differences")
        for difference in rebuild.differences:
            self.stdout.write(f"  {difference}")
        if rebuild.count > len(rebuild.differences):
            self.stdout.write(f"  and {rebuild.count - len(rebuild.differences)} more differences")
