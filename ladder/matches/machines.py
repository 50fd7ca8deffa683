"""Machines of workers on which every match fails: they rest, so that they void no matches."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from ladder.models import Attempt

MANY = 3
"""So many different matches in a row that failed on one machine are the machine's fault, not theirs."""

REST = timedelta(seconds=60)
"""Then it tries again."""

_LOOKED_BACK = 30


def trouble(host: str = "") -> str:
    """The last failure, if the last ``MANY`` matches tried on ``host`` have all failed, the last one within ``REST``.

    Otherwise empty. Without ``host``, all machines count as one, and nothing is played on any of them.
    """
    says_nothing = (Attempt.Ending.OPEN, Attempt.Ending.BUSY, Attempt.Ending.WITHDRAWN)
    over = Attempt.objects.of_workers().exclude(ending__in=says_nothing)
    latest = over.order_by("-pk").annotate(rested=Now() - REST)
    columns = latest.values_list("worker", "ending", "ended", "rested", "failure", "match_id")
    tried: set[int] = set()
    last_failure = ""
    for worker, ending, ended, rested, failure, match_id in columns[:_LOOKED_BACK]:
        if host and worker.rpartition("/")[0] != host:
            continue
        if ending != Attempt.Ending.FAILED or (not last_failure and ended < rested):
            return ""
        last_failure = last_failure or failure
        tried.add(match_id)
        if len(tried) == MANY:
            return last_failure
    return ""
