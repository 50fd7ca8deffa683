"""The trace of an entry's rating, kept for a while: it reads every seat of the entry, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from django.core.cache import caches

from ladder.models import Entry, Estimate
from ladder.pages.charts.rating_chart import RatingChart, rating_chart
from ladder.pages.charts.traces import trace

KEPT_SECONDS: Final = 600


def chart_of(entry: Entry, estimates: Sequence[Estimate]) -> RatingChart | None:
    """The chart of ``entry``, with three queries if its rating or its ``estimates`` have changed, else with none.

    What is kept has no names in it.
    """
    computed = max((one.computed.isoformat() for one in estimates), default="")
    key = f"trace/1:{entry.pk}:{entry.games}:{entry.rating}:{computed}".replace(" ", "")
    found = caches["pages"].get(key)
    if found is None:
        found = trace(entry)
        if found is not None:
            caches["pages"].set(key, replace(found, entry=None), KEPT_SECONDS)  # type: ignore[arg-type]
    return rating_chart([replace(found, entry=entry)]) if found is not None else None
