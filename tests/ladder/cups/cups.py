"""Cups for tests: created, entered and played by random games."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from bots.models import Bot
from bots.tournaments.formats import FORMATS
from esr_platform.accounts.models import User
from ladder.cups.creation import CupForm, create_cup
from ladder.cups.progress import advance
from ladder.cups.registration import enter
from ladder.models import Cup, Match, Membership
from tests.build import finished, verified


def new_cup(
    format_: str, organizer: User | None = None, game: str = "edel-stein-reich", seats: int = 3, **more: Any
) -> Cup:
    """A cup in registration. If rounds can be chosen, it has three unless ``more`` says otherwise."""
    soon = timezone.now() + timedelta(hours=1)
    rounds = 3 if format_ in FORMATS and FORMATS[format_].has_chosen_rounds else None
    usual = {"closes_at": soon, "starts_at": soon, "rounds": rounds}
    form = CupForm(
        **{"title": f"Cup {format_} {seats}", "game": game, "seats": seats, "format": format_, **usual, **more}
    )
    return create_cup(organizer or verified("olga"), form)


def entered(cup: Cup, bots: Iterable[Bot]) -> Cup:
    """Enter house bots by the organizer, and other bots by their owners."""
    for bot in bots:
        by = bot.owner or cup.organizer
        assert by is not None
        enter(by, cup, bot)
    return cup


def house_bots(game: str = "edel-stein-reich", seats: int = 3, most: int = 7) -> list[Bot]:
    """Up to ``most`` house bots that play a format, by slug. Seven fill two tables of three, with a bye."""
    playing = Membership.objects.filter(
        ladder__game=game, ladder__seats=seats, ladder__players="hosted", bot__owner=None
    )
    return [membership.bot for membership in playing.select_related("bot").order_by("bot__slug")[:most]]


def due(cup: Cup, starts_at: datetime | None = None) -> Cup:
    """Let the deadline of ``cup`` be now, and its start also or at ``starts_at``."""
    now = timezone.now() - timedelta(seconds=1)
    Cup.objects.filter(pk=cup.pk).update(closes_at=now, starts_at=starts_at or now)
    advance()
    cup.refresh_from_db()
    return cup


def play_round(cup: Cup) -> None:
    """Finish all queued games of ``cup`` with random games, and advance."""
    queued = Match.objects.select_related("ladder", "block").filter(block__cup_table__round__cup=cup, status="queued")
    for match in queued.order_by("pk"):
        finished(match, variety=match.pk % 1000 + 10 * match.seating)
    advance()
    cup.refresh_from_db()


def played_out(cup: Cup) -> Cup:
    """Play ``cup`` to its end."""
    due(cup)
    for _ in range(60):
        if cup.state != Cup.State.RUNNING:
            return cup
        play_round(cup)
    raise AssertionError("the cup does not end")
