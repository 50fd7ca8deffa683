"""What has become of everything that was scheduled on a ladder, and whether its accounts add up. Counted now.

Each count of an identity comes from a table of its own, so that one that has lost a row shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, F, Max, Q, Sum

from ladder.models import Block, DealSeries, Ladder, LedgerEntry, Match, Seat, SeatResult
from ladder.rules import ever_merged_on

_NO_RESULTS = [kind for kind in LedgerEntry.Kind if kind != LedgerEntry.Kind.RESULT]


@dataclass(frozen=True)
class Books:
    """The counts of one moment.

    ``rated`` and ``unrated`` are matches by status. ``seats`` are those of finished rated matches, ``rows`` the seat
    results that have ratings, ``out`` those of finished rated matches that have none, of which ``unexplained`` are at
    tables without an entry that was ever merged. ``surplus`` is the sum of all changes in 1/1000 point. ``ledger`` are
    its entries by kind, ``last_number`` the greatest number. ``deals`` are the numbers that series have given,
    ``blocks`` those that blocks have; ``stuck`` are blocks that have no game to be played and are not ended, ``told``
    those whose deal everybody could know although a game of it is still to be played.
    """

    rated: Mapping[str, int]
    unrated: Mapping[str, int]
    scheduled: int
    seats: int
    rows: int
    out: int
    unexplained: int
    surplus: int
    ledger: Mapping[str, int]
    last_number: int
    deals: int
    blocks: int
    stuck: int
    told: int

    @property
    def by_status(self) -> list[tuple[Match.Status, int, int]]:
        """Every status with its rated and its unrated matches."""
        return [(one, self.rated.get(one, 0), self.unrated.get(one, 0)) for one in Match.Status]

    @property
    def counted(self) -> int:
        """All matches that have one of the statuses there are."""
        return sum(rated + unrated for _, rated, unrated in self.by_status)

    @property
    def finished(self) -> int:
        """Rated matches that count."""
        return self.rated.get(Match.Status.FINISHED, 0)


def books_of(ladder: Ladder) -> Books:
    """Count everything; eleven queries. Call it where they see one moment (``ladder.moments``)."""
    rated, unrated = _matches(ladder)
    written = LedgerEntry.objects.filter(ladder=ladder).order_by()
    series = DealSeries.objects.filter(season__ladder=ladder)
    return Books(
        rated=rated,
        unrated=unrated,
        scheduled=Match.objects.filter(ladder=ladder).count(),
        seats=Seat.objects.filter(match__ladder=ladder, match__status=Match.Status.FINISHED)
        .filter(match__block__purpose__in=Block.RATED)
        .count(),
        **_ratings(ladder),
        ledger=dict(written.values_list("kind").annotate(entries=Count("pk"))),
        last_number=written.aggregate(last=Max("number", default=0))["last"],
        deals=series.aggregate(given=Sum(F("next_number") - 1, default=0))["given"],
        blocks=Block.objects.filter(series__in=series).count(),
        stuck=_stuck(ladder),
        told=_told(ladder),
    )


def rated_results(ladders: Iterable[Ladder]) -> dict[int, int]:
    """By ladder, how many results count: all numbers of its ledger but those that are none or take one back. One query.

    It reads no results, so it takes a long ledger no longer than a short one.
    """
    others = LedgerEntry.objects.filter(ladder__in=ladders, kind__in=_NO_RESULTS).order_by().values_list("ladder")
    voids = Count("pk", filter=Q(kind=LedgerEntry.Kind.VOID))
    found = {ladder: others + voids for ladder, others, voids in others.annotate(others=Count("pk"), voids=voids)}
    return {ladder.pk: ladder.next_ledger - 1 - found.get(ladder.pk, 0) for ladder in ladders}


def _matches(ladder: Ladder) -> tuple[Mapping[str, int], Mapping[str, int]]:
    rated, unrated = Counter[str](), Counter[str]()
    rows = Match.objects.filter(ladder=ladder).order_by().values_list("status", "block__purpose")
    for status, purpose, number in rows.annotate(number=Count("pk")):
        (rated if purpose in Block.RATED else unrated)[status] += number
    return rated, unrated


def _ratings(ladder: Ladder) -> dict[str, int]:
    """``rows``, ``out``, ``unexplained`` and ``surplus``."""
    rows = SeatResult.objects.filter(result__match__ladder=ladder).order_by()
    rated = Q(result__match__status=Match.Status.FINISHED, result__match__block__purpose__in=Block.RATED)
    out = rated & Q(rating_before=None)
    totals = rows.aggregate(
        rows=Count("rating_before"),
        surplus=Sum(F("rating_after") - F("rating_before"), default=0),
        out=Count("pk", filter=out),
    )
    if not totals["out"]:
        return {**totals, "unexplained": 0}
    try:
        entries = ever_merged_on([ladder])
    except ValueError:  # a merge that cannot be read explains nothing
        entries = set()
    merged = Seat.objects.filter(entry__in=entries).values("match")
    return {**totals, "unexplained": rows.filter(out).exclude(result__match__in=merged).count()}


def _stuck(ladder: Ladder) -> int:
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING).values("block")
    return Block.objects.filter(ladder=ladder, ended=None).exclude(pk__in=pending).count()


def _told(ladder: Ladder) -> int:
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING, block__ended__isnull=False)
    unended = Block.objects.filter(ladder=ladder, ended=None, series__published__isnull=False)
    return pending.order_by().values("block").distinct().count() + unended.count()
