"""The trace of an entry's rating, kept for a while: it reads every seat of the entry, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import Final

from django.core.cache import caches

from games.base import Document
from ladder.models import Entry, Estimate
from ladder.pages.charts.rating_chart import RatingChart, rating_chart
from ladder.pages.charts.traces import Moment, Stretch, Trace, trace

KEPT_SECONDS: Final = 600


def chart_of(entry: Entry, estimates: Sequence[Estimate]) -> RatingChart | None:
    """The chart of ``entry``, with three queries if its rating or its ``estimates`` have changed, else with none.

    What is kept has no names in it.
    """
    computed = max((one.computed.isoformat() for one in estimates), default="")
    key = f"trace/2:{entry.pk}:{entry.games}:{entry.rating}:{computed}".replace(" ", "")
    kept = caches["pages"].get(key)
    if kept is not None:
        return rating_chart([_unpacked(entry, kept)])
    found = trace(entry)
    if found is None:
        return None
    caches["pages"].set(key, _packed(found), KEPT_SECONDS)
    return rating_chart([found])


def _packed(found: Trace) -> Document:
    """The trace without its entry, as JSON. Stretches are the moments by season and version, so their sizes suffice."""
    moments = [[one.number, one.rating, one.version, one.season, one.at.isoformat()] for one in found.moments]
    estimates = [one.estimate and [one.estimate.rating, one.estimate.low, one.estimate.high] for one in found.stretches]
    sizes = [len(one.moments) for one in found.stretches]
    return {"moments": moments, "sizes": sizes, "estimates": estimates, "thinned": found.thinned}


def _unpacked(entry: Entry, kept: Document) -> Trace:
    moments = [
        Moment(number, rating, version, season, datetime.fromisoformat(at))
        for number, rating, version, season, at in kept["moments"]
    ]
    left = iter(moments)
    stretches = [
        Stretch(list(islice(left, size)), of and Estimate(rating=of[0], low=of[1], high=of[2]))
        for size, of in zip(kept["sizes"], kept["estimates"], strict=True)
    ]
    return Trace(entry, moments, stretches, kept["thinned"])
