"""Series of cups: once registration for a cup has closed, the next one is created, at the same local times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.utils import timezone

from esr_platform.accounts.limits import DAY
from ladder.cups import ledger
from ladder.cups.creation import (
    CUP_GAMES_PER_DAY,
    OPEN_CUPS,
    SOONEST,
    CupForm,
    full_games,
    games_since,
    store_cup,
)
from ladder.models import Cup

REPEATED_EARLIER: Final = timedelta(hours=1)
"""How much earlier than a day ago the last cup of a daily series may have been created without being counted."""


def repeat(cup: Cup) -> Cup | None:
    """Create the next cup of a series once registration for ``cup`` has closed. Hold the row of ``cup``.

    The series ends if the organizer has left or is suspended, after two cups in a row with too few bots, or if the
    organizer has too many other open cups or games of cups per day. A cup and its next one may be open at the same
    time, so twice as many cups may be open as for new cups.
    """
    organizer = cup.organizer
    if not cup.repeat_days or organizer is None or not organizer.is_active or _failed_twice(cup):
        return None
    if Cup.objects.filter(previous=cup).exists():
        return None
    others = Cup.objects.filter(organizer=organizer, state__in=Cup.OPEN).exclude(pk=cup.pk).count()
    games = full_games(cup.format, cup.ladder.seats, cup.capacity, cup.rounds, cup.blocks)
    why = ""
    if others + 1 >= 2 * OPEN_CUPS.most:
        why = f"its organizer has {others} other open cups"
    elif not CUP_GAMES_PER_DAY.allows(games_since(organizer, DAY - REPEATED_EARLIER), games):
        why = f"the cups of its organizer can have {CUP_GAMES_PER_DAY.most:,} games per day"
    if why:
        Cup.objects.filter(pk=cup.pk).update(repeat_days=None)
        reason = f"The series ends here because {why}."
        ledger.append(cup, ledger.Kind.CHANGED, {"fields": ["repeat_days"], "reason": reason})
        return None
    named = {field.name: getattr(cup, field.name) for field in fields(CupForm) if field.name not in ("game", "seats")}
    closes_at, starts_at = next(_later(cup, cup.repeat_days))
    form = CupForm(game=cup.ladder.game, seats=cup.ladder.seats, **named)
    following = store_cup(organizer, cup.ladder, replace(form, closes_at=closes_at, starts_at=starts_at), cup)
    following.co_organizers.set(cup.co_organizers.all())
    return following


def _failed_twice(cup: Cup) -> bool:
    """Whether ``cup`` and the one before had too few bots at their deadline."""
    last = (cup, cup.previous)
    return all(
        last_cup is not None and last_cup.state == Cup.State.CANCELLED and not last_cup.entrants_hash
        for last_cup in last
    )


def _later(cup: Cup, days: int) -> Iterator[tuple[datetime, datetime]]:
    """Deadline and start of the following cups, at the same local times. Days without one of the times are left out."""
    local = [time.astimezone(ZoneInfo(cup.time_zone)).replace(tzinfo=None) for time in (cup.closes_at, cup.starts_at)]
    while True:
        local = [time + timedelta(days=days) for time in local]
        closes_at, starts_at = (in_zone(time, cup.time_zone) for time in local)
        if closes_at is not None and starts_at is not None and closes_at >= timezone.now() + SOONEST:
            yield closes_at, max(starts_at, closes_at)  # clocks that are put back can exchange the two


def in_zone(local: datetime, zone: str) -> datetime | None:
    """The moment at which clocks in ``zone`` show ``local``, the first one if there are two.

    ``None`` if they never show it because they are put forward.
    """
    there = local.replace(tzinfo=ZoneInfo(zone), fold=0)
    try:
        back = there.astimezone(UTC).astimezone(ZoneInfo(zone))
    except OverflowError:
        return None
    return there if back.replace(tzinfo=None) == local else None
