from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.ledger.rebuild import Rebuild, rerate


class Command(BaseCommand):
    help = "Rebuild all ratings from the ordered ledger of results."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="change nothing; exit code 1 if a number is not what the ledger gives"
        )
        parser.add_argument("--records", action="store_true", help="hash every stored record again, too")

    def handle(self, *_args: Any, **options: Any) -> None:
        check = options["check"]
        rebuilds = rerate(check=check, records=options["records"])
        for rebuild in rebuilds:
            self._say(rebuild)
        if check and any(rebuild.count for rebuild in rebuilds):
            raise CommandError("The ratings differ from the ledger. `manage.py rerate` rebuilds them.")

    def _say(self, rebuild: Rebuild) -> None:
        self.stdout.write(f"{rebuild.ladder}: {rebuild.results} results, {rebuild.count} differences")
        for difference in rebuild.differences:
            self.stdout.write(f"  {difference}")
        if rebuild.count > len(rebuild.differences):
            self.stdout.write(f"  and {rebuild.count - len(rebuild.differences)} more")
