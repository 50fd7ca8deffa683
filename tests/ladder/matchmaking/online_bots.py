"""Remote bots that are here, each of an owner of its own, on ladders that the tests name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models import F

from bots.models import Bot, RemoteBot
from bots.remote import note_seen
from ladder.members.memberships import register
from ladder.models import Ladder, Match, Seat
from tests.build import DUEL, DUEL_ONLY, person

REMOTE, OPEN = f"{DUEL}-remote", f"{DUEL}-open"


def only(*slugs: str) -> list[Ladder]:
    """The ladders of these addresses; all others are closed."""
    Ladder.objects.exclude(slug__in=slugs).update(open=False)
    return [Ladder.objects.get(slug=slug) for slug in slugs]


def online_bots(*names: str, formats: Any = DUEL_ONLY, games_at_once: int = 1) -> list[Bot]:
    """Bots of these people that are here."""
    bots = [register(person(name), f"{name} afar", formats, games_at_once=games_at_once).bot for name in names]
    note_seen([bot.pk for bot in bots])
    return bots


def waited(seconds: float = 60.0) -> None:
    """As if everybody who waits had come and waited so much longer."""
    passed = timedelta(seconds=seconds)
    RemoteBot.objects.update(here_since=F("here_since") - passed, waits_since=F("waits_since") - passed)


def at(match: Match) -> set[str]:
    """Who sits at the table, by name."""
    return set(Seat.objects.filter(match=match).values_list("version__bot__name", flat=True))


def running() -> Sequence[Match]:
    """The games that run, in the order in which they began."""
    return Match.objects.filter(status=Match.Status.RUNNING).select_related("ladder", "block").order_by("pk")
