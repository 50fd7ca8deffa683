"""``manage.py demo-cup``: play one cup from registration to its verified final standings."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from esr_platform.accounts.errors import Refused
from esr_platform.demo.cup import FORMATS, DemoCup, DemoCupProblem, final_standings, play_demo_cup
from esr_platform.management.commands.demo_data import require_a_demo_site
from ladder.creation import open_house


class Command(BaseCommand):
    help = (
        "Play a cup of house bots from registration to the final standings, and verify it. If there are too few house"
        " bots, demo users upload copies of them, which need the sandbox."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--format", choices=sorted(FORMATS), default="swiss", help="format (default: swiss)")
        parser.add_argument(
            "--seats", type=int, default=0, metavar="N", help="number of seats (default: 3 if balanced, otherwise 2)"
        )
        parser.add_argument("--entrants", type=int, default=6, metavar="N", help="number of bots (default: 6)")
        parser.add_argument("--anyway", action="store_true", help="also play on a public site or with real accounts")

    def handle(self, *, format: str, seats: int, entrants: int, anyway: bool, **_: Any) -> None:  # noqa: A002
        if not anyway:
            require_a_demo_site("demo-cup")
        call_command("migrate", verbosity=0, interactive=False)
        open_house()
        try:
            cup = play_demo_cup(DemoCup(format, seats, entrants), self.stdout.write)
        except (DemoCupProblem, Refused) as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(f"{'Rank':>4}  {'Points':>6}  {'Share':>6}  Bot")
        for row, name in final_standings(cup):
            self.stdout.write(f"{row.rank:>4}  {row.match_points:>6}  {float(row.share):>6.1%}  {name}")
        call_command("verify", cup=cup.slug, stdout=self.stdout)
