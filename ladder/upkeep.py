"""Periodic upkeep of the site: several steps in one task, each of which is safe to run twice."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db.models import Q
from django.db.models.functions import Now

from ladder.matches.leases import LEASE, Lease, give_back
from ladder.matches.sweep import cancel_for_leave, end_overtaken_matches, end_unplayable_matches
from ladder.models import Attempt, Match
from ladder.seasons import close_due, finish_closing, publish_keys

logger = logging.getLogger(__name__)


def each_of(*steps: Callable[[], object]) -> None:
    """Do each step, also after one that fails. Raises the first failure at the end, so that the task has failed."""
    failures: list[Exception] = []
    for step in steps:
        try:
            step()
        except Exception as error:  # raised below
            if failures:
                logger.exception("%s.%s failed as well", step.__module__, step.__qualname__)
            failures.append(error)
    if failures:
        raise failures[0]


# --- Sweeps ----------------------------------------------------------------------------------------------------------

_EXPIRED = Q(lease_until__lt=Now())
_FAILURE = f"the worker that played it was lost: nothing was heard of it for {LEASE.seconds} s"


def sweep() -> int:
    """Queue again, or void, every match whose lease has run out; how many there were. Safe to run twice at once.

    A match that came back after its code was replaced (``ladder.matches.sweep``) would wait for ever; it is ended, too.
    Live games have no worker: ``ladder.live.sweep`` looks after those.
    """
    lost = Match.objects.filter(_EXPIRED, status=Match.Status.RUNNING, table=None).values_list("pk", "lease")
    leases = [Lease(match_id, token) for match_id, token in lost if token]
    returned = sum(give_back(lease, Attempt.Ending.EXPIRED, _FAILURE, only=_EXPIRED) for lease in leases)
    end_unplayable_matches()
    end_overtaken_matches()
    cancel_for_leave()
    close_due()
    finish_closing()
    publish_keys()
    return returned
