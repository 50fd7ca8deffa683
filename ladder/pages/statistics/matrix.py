"""Everybody against everybody: who was ranked before whom how often, a square of neighbours in the table a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef

from ladder.models import Entry, SeatTally
from ladder.pages.statistics.entries import Against, shares_between
from ladder.pages.statistics.season import Of

SIDE = 12
"""Bots a page: as many columns as a wide page holds."""

FEW = 4
"""Blocks below which a share says too little for a colour."""


@dataclass(frozen=True)
class MatrixRow:
    """A bot, its place in the list from 1, and every bot of the page with a cell: ``None`` for itself and if unmet."""

    place: int
    entry: Entry
    pairs: Sequence[tuple[Entry, Against | None]]


@dataclass(frozen=True)
class MatrixPage:
    """A square of the matrix."""

    of: Of
    entries: Page[Entry]
    rows: Sequence[MatrixRow]

    @property
    def few(self) -> int:
        """Blocks below which a cell has no colour."""
        return FEW


def matrix_page(of: Of, page: str | None) -> MatrixPage:
    """Page ``page`` of the matrix, the nearest there is, in the order of ratings; three queries."""
    tallied = SeatTally.objects.filter(season=of.season, entry=OuterRef("pk"))
    played = of.ladder.entries.filter(Exists(tallied))
    shown = Paginator(played.select_related("bot").order_by("-rating", "pk"), SIDE).get_page(page)
    entries = list(shown)
    shares = shares_between(entries, of)
    first = shown.start_index()
    rows = [
        MatrixRow(first + place, one, [(other, shares.get((one.pk, other.pk))) for other in entries])
        for place, one in enumerate(entries)
    ]
    return MatrixPage(of, shown, rows)
