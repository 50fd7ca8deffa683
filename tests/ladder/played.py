"""Ladders on which everything that was queued has been played, and what of it counts."""

from __future__ import annotations

from ladder.ledger.rebuild import rerate
from ladder.matches.results import record_result
from ladder.models import Entry, Ladder, Match
from tests.ladder.matches.test_leases import claimed
from tests.ladder.reports import report_of, variety_of


def play_all(ladder: Ladder) -> Ladder:
    for one in Match.objects.select_related("ladder", "block").filter(ladder=ladder, status="queued").order_by("pk"):
        record_result(claimed(one), report_of(one, variety=variety_of(one)))
    return ladder


def ratings(ladder: Ladder) -> dict[int, tuple[int, int, int, int]]:
    rows = Entry.objects.filter(ladder=ladder).values_list("pk", "rating", "last_change", "games", "wins")
    return {row[0]: row[1:] for row in rows}


def differences() -> list[str]:
    return [found for rebuild in rerate(check=True, records=True) for found in rebuild.differences]


def finished(ladder: Ladder) -> list[Match]:
    return list(Match.objects.filter(ladder=ladder, status="finished").order_by("pk"))
