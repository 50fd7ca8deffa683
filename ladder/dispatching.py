"""Tells the workers about queued matches. A message is a hint: losing one, or sending it twice, harms nothing.

Only as many are on their way as the workers will begin soon: so who comes later does not wait behind all that others
have queued, and each ladder, and each person with unrated games, has its share (``ladder.pairings.shares``).
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from celery import current_app
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce, Now
from kombu.exceptions import OperationalError

from ladder.models import Block, Entry, Ladder, Match
from ladder.pairings.shares import Flow, shared
from ladder.throughput import Throughput, recent

logger = logging.getLogger(__name__)

TASK = "ladder.tasks.play_match"
QUEUE = "matches"
SOON = "soon"
"""The queue of matches with priority. Workers take from both in turn, so these wait for one match and not for all."""

SEND_AGAIN = timedelta(seconds=15)
"""A message is void after this time, and the match is sent again: so there is at most one valid message a match."""

OVERDUE = timedelta(seconds=60)
"""What waits for longer is told of again and again, and takes no place on the way from what can be played."""

WINDOW = 32
"""Matches that are on their way at a time, or as many as were begun in the last seconds, if those are more."""

AT_ONCE = 2000
"""The most rows that one round reads; the rest has its turn in the next."""

HOUSE_ONLY: Final = 1 / 4
"""What the weight of a ladder is worth on which nobody's bot plays, as long as others want the workers."""


@dataclass
class _Traffic:
    """What waits and what is on its way, by flow: by ladder what is rated, by person what is not."""

    soon: list[int] = field(default_factory=list)
    waiting: dict[bool, dict[int, list[int]]] = field(
        default_factory=lambda: {rated: defaultdict(list) for rated in (True, False)}
    )
    on_the_way: dict[bool, Counter[int]] = field(
        default_factory=lambda: {rated: Counter[int]() for rated in (True, False)}
    )


def dispatch() -> int:
    """Send matches that are queued, due and not on their way, as many as the workers will begin soon; how many.

    Those with priority are all sent, the higher first; of the others each ladder and person has its share, and who was
    not told of for longest goes first.
    """
    traffic, throughput = _traffic(), recent()
    room = max(WINDOW, throughput.begun.total()) - sum(ways.total() for ways in traffic.on_the_way.values())
    ids = [*traffic.soon, *_in_turn(traffic, throughput)[: max(room, 0)]]
    mine = _marked(ids)
    return send([match_id for match_id in ids if match_id in mine])


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


def _traffic() -> _Traffic:
    traffic = _Traffic()
    queued = Match.objects.filter(status=Match.Status.QUEUED, due_at__lte=Now())
    on_the_way = queued.exclude(_NOT_ON_ITS_WAY).filter(priority__lte=0, due_at__gt=Now() - OVERDUE)
    for purpose, ladder_id, person in on_the_way.values_list(*_FLOW):
        rated = purpose in Block.RATED
        traffic.on_the_way[rated][ladder_id if rated else person or 0] += 1
    waiting = queued.filter(_NOT_ON_ITS_WAY).order_by("-priority", Coalesce("sent_at", "due_at"), "pk")
    for match_id, priority, purpose, ladder_id, person in waiting.values_list("pk", "priority", *_FLOW)[:AT_ONCE]:
        if priority > 0:
            traffic.soon.append(match_id)
        else:
            rated = purpose in Block.RATED
            traffic.waiting[rated][ladder_id if rated else person or 0].append(match_id)
    return traffic


_FLOW: Final = ("block__purpose", "ladder", "block__order__requested_by")


def _in_turn(traffic: _Traffic, throughput: Throughput) -> list[int]:
    """What waits without priority, in the order in which it is to be sent."""
    weights = _weights(traffic.waiting[True])
    rated = {
        ladder_id: Flow(waiting, traffic.on_the_way[True][ladder_id], weights[ladder_id], throughput.cost(ladder_id))
        for ladder_id, waiting in traffic.waiting[True].items()
    }
    unrated = {
        person: Flow(waiting, traffic.on_the_way[False][person]) for person, waiting in traffic.waiting[False].items()
    }
    return shared(rated, unrated)


def _weights(ladders: Iterable[int]) -> Mapping[int, float]:
    people = Entry.objects.filter(ladder=OuterRef("pk"), active=True, bot__owner__isnull=False)
    rows = Ladder.objects.filter(pk__in=list(ladders)).annotate(people=Exists(people))
    return {
        pk: max(weight, 1) * (1 if people else HOUSE_ONLY)
        for pk, weight, people in rows.values_list("pk", "weight", "people")
    }


def _marked(match_ids: list[int]) -> set[int]:
    """Those that are still to be sent, marked as sent; whoever holds a row has more to say about it."""
    unsent = Match.objects.filter(_NOT_ON_ITS_WAY, pk__in=match_ids, status=Match.Status.QUEUED)
    with transaction.atomic():
        free = unsent.select_for_update(skip_locked=True, no_key=True)
        ids = set(free.order_by("pk").values_list("pk", flat=True))
        Match.objects.filter(pk__in=ids, status=Match.Status.QUEUED).update(sent_at=Now())
    return ids
