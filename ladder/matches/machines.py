"""Machines with Celery workers on which every match fails: they rest, so that they void no matches.

Worker hosts rest by ``bots.worker_hosts``, which counts all that they fail at.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models import Q
from django.db.models.functions import Now

from bots.worker_hosts import host_of
from esr_platform.prepared import Prepared
from ladder.models import Attempt

FAILED_MATCHES: Final = 3
"""If this number of different matches in a row fail on one machine, the machine is at fault."""

REST: Final = timedelta(seconds=60)
"""The time after which it tries again."""

_SAYS_NOTHING: Final = (Attempt.Ending.OPEN, Attempt.Ending.BUSY, Attempt.Ending.WITHDRAWN, Attempt.Ending.RETURNED)
_ATTEMPTS_READ: Final = 30
_LATEST: Final = Prepared(
    lambda: (
        Attempt.objects.of_workers()
        .exclude(ending__in=_SAYS_NOTHING)
        .order_by("-pk")
        .annotate(rests=Q(ended__gte=Now() - REST))
        .values_list("worker", "ending", "rests", "failure", "match_id")[:_ATTEMPTS_READ]
    )
)


def trouble(host: str = "") -> str:
    """The last failure, if the last ``FAILED_MATCHES`` matches on ``host`` failed, the last one within ``REST``.

    Otherwise empty. Without ``host``, all machines count as one.
    """
    tried: set[int] = set()
    last_failure = ""
    for worker, ending, rests, failure, match_id in _LATEST():
        if host and host_of(worker) != host:
            continue
        if ending != Attempt.Ending.FAILED or (not last_failure and not rests):
            return ""
        last_failure = last_failure or failure
        tried.add(match_id)
        if len(tried) == FAILED_MATCHES:
            return last_failure
    return ""
