"""Which people at live tables are online. ``ladder.live.absences`` tells what follows if they are not.

``LiveSeat.seen_at`` and ``left_at`` record presence. These two change without a lock on the match.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from ladder.live.notify import tell
from ladder.live.position import WATCHED_WITHIN
from ladder.models import Attempt, LiveSeat, Match

AWAY: Final = timedelta(seconds=30)
"""A person who was last seen longer ago is offline."""

GONE: Final = timedelta(seconds=60)
"""Other players can claim victory over a person who was last seen longer ago."""

NOTED_EVERY: Final = timedelta(seconds=4)
"""Minimum time between two notes of presence."""

NEVER_CAME: Final = Q(seen_at__lte=F("table__match__started"))
"""Seats of people who have not opened the table since the game began."""


def note_seen(seats: Mapping[int, Collection[int]]) -> int:
    """Note that people have these tables open: by match, their seats. Returns how many rows were written, mostly 0.

    A person who was offline is online again, but not necessarily back in their seat.
    """
    due = Q(seen_at=None) | Q(seen_at__lt=Now() - NOTED_EVERY) | NEVER_CAME
    running = LiveSeat.objects.filter(table__in=list(seats), table__match__status=Match.Status.RUNNING)
    live_seats = running.filter(due, kind__in=LiveSeat.OF_PEOPLE)
    left_seats = live_seats.order_by("pk").values_list("pk", "table", "seat__index", "left_at")
    new = [(pk, match, left) for pk, match, seat, left in left_seats if seat in seats[match]]
    if not new:
        return 0
    with transaction.atomic():
        noted = _free(pk for pk, *_ in new)
        LiveSeat.objects.filter(pk__in=noted).update(seen_at=Now(), left_at=None)
        for match in sorted({match for pk, match, left in new if left is not None and pk in noted}):
            tell(match, "moved")
    return len(noted)


def notice_gone() -> int:
    """Note people who have gone offline, and notify their tables. Returns how many. The sweeper calls this."""
    watched = Attempt.objects.filter(ending=Attempt.Ending.OPEN, heartbeat_at__gte=Now() - WATCHED_WITHIN)
    unseen = LiveSeat.objects.filter(kind=LiveSeat.Kind.PERSON, left_at=None, seen_at__lt=Now() - AWAY)
    gone = unseen.filter(table__in=watched.filter(match__table__over=False).values("match"))
    table_of = dict(gone.order_by("pk").values_list("pk", "table"))
    if not table_of:
        return 0
    with transaction.atomic():
        noted = _free(table_of)
        written: int = unseen.filter(pk__in=noted).update(left_at=Now())
        for match in sorted({match for pk, match in table_of.items() if pk in noted}):
            tell(match, "moved")
    return written


def _free(live_seats: Iterable[int]) -> set[int]:
    """Lock the rows that nobody else has locked and return their ids; the others are noted the next time.

    Waiting could cause a deadlock.
    """
    rows = (
        LiveSeat.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=list(live_seats)).order_by("pk")
    )
    return set(rows.values_list("pk", flat=True))
