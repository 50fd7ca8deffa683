"""Matches whose worker was lost come back here; what nobody can play any more, and seasons that close, are ended."""

from __future__ import annotations

from django.db.models import Q
from django.db.models.functions import Now

from ladder.leases import LEASE, Lease, give_back
from ladder.models import Attempt, Match
from ladder.retiring import cancel_for_leave, end_overtaken_matches, end_unplayable_matches
from ladder.seasons import close_due, finish_closing, publish_keys

_EXPIRED = Q(lease_until__lt=Now())
_FAILURE = f"the worker that played it was lost: nothing was heard of it for {LEASE.seconds} s"


def sweep() -> int:
    """Queue again, or void, every match whose lease has run out; how many there were. Safe to run twice at once.

    A match that came back after its code was replaced (``ladder.retiring``) would wait for ever; it is ended, too.
    Live games have no worker: ``ladder.tables.sweeping`` looks after those.
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
