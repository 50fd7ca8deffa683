"""What the workers have done in the last minutes, by the attempts that they have begun."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import fmean

from django.db.models.functions import Now

from ladder.models import Attempt

LATELY = timedelta(seconds=10)
LOOKED_BACK = timedelta(minutes=5)
MOST_READ = 1000
"""Attempts that are looked at; on a busy site they reach back less far."""


@dataclass(frozen=True)
class Throughput:
    """``begun`` are games by ladder, in the last ``LATELY``; ``mean_s`` is how long a game lasts there, in seconds.

    ``per_s`` is how many games a second came to their end, on all ladders; 0 where nothing is known.
    """

    begun: Counter[int] = field(default_factory=Counter)
    mean_s: Mapping[int, float] = field(default_factory=dict)
    per_s: float = 0.0

    def cost(self, ladder_id: int) -> float:
        """How long a game lasts on a ladder, in seconds; where none was played lately, as on the others."""
        known = self.mean_s.get(ladder_id) or fmean(self.mean_s.values() or [1.0])
        return max(known, 0.001)


def recent() -> Throughput:
    """One query, of the latest attempts only."""
    rows = Attempt.objects.order_by("-pk").annotate(now=Now())
    found = [
        row
        for row in rows.values_list("match__ladder", "started", "ended", "ending", "now")[:MOST_READ]
        if row[1] > row[4] - LOOKED_BACK
    ]
    begun, lasted, ends = Counter[int](), defaultdict[int, list[float]](list), list[datetime]()
    for ladder_id, started, ended, ending, now in found:
        begun[ladder_id] += started > now - LATELY
        if ended is not None and ending == Attempt.Ending.FINISHED:
            lasted[ladder_id].append((ended - started).total_seconds())
            ends.append(ended)
    return Throughput(+begun, {ladder_id: fmean(times) for ladder_id, times in lasted.items()}, _rate(ends))


def _rate(ends: list[datetime]) -> float:
    """Ends a second between the first and the last of them; 0 where they are too few to say."""
    if len(ends) < 2:
        return 0.0
    return (len(ends) - 1) / max((max(ends) - min(ends)).total_seconds(), 0.001)
