"""Entries in the order of their estimates, which are rows of another table: joined here, where it costs the least."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from django.db.models import QuerySet

from ladder.models import Entry, Estimate, Season


class ByStrength(Sequence[Entry]):
    """``entries`` by the estimates of ``season``; those without one come last, in the order in which they came.

    Two queries for the order of all, of numbers alone, and one for the entries of each slice.
    """

    def __init__(self, entries: QuerySet[Entry], season: Season | None, *, falling: bool) -> None:
        self._entries, self._season, self._falling = entries, season, falling

    @cached_property
    def _order(self) -> list[int]:
        """The ids of all entries."""
        known = Estimate.objects.filter(season=self._season, rank_low__isnull=False).order_by()
        strengths = dict(known.values_list("version__bot", "rating"))
        found = list(self._entries.values_list("pk", "bot"))
        sign = -1 if self._falling else 1
        rated = [(sign * strengths[bot], place) for place, (_, bot) in enumerate(found) if bot in strengths]
        rest = [entry for entry, bot in found if bot not in strengths]
        return [*(found[place][0] for _, place in sorted(rated)), *rest]

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        if isinstance(index, int):
            return self[index : index + 1][0] if index >= 0 else self[len(self) + index]
        wanted = self._order[index]
        found = self._entries.in_bulk(wanted)
        return [found[entry] for entry in wanted]
