"""How many challenges one person may make, and one bot be asked. The numbers are settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from bots.models import Bot
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from ladder.models import Challenge, ChallengePlayer, Match

ANSWER_WITHIN: Final = timedelta(seconds=60)
MOST_ASKED: Final = 10
"""Open challenges for one bot: whoever wants to keep it from others would need as many accounts."""

MOST_REMATCHES: Final = 3
"""So often one person asks others for another game after the same one; once they have declined not any more."""

_DAY: Final = timedelta(days=1)
_DECLINED: Final = Challenge.State.DECLINED


def require_room(by: User) -> None:
    """Raises ``TooMany`` where ``by``, whose row the caller holds, has made all the challenges that one may."""
    mine = Challenge.objects.filter(by=by)
    going_on = mine.filter(Q(state=Challenge.State.OPEN) | Q(match__status=Match.Status.RUNNING))
    if going_on.count() >= settings.CHALLENGES_AT_ONCE:
        raise TooMany(
            f"{settings.CHALLENGES_AT_ONCE} of your challenges are open or being played, which is the most. Wait for"
            " one, or withdraw one.",
            int(ANSWER_WITHIN.total_seconds()),
        )
    if mine.filter(created__gt=timezone.now() - _DAY).count() >= settings.CHALLENGES_A_DAY:
        raise TooMany(
            f"You have made {settings.CHALLENGES_A_DAY} challenges within 24 hours, which is the most. Come back later."
        )


def require_not_too_often(by: User, people: Collection[int], again: Match | None = None) -> None:
    """Raises ``TooMany`` where ``by``, whose row the caller holds, has asked one of ``people`` all day long.

    Rematches are no part of that: each is of a game, ``again``, after which so many may be asked for.
    """
    asked = Challenge.objects.filter(by=by, again=again) if people and again is not None else None
    if asked is not None and (asked.filter(state=_DECLINED).exists() or asked.count() >= MOST_REMATCHES):
        raise TooMany("You have asked for another game already. Let them ask you.")
    lately = Challenge.objects.filter(by=by, again=None, created__gt=timezone.now() - _DAY)
    for person in people:
        if lately.filter(players__bot__owner=person).distinct().count() >= settings.CHALLENGES_TO_ONE_A_DAY:
            raise TooMany(
                f"You have challenged them {settings.CHALLENGES_TO_ONE_A_DAY} times within 24 hours, which is the most."
                " Let them ask you."
            )


def require_unasked(bots: Iterable[Bot]) -> None:
    """Raises ``TooMany`` where one of ``bots`` has as many open challenges to answer as may be."""
    for bot in bots:
        asked = ChallengePlayer.objects.filter(bot=bot, accepted=None, challenge__state=Challenge.State.OPEN)
        if asked.count() >= MOST_ASKED:
            raise TooMany(f"{bot.name} has {MOST_ASKED} challenges to answer. Try again in a minute.", 60)
