"""Tells the workers about queued matches. A message is a hint: losing one, or sending it twice, harms nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta

from celery import current_app
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from ladder.models import Match

logger = logging.getLogger(__name__)

TASK = "ladder.tasks.play_match"
QUEUE = "matches"
SOON = "soon"
"""The queue of matches with priority. Workers take from both in turn, so these wait for one match and not for all."""

SEND_AGAIN = timedelta(seconds=15)
"""A message is void after this time, and the match is sent again: so there is at most one valid message a match."""

AT_ONCE = 500
"""The most messages of one round; the rest has its turn in the next."""


def dispatch() -> int:
    """Send every match that is queued, due and not on its way; how many.

    The higher its priority and the longer due, the sooner.
    """
    waiting = Match.objects.filter(_NOT_ON_ITS_WAY, status=Match.Status.QUEUED, due_at__lte=Now())
    free = waiting.select_for_update(skip_locked=True, no_key=True)  # whoever holds a row has more to say about it
    with transaction.atomic():
        ids = list(free.order_by("-priority", "due_at", "pk").values_list("pk", flat=True)[:AT_ONCE])
        Match.objects.filter(pk__in=ids, status=Match.Status.QUEUED).update(sent_at=Now())
    return send(ids)


def send(match_ids: Iterable[int]) -> int:
    """Tell the workers, outside any transaction; how many were told.

    Without a broker nothing is lost: the next :func:`dispatch` sends the rest.
    """
    ids = list(match_ids)
    sent, soon = 0, set(Match.objects.filter(pk__in=ids, priority__gt=0).values_list("pk", flat=True))
    try:
        for match_id in ids:
            queue = SOON if match_id in soon else QUEUE
            current_app.send_task(TASK, args=(match_id,), queue=queue, expires=SEND_AGAIN.total_seconds())
            sent += 1
    except (OperationalError, OSError) as error:
        logger.warning("%s matches wait for the broker: %s", len(ids) - sent, error)
        Match.objects.filter(pk__in=ids[sent:], status=Match.Status.QUEUED).update(sent_at=None)
    return sent


_NOT_ON_ITS_WAY = Q(sent_at__isnull=True) | Q(sent_at__lt=Now() - SEND_AGAIN)
