"""What holds for the results of a ladder now: its K, and whose results count for whom."""

from __future__ import annotations

from operator import itemgetter

from ladder.models import Ladder, LedgerEntry
from ladder.ratings.documents import item
from ladder.ratings.rating import Rules
from ladder.ratings.replay import Game, parts

_LASTING = (LedgerEntry.Kind.MERGE, LedgerEntry.Kind.K)


def rules_of(ladder: Ladder) -> Rules:
    """The rules for the next result of ``ladder``, whose row the caller holds if they are to rate one. One query."""
    written = LedgerEntry.objects.filter(ladder=ladder, kind__in=_LASTING).order_by()  # an order would read all results
    items = (item(*row) for row in sorted(written.values_list("number", "kind", "document"), key=itemgetter(0)))
    return parts(one for one in items if not isinstance(one, Game))[-1].rules
