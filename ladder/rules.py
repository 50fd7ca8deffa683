"""What holds for the results of a ladder now: its K, and whose results count for whom."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from ladder.models import Ladder, LedgerEntry
from ladder.ratings.documents import item
from ladder.ratings.rating import Rules
from ladder.ratings.replay import Game, Merge, parts

_LASTING = (LedgerEntry.Kind.MERGE, LedgerEntry.Kind.K)


def rules_of(ladder: Ladder) -> Rules:
    """The rules for the next result of ``ladder``, whose row the caller holds if they are to rate one. One query."""
    written = LedgerEntry.objects.filter(ladder=ladder, kind__in=_LASTING).order_by()  # an order would read all results
    items = (item(*row) for row in sorted(written.values_list("number", "kind", "document"), key=itemgetter(0)))
    return parts(one for one in items if not isinstance(one, Game))[-1].rules


def merged_on(ladders: Iterable[Ladder]) -> set[int]:
    """The entries on ``ladders`` whose results do not count for themselves, so that they play no more. One query."""
    last = {one.entry: one.into for one in _merges(ladders)}
    return {entry for entry, into in last.items() if into != entry}


def ever_merged_on(ladders: Iterable[Ladder]) -> set[int]:
    """The entries on ``ladders`` that are merged or once were: closed seasons keep what counted then. One query."""
    return {one.entry for one in _merges(ladders)}


def _merges(ladders: Iterable[Ladder]) -> list[Merge]:
    written = LedgerEntry.objects.filter(ladder__in=ladders, kind=LedgerEntry.Kind.MERGE).order_by()
    rows = sorted(written.values_list("number", "kind", "document"), key=itemgetter(0))
    return [one for one in (item(*row) for row in rows) if isinstance(one, Merge)]
