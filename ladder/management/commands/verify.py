from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from itertools import chain
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bots.cli.frame import Screen
from ladder.cups.verification import faults
from ladder.models import Cup, Ladder, Season
from ladder.verification import ladders
from ladder.verification.ladders import Verified


def season_named(text: str) -> tuple[str, int]:
    """Parse a ladder slug and a season number, such as ``edel-stein-reich-4/2``."""
    slug, _, number = text.rpartition("/")
    if not slug or not number.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a season, such as edel-stein-reich-4/1")
    return slug, int(number)


class Command(BaseCommand):
    help = (
        "Verify all games of a ladder by replaying them, all deals of a season by recomputing them from its keys, or a "
        "cup that is over by replaying its games and recomputing its pairings, deals and standings. "
        "Exit codes: 0 verified, 1 mismatch found (details are printed), 2 unknown ladder, season or cup. "
        "To verify files, use `esr verify`, `esr verify-cup` and `esr verify-season`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--ladder", metavar="LADDER", help="ladder whose games to replay")
        what.add_argument(
            "--season", type=season_named, metavar="LADDER/NUMBER", help="season whose deals to recompute"
        )
        what.add_argument("--cup", metavar="CUP", help="cup to verify, once it is over")
        parser.add_argument("--processes", type=int, metavar="N", help="number of processes (default: one per core)")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["cup"]:
            self._verify_cup(options["cup"], options["processes"])
        elif options["season"]:
            season = _season(*options["season"])
            self._report(str(season), "deals", ladders.count_deals(season), ladders.verify_deals(season))
        else:
            ladder = _ladder(options["ladder"])
            verified = ladders.verify_games(ladder, options["processes"])
            self._report(ladder.name, "games", ladders.count_games(ladder), verified)

    def _verify_cup(self, slug: str, processes: int | None) -> None:
        """Print each fault of a cup. Raises ``CommandError`` if there are faults."""
        cup = Cup.objects.select_related("ladder").filter(slug=slug).first()
        if cup is None:
            raise CommandError(f"Cup {slug} not found. Use the slug from the URL of its page.", returncode=2)
        if cup.public_key is None:
            text = f"{cup.title} is not over. Its key is published when its last game has ended; verify it then."
            raise CommandError(text, returncode=2)
        ledger = (Verified(0, [fault]) for fault in faults(cup))
        games = ladders.verify_games(cup, processes)
        self._report(cup.title, "games", ladders.count_games(cup), chain(ledger, games))

    def _report(self, name: str, what: str, total: int, checked: Iterable[Verified]) -> None:
        """Print each fault as it is found, then a summary. Raises ``CommandError`` if there are faults."""
        began, faults = perf_counter(), 0
        for fault in self._watched(what, total, checked):
            faults += 1
            self.stdout.write(fault)
        seconds = perf_counter() - began
        checked_in = f"{total} {what} checked in {seconds:.1f} s ({total / max(seconds, 0.001):.0f} per second)"
        if faults:
            raise CommandError(f"{name}: {faults} {'mismatch' if faults == 1 else 'mismatches'}; {checked_in}.")
        self.stdout.write(f"{name}: verified; {checked_in}.")

    def _watched(self, what: str, total: int, checked: Iterable[Verified]) -> Iterator[str]:
        """Yield the faults, with a progress bar if the output is a terminal."""
        with Screen().progress() as progress:
            task = progress.add_task(what, total=total)
            for deal in checked:
                progress.advance(task, deal.number)
                yield from deal.faults


def _ladder(slug: str) -> Ladder:
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        known = ", ".join(Ladder.objects.order_by("pk").values_list("slug", flat=True))
        raise CommandError(f"Ladder {slug} not found. Available ladders: {known or 'none'}.", returncode=2)
    return ladder


def _season(slug: str, number: int) -> Season:
    season = Season.objects.select_related("ladder").filter(ladder=_ladder(slug), number=number).first()
    if season is None:
        raise CommandError(
            f"Season {number} of ladder {slug} not found. Pass a number from the seasons page of the ladder.",
            returncode=2,
        )
    return season
