"""Outages of the site, which are not charged to the clocks of people.

Every few seconds each web process writes a heartbeat (:func:`beat`) to the attempt of every live game with a person in
a seat. It needs Redis and the database, so that an outage of either is noticed. A gap between two heartbeats is an
outage. It is added once to the time of the people who were asked during it.

During an outage nobody counts as offline (``Position.watched``), and no default move is played for a person before the
site is back or ``FROZEN_FOR`` has passed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from esr_platform.disconnects import run_isolated
from ladder.live.clocks import milliseconds
from ladder.live.game import LockedMatch, lock_match
from ladder.live.position import WATCHED_WITHIN, Position
from ladder.live.publish import save_and_publish
from ladder.models import Attempt, LiveSeat, Match, Outage

logger = logging.getLogger(__name__)

FROZEN_FOR: Final = timedelta(minutes=10)
"""How long games wait for the site to come back before default moves are played."""

TOO_OFTEN: Final = 3
"""With this number of outages within an hour, an administrator has to look at the site."""

WRITTEN_EVERY: Final = timedelta(seconds=2)
"""Minimum time between two heartbeats, which all web processes share."""

_KEPT_S: Final = 60


def beat() -> int:
    """Write a heartbeat. Returns the number of games that were compensated for an outage.

    Raises the errors of Redis and the database. Call it every few seconds: a gap longer than ``WATCHED_WITHIN`` is an
    outage.
    """
    cache.set("heartbeat", True, _KEPT_S)  # people play through Redis, too: while it is away, so is the site
    _note_watched()
    missed = _open().filter(heartbeat_at__lt=Now() - WATCHED_WITHIN).order_by("match")
    return sum(map(_forgiven, list(missed.values_list("match", flat=True))))


def forgive(match_id: int) -> bool:
    """Add an outage that has just ended to the time of the people who were asked. Returns whether there was one."""
    with transaction.atomic():
        table = lock_match(match_id)
        if table is None or not forgive_at(table):
            return False
        save_and_publish(table)
    return True


def _forgiven(match_id: int) -> bool:
    """Compensate one table. A failure does not affect the others."""
    return run_isolated(partial(forgive, match_id), False, logger, "outage not compensated in live match %s", match_id)


def forgive_at(table: LockedMatch) -> bool:
    """Compensate an outage at a locked table, before deadlines are checked. The caller saves."""
    since, now = table.position.beat_at, table.clock_now
    if since is None or now - since <= WATCHED_WITHIN:
        return False
    Attempt.objects.filter(match=table.match.pk, ending=Attempt.Ending.OPEN).update(heartbeat_at=now)
    for live_seat in table.position.live_seats:
        if live_seat.kind in LiveSeat.OF_PEOPLE:
            _count_as_seen(live_seat, since, now)
        if live_seat.kind == LiveSeat.Kind.PERSON and _prolong(live_seat, since, now):
            table.change(live_seat)
    table.changed_more = True
    logger.warning("site was unavailable to live match %s for %s", table.match.pk, now - since)
    _note(table, since, now)
    return True


def _note(table: LockedMatch, since: datetime, now: datetime) -> None:
    """Keep an outage with its match. Log an error for the third one, and each further one, within an hour."""
    lately = [(outage.began, outage.ended) for outage in Outage.objects.filter(ended__gt=now - timedelta(hours=1))]
    Outage.objects.create(
        match=table.match,
        before_move=table.position.table.moves,
        ended=now,
        ms=milliseconds(since, now),
    )
    if not any(began < now and ended > since for began, ended in lately) and _apart(lately) + 1 >= TOO_OFTEN:
        logger.error("site was unavailable %s times in the last hour, check its log", _apart(lately) + 1)


def _apart(spans: Iterable[tuple[datetime, datetime]]) -> int:
    """How many of these times do not overlap: every table notes the same outage."""
    count, until = 0, None
    for began, ended in sorted(spans):
        if until is None or began >= until:
            count += 1
        until = ended if until is None else max(until, ended)
    return count


def is_away(position: Position) -> bool:
    """Whether the site is away from people at this table, so that nobody may be judged by their clock."""
    gap = timedelta() if position.beat_at is None else position.now - position.beat_at
    return WATCHED_WITHIN < gap <= FROZEN_FOR


def is_forgiving_due(position: Position) -> bool:
    """Whether the site was away from this table until now, and its people have not been given that time yet."""
    return position.beat_at is not None and position.now - position.beat_at > WATCHED_WITHIN


def _note_watched() -> None:
    """Without those that were missed: they are told one by one, each under the row of its match."""
    due = _open().filter(heartbeat_at__lt=Now() - WRITTEN_EVERY, heartbeat_at__gte=Now() - WATCHED_WITHIN)
    if not due.exists():
        return
    with transaction.atomic():  # in the order of their ids and without waiting, since others hold one of them each
        free = due.select_for_update(skip_locked=True, no_key=True, of=("self",)).order_by("pk")
        Attempt.objects.filter(pk__in=list(free.values_list("pk", flat=True))).update(heartbeat_at=Now())


def _open() -> QuerySet[Attempt]:
    """The attempts at running live games with a person in a seat."""
    people = LiveSeat.objects.filter(table=OuterRef("match"), kind__in=LiveSeat.OF_PEOPLE)
    running = Attempt.objects.filter(ending=Attempt.Ending.OPEN, match__status=Match.Status.RUNNING)
    return running.filter(Exists(people), match__table__over=False)


def _prolong(live_seat: LiveSeat, since: datetime, now: datetime) -> bool:
    """Move the decision that the seat owes by as much of the outage as it was open in; whether that was any.

    It was told no later than now, and one that was lost before stays lost.
    """
    if live_seat.due_at is None or live_seat.deadline is None or live_seat.deadline <= since or live_seat.due_at >= now:
        return False
    lost = now - max(live_seat.due_at, since)
    live_seat.due_at, live_seat.deadline = live_seat.due_at + lost, live_seat.deadline + lost
    return True


def _count_as_seen(live_seat: LiveSeat, since: datetime, now: datetime) -> None:
    """Whoever was here when it began was here all the time; who had gone before has been gone no longer for it."""
    if live_seat.seen_at is not None and live_seat.seen_at < now:
        seen = now if live_seat.seen_at >= since else live_seat.seen_at + (now - since)
        LiveSeat.objects.filter(pk=live_seat.pk, seen_at__lte=live_seat.seen_at).update(
            seen_at=seen
        )  # SQLite keeps fewer digits
