"""Challenges as those see them who are part of them: who made one, and the owners of the bots that are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from bots.models import Bot
from bots.protocol import Limits
from esr_platform.accounts.models import User
from ladder.models import Challenge, ChallengePlayer
from ladder.persons import PEOPLE_LIMITS


def challenges_seen_by(person: User) -> QuerySet[Challenge]:
    """Those that ``person`` has made, or whose table a bot of theirs is to sit at. Nobody else knows of them."""
    theirs = ChallengePlayer.objects.filter(bot__owner=person).values("challenge")
    return Challenge.objects.filter(Q(by=person) | Q(pk__in=theirs)).select_related("ladder", "by")


def waiting_for(bot: int) -> list[dict[str, Any]]:
    """The challenges that wait for the word of a remote bot, as documents, the oldest first."""
    asked = ChallengePlayer.objects.filter(bot=bot, accepted=None).values("challenge")
    still_open = Challenge.objects.filter(pk__in=asked, state=Challenge.State.OPEN, expires__gt=Now())
    return documents(still_open.select_related("ladder", "by").order_by("pk"))


def documents(challenges: Iterable[Challenge]) -> list[dict[str, Any]]:
    """``challenges``, which come with their ladder and who made them, as JSON values; one query."""
    rows = list(challenges)
    players = ChallengePlayer.objects.filter(challenge__in=rows).select_related("bot__owner").order_by("index")
    by_challenge: dict[int, list[ChallengePlayer]] = {one.pk: [] for one in rows}
    for player in players:
        by_challenge[player.challenge_id].append(player)
    return [_document(one, by_challenge[one.pk]) for one in rows]


def _document(challenge: Challenge, players: Sequence[ChallengePlayer]) -> dict[str, Any]:
    ladder = challenge.ladder
    return {
        "id": challenge.pk,
        "ladder": ladder.slug,
        "game": ladder.game,
        "seats": ladder.seats,
        "by": challenge.by.username,
        "state": challenge.state,
        "players": [_player(player) for player in players],
        "rated": challenge.rated,
        "limits": _limits(challenge, players),
        "expires": challenge.expires.isoformat(),
        "match": challenge.match_id,
    }


def _limits(challenge: Challenge, players: Iterable[ChallengePlayer]) -> dict[str, Any]:
    """What a seat may use up: what was agreed on, else what people have, else the ladder's."""
    if challenge.limits:
        return dict(challenge.limits)
    people = any(player.bot.kind == Bot.Kind.PERSON for player in players)
    return asdict(Limits(**(PEOPLE_LIMITS if people else challenge.ladder.limits)))


def _player(player: ChallengePlayer) -> dict[str, Any]:
    return {
        "bot": player.bot.slug,
        "name": player.bot.name,
        "owner": player.bot.owner.username if player.bot.owner else None,
        "accepted": player.accepted,
    }
