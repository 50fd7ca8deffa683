from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bots.cli.frame import Screen
from ladder.models import Ladder, Season
from ladder.verification import ladders
from ladder.verification.ladders import Verified


def season_named(text: str) -> tuple[str, int]:
    """``edel-stein-reich-4/2``."""
    slug, _, number = text.rpartition("/")
    if not slug or not number.isdecimal():
        raise ArgumentTypeError(f"{text!r} names no season, as edel-stein-reich-4/1 does")
    return slug, int(number)


class Command(BaseCommand):
    help = (
        "Re-execute all games of a ladder, or make all deals of a season again from its keys. `esr verify` re-executes "
        "records in files. Exit code 0: no faults; 1: faults, which are printed; 2: unknown ladder or season."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--ladder", metavar="LADDER", help="re-execute its games and compare the stored outcomes")
        what.add_argument("--season", type=season_named, metavar="LADDER/NUMBER", help="make its deals again")
        parser.add_argument("--processes", type=int, help="how many re-execute at once; every core unless given")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["season"]:
            season = _season(*options["season"])
            self._tell(str(season), "deals", ladders.count_deals(season), ladders.verify_deals(season))
        else:
            ladder = _ladder(options["ladder"])
            verified = ladders.verify_games(ladder, options["processes"])
            self._tell(ladder.name, "games", ladders.count_games(ladder), verified)

    def _tell(self, name: str, what: str, total: int, checked: Iterable[Verified]) -> None:
        """Say each fault as it is found, and at the end what was checked. Raises ``CommandError`` if any was found."""
        began, faults = perf_counter(), 0
        for fault in self._watched(what, total, checked):
            faults += 1
            self.stdout.write(fault)
        seconds = perf_counter() - began
        said = f"{name}: {total} {what} in {seconds:.1f} s, {total / max(seconds, 0.001):.0f} a second"
        if faults:
            raise CommandError(f"{said}. {faults} faults.")
        self.stdout.write(f"{said}. All right.")

    def _watched(self, what: str, total: int, checked: Iterable[Verified]) -> Iterator[str]:
        """The faults, beside a progress bar where somebody looks."""
        with Screen().progress() as progress:
            task = progress.add_task(what, total=total)
            for one in checked:
                progress.advance(task, one.number)
                yield from one.faults


def _ladder(slug: str) -> Ladder:
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        known = ", ".join(Ladder.objects.order_by("pk").values_list("slug", flat=True))
        raise CommandError(f"No ladder is called {slug}. There are: {known or 'none'}.", returncode=2)
    return ladder


def _season(slug: str, number: int) -> Season:
    season = Season.objects.select_related("ladder").filter(ladder=_ladder(slug), number=number).first()
    if season is None:
        raise CommandError(f"{slug} has no season {number}.", returncode=2)
    return season
