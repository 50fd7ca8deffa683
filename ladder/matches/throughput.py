"""How many games the workers begin and finish, and how long these last."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import fmean

from django.db.models.functions import Now

from ladder.models import Attempt, Block

LATELY = timedelta(seconds=10)
LOOKED_BACK = timedelta(minutes=5)
FEW_READ = 20
MOST_READ = 1000
"""The numbers of attempts that are read. On a busy site they span less than ``LOOKED_BACK``."""

_COLUMNS = ("match__ladder", "started", "ended", "ending", "now", "match__block__purpose")


@dataclass(frozen=True)
class Throughput:
    """Games by ladder: ``begun`` in the last ``LATELY``, ``finished`` within ``span_s`` seconds of the last minutes.

    ``mean_s`` is the mean duration of rated games in seconds, for ladders with any. Unrated games do not count, so that
    requests for long games cannot make a ladder's own games rare. ``costs`` are the mean durations of rated and unrated
    games on all ladders.
    """

    begun: Counter[int] = field(default_factory=Counter)
    finished: Counter[int] = field(default_factory=Counter)
    span_s: float = 0.0
    mean_s: Mapping[int, float] = field(default_factory=dict)
    costs: tuple[float, float] = (1.0, 1.0)

    @property
    def per_s(self) -> float:
        """Games per second on all ladders; 0 if unknown."""
        return self.finished.total() / self.span_s if self.span_s else 0.0

    def per_s_on(self, ladder_id: int) -> float:
        """Games per second on a ladder; 0 if unknown."""
        return self.finished[ladder_id] / self.span_s if self.span_s else 0.0

    def cost(self, ladder_id: int) -> float:
        """The duration of a game on a ladder in seconds; the mean of the others if none was played lately."""
        known = self.mean_s.get(ladder_id) or fmean(self.mean_s.values() or [1.0])
        return max(known, 0.001)


def recent() -> Throughput:
    """One query of the latest attempts, and a second one if there were many."""
    rows = Attempt.objects.of_workers().order_by("-pk").annotate(now=Now()).values_list(*_COLUMNS)
    latest = [row for row in rows[:FEW_READ] if row[1] > row[4] - LOOKED_BACK]
    if len(latest) == FEW_READ:
        latest = [row for row in rows[:MOST_READ] if row[1] > row[4] - LOOKED_BACK]
    begun, finished, ends = Counter[int](), Counter[int](), list[datetime]()
    lasted, unrated = defaultdict[int, list[float]](list), list[float]()
    for ladder_id, started, ended, ending, now, purpose in latest:
        begun[ladder_id] += started > now - LATELY
        if ended is not None and ending == Attempt.Ending.FINISHED:
            finished[ladder_id] += 1
            ends.append(ended)
            if purpose in Block.RATED:
                lasted[ladder_id].append((ended - started).total_seconds())
            else:
                unrated.append((ended - started).total_seconds())
    means = {ladder_id: fmean(times) for ladder_id, times in lasted.items()}
    span = (max(ends) - min(row[1] for row in latest)).total_seconds() if ends else 0.0
    rated = [seconds for times in lasted.values() for seconds in times]
    rated_s = fmean(rated or unrated or [1.0])  # an unknown mean is taken from the other kind
    costs = max(rated_s, 0.001), max(fmean(unrated or [rated_s]), 0.001)
    return Throughput(+begun, finished, max(span, 0.0), means, costs)
