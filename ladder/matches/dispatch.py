"""Tell the workers about queued matches.

A message is a hint: it does no harm if it is lost or arrives twice. Worker hosts ask the site instead of the broker
(``ladder.worker_hosts``), and get the matches that were sent most recently.

Only as many messages are under way as the workers will begin soon. New matches therefore do not wait behind long
queues, and each ladder, cup and user with unrated games has a share (``ladder.pairings.shares``). One match of a block
is sent at a time; its end sends the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from esr_platform.broker import BROKER_ERRORS
from esr_platform.prepared import ConditionalUpdate, Prepared
from ladder.matches.blocks import CUP_PRIORITY
from ladder.matches.throughput import FEW_READ, recent
from ladder.matches.traffic import MATCHES_READ, SEND_AGAIN, traffic
from ladder.models import Attempt, Cup, Match
from ladder.pairings.shares import cup_shares

logger = logging.getLogger(__name__)

TASK = "ladder.tasks.play_match"
QUEUE = "matches"
SOON = "soon"
ON_TIME = "on_time"
"""The queues of first matches and of matches at a set time. Workers take matches at a set time before all other work,
and from their other queues in turn (``esr_platform.celery.OnTimeFirst``). Matches of cups that have less than their
share of the workers go to the queue of first matches, too."""

AT_A_SET_TIME: Final = 2
"""From this priority on, a match has the queue of those at a set time; every other with priority is a first one."""

IN_TURN: Final = 0.5
"""The share of a queue, if workers take matches from two of them in turn."""

WINDOW: Final = 32
"""Matches that are on their way at a time, or as many as were begun in the last seconds, if those are more."""


_FOLLOWING: Final = Prepared(
    lambda match: (
        Match.objects.filter(
            ~Match.another_runs(),
            ~Match.on_hold(),
            block__in=Match.objects.filter(pk=match).values("block"),
            status=Match.Status.QUEUED,
            due_at__lte=Now(),
        )
        .order_by("-priority", "pk")
        .values_list("pk", "priority")[:1]
    )
)
_MARK_SENT: Final = ConditionalUpdate(lambda matches: (_unsent(matches), {"sent_at": Now()}))


def dispatch() -> int:
    """Send matches that are queued, due and not on their way, as many as the workers will begin soon; how many.

    All matches with priority are sent, higher priority first. Of the others, each ladder, cup and user has a share, and
    the one whose last message is oldest comes first.
    """
    if not Match.objects.filter(status=Match.Status.QUEUED).exists():
        return 0
    throughput = recent()
    queued = traffic(throughput)
    room = max(WINDOW, throughput.begun.total()) - len(queued.on_the_way)
    ids = [*queued.soon, *queued.in_turn[: max(room, 0)]]
    if not ids:
        return 0
    with transaction.atomic():  # rows that another process holds are left out
        free = _unsent(ids).select_for_update(skip_locked=True, no_key=True)
        marked = set(free.order_by("pk").values_list("pk", flat=True))
        Match.objects.filter(pk__in=marked, status=Match.Status.QUEUED).update(sent_at=Now())
    priorities = {match.match_id: match.priority for match in queued.matches}
    return send({match_id: priorities[match_id] for match_id in ids if match_id in marked})


def send_next(match_id: int) -> int:
    """Send the next match of the same block, now that an attempt at ``match_id`` has ended; how many (0 or 1).

    Matches of a block never run at the same time (:func:`ladder.matches.leases.claim`), so :func:`dispatch` sends one
    of them.
    """
    following = dict(_FOLLOWING(match=match_id))
    return send(following) if following and _MARK_SENT(matches=list(following)) else 0


def send(priorities: Mapping[int, int]) -> int:
    """Send matches to the workers, outside any transaction, and return how many were sent.

    ``priorities`` maps match ids to priorities. Without a broker nothing is lost: the next :func:`dispatch` sends the
    rest.
    """
    ids, sent = list(priorities), 0
    overtaking = _overtaking() if CUP_PRIORITY in priorities.values() else 0
    try:
        for match_id, priority in priorities.items():
            queue = QUEUE
            if priority >= AT_A_SET_TIME:
                queue = ON_TIME
            elif priority > 0:
                queue = SOON
            elif priority == CUP_PRIORITY and overtaking > 0:
                queue, overtaking = SOON, overtaking - 1
            current_app.send_task(TASK, args=(match_id,), queue=queue, expires=SEND_AGAIN.total_seconds())
            sent += 1
    except BROKER_ERRORS as error:
        logger.warning("broker unavailable, %s matches not sent: %s", len(ids) - sent, error)
        Match.objects.filter(pk__in=ids[sent:], status=Match.Status.QUEUED).update(sent_at=None)
    return sent


def _overtaking() -> int:
    """How many matches of cups may go before the others, because cups have begun fewer than their share of the latest.

    The matches of a block follow each other, and a round waits for its last table. So a cup with few tables would get
    far less than its share if each of its matches waited behind those of the ladders. Workers take matches from both
    queues in turn, so cups do not get more than half of the workers in this way.
    """
    running = list(Cup.objects.filter(state=Cup.State.RUNNING).values_list("pk", "reserved_percent", Cup.has_people()))
    reserved = {pk: (percent or 0) / 100 for pk, percent, _people in running}
    of_house = {pk for pk, _percent, people in running if not people}
    share, _of_cups = cup_shares(reserved, settings.CUP_SHARE, of_house)
    if share >= IN_TURN:
        return MATCHES_READ
    begun = list(Attempt.objects.of_workers().order_by("-pk").values_list("match__priority", flat=True)[:FEW_READ])
    return max(round(share * FEW_READ) - begun.count(CUP_PRIORITY), 0)


def _unsent(match_ids: list[int]) -> QuerySet[Match]:
    """Those that are queued and not on their way."""
    not_on_its_way = Q(sent_at__isnull=True) | Q(sent_at__lt=Now() - SEND_AGAIN)
    return Match.objects.filter(not_on_its_way, pk__in=match_ids, status=Match.Status.QUEUED)
