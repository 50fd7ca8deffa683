"""Tells the workers about queued matches. A message is a hint: losing one, or sending it twice, harms nothing.

Only as many are on their way as the workers will begin soon: so who comes later does not wait behind all that others
have queued, and each ladder, and each person with unrated games, has its share (``ladder.traffic``). Of a block one
match is sent at a time; its end sends the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from celery import current_app
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from ladder.models import Match
from ladder.throughput import recent
from ladder.traffic import SEND_AGAIN, traffic

logger = logging.getLogger(__name__)

TASK = "ladder.tasks.play_match"
QUEUE = "matches"
SOON = "soon"
ON_TIME = "on_time"
"""The queues of first matches and of matches at a set time. Workers take matches at a set time before all other work,
and from their other queues in turn (``esr_platform.celery.OnTimeFirst``)."""

AT_A_SET_TIME: Final = 2
"""From this priority on, a match has the queue of those at a set time; every other with priority is a first one."""

WINDOW: Final = 32
"""Matches that are on their way at a time, or as many as were begun in the last seconds, if those are more."""


def dispatch() -> int:
    """Send matches that are queued, due and not on their way, as many as the workers will begin soon; how many.

    Those with priority are all sent, the higher first; of the others each ladder and person has its share, and who was
    not told of for longest goes first.
    """
    if not Match.objects.filter(status=Match.Status.QUEUED).exists():
        return 0
    throughput = recent()
    queued = traffic(throughput)
    room = max(WINDOW, throughput.begun.total()) - queued.on_the_way
    ids = [*queued.soon, *queued.in_turn[: max(room, 0)]]
    mine = _marked(ids) if ids else set()
    priorities = {one.match_id: one.priority for one in queued.matches}
    return send({match_id: priorities[match_id] for match_id in ids if match_id in mine})


def send_next(match_id: int) -> int:
    """Send the next match of the same block, now that an attempt at ``match_id`` has ended; how many (0 or 1).

    Matches of a block never run at the same time (:func:`ladder.leases.claim`), so :func:`dispatch` sends one of them.
    """
    block = Match.objects.filter(pk=match_id).values("block")
    due = Match.objects.filter(block__in=block, status=Match.Status.QUEUED, due_at__lte=Now())
    queued = due.filter(~Match.another_runs()).order_by("-priority", "pk")
    following = queued.values_list("pk", "priority").first()
    if following is None or not _unsent([following[0]]).update(sent_at=Now()):
        return 0
    return send(dict([following]))


def send(priorities: Mapping[int, int]) -> int:
    """Send matches to the workers, outside any transaction, and return how many were sent.

    ``priorities`` maps match ids to priorities. Without a broker nothing is lost: the next :func:`dispatch` sends the
    rest.
    """
    ids, sent = list(priorities), 0
    try:
        for match_id, priority in priorities.items():
            queue = _queue(priority)
            current_app.send_task(TASK, args=(match_id,), queue=queue, expires=SEND_AGAIN.total_seconds())
            sent += 1
    except (OperationalError, OSError) as error:
        logger.warning("%s matches wait for the broker: %s", len(ids) - sent, error)
        Match.objects.filter(pk__in=ids[sent:], status=Match.Status.QUEUED).update(sent_at=None)
    return sent


def _queue(priority: int) -> str:
    if priority >= AT_A_SET_TIME:
        return ON_TIME
    return SOON if priority > 0 else QUEUE


def _marked(match_ids: list[int]) -> set[int]:
    """Those that are still to be sent, marked as sent; whoever holds a row has more to say about it."""
    with transaction.atomic():
        free = _unsent(match_ids).select_for_update(skip_locked=True, no_key=True)
        ids = set(free.order_by("pk").values_list("pk", flat=True))
        Match.objects.filter(pk__in=ids, status=Match.Status.QUEUED).update(sent_at=Now())
    return ids


def _unsent(match_ids: list[int]) -> QuerySet[Match]:
    """Those that are queued and not on their way."""
    not_on_its_way = Q(sent_at__isnull=True) | Q(sent_at__lt=Now() - SEND_AGAIN)
    return Match.objects.filter(not_on_its_way, pk__in=match_ids, status=Match.Status.QUEUED)
