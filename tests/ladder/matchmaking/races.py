"""Actions for races on the lobby. ``tests.services.races`` runs them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.test import override_settings

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.chat import say
from ladder.matchmaking import guests, proposals, quick_pairing
from ladder.matchmaking.guests import guest_of, play_now
from ladder.matchmaking.proposals import answer, rematch
from ladder.models import Ladder, Match, Proposal
from tests.ladder import races
from tests.ladder.matchmaking.people import level
from tests.services.races import Act, Actions


def pairing(times: int) -> Act:
    return lambda: sum(quick_pairing.pair() for _ in range(times))


def looking(person: int, ladder: int, times: int) -> Act:
    """Look for a game and stop again, so often; at the end look. How often it was stopped before it was found."""
    user, where = User.objects.get(pk=person), Ladder.objects.get(pk=ladder)

    def act() -> int:
        stopped = 0
        for _ in range(times):
            _or(None, partial(quick_pairing.look_for, user, where))
            stopped += quick_pairing.stop(user)
        _or(None, partial(quick_pairing.look_for, user, where))
        return stopped

    return act


def taking(seek: int, person: int, times: int = 1) -> Act:
    """Sit down, so often after standing up again; what became of the offer, ``None`` where that was refused."""
    made, user = Proposal.objects.get(pk=seek), User.objects.get(pk=person)

    def act() -> str | None:
        for _ in range(times - 1):
            _or(None, partial(proposals.join, made, user))
            _or(None, partial(proposals.leave, made, user))
        done = _or(None, partial(proposals.join, made, user))
        return None if done is None else str(done.state)

    return act


def withdrawing(seek: int) -> Act:
    made = Proposal.objects.select_related("by").get(pk=seek)
    return lambda: _state(partial(proposals.withdraw, made, made.by))


def offering(person: int, ladder: int, kind: str, times: int) -> Act:
    """Offer the same seats so often; which offers that were."""
    user, where = User.objects.get(pk=person), Ladder.objects.get(pk=ladder)
    made = partial(proposals.create_game, user, where, kind=kind)
    return lambda: [proposal.pk for proposal in (_or(None, made) for _ in range(times)) if proposal is not None]


def accepting(challenge: int, bot: int) -> Act:
    made, asked = Proposal.objects.get(pk=challenge), Bot.objects.get(pk=bot)
    return lambda: _state(partial(answer, made, asked, True))


def rematching(match: int, person: int) -> Act:
    played, user = Match.objects.select_related("ladder", "block").get(pk=match), User.objects.get(pk=person)
    return lambda: _state(partial(rematch, played, user))


def rematching_as_guest(match: int, secret: str) -> Act:
    played, guest = Match.objects.select_related("ladder", "block", "table").get(pk=match), guest_of(secret, "")
    return lambda: _state(partial(rematch, played, guest))


def playing_now(ladder: int, secret: str | None, address: str, times: int, limits: dict[str, Any]) -> Act:
    """Begin games as guests; which they are."""
    where = Ladder.objects.get(pk=ladder)

    def act() -> list[int]:
        easy = {**settings.REQUESTS_PER_MINUTE, "guests": 1000}
        with override_settings(REQUESTS_PER_MINUTE=easy, **limits):
            begun = [_or(None, partial(play_now, where, level(2), secret, address)) for _ in range(times)]
        return [game[0].pk for game in begun if game is not None]

    return act


def joining(token: str, secret: str, name: str, times: int) -> Act:
    """Join a game by link as a guest. Returns the state of the game, ``None`` if refused."""
    guest = guest_of(secret, "192.0.2.9", name)

    def act() -> str | None:
        return [_state(partial(proposals.join, token, guest)) for _ in range(times)][-1]

    return act


def tidying_up(times: int) -> Act:
    return lambda: sum(guests.tidy() for _ in range(times))


def talking(match: int, seat: int, person: int, times: int, most: int) -> Act:
    """Say so many things; how many could be said."""
    user = User.objects.get(pk=person)

    def act() -> int:
        with override_settings(MAX_CHAT_LINES_PER_GAME=most, MAX_CHAT_LINES_PER_MINUTE=1000):
            lines = [_or(None, partial(say, match, seat, user, text=f"{os.getpid()} {n}")) for n in range(times)]
        return sum(line is not None for line in lines)

    return act


def _or(otherwise: Any, do: Callable[[], Any]) -> Any:
    try:
        return do()
    except Refused:
        return otherwise


def _state(do: Callable[[], Any]) -> str | None:
    made = _or(None, do)
    return None if made is None else str(made.state)


ACTIONS: Actions = {
    **races.ACTIONS,
    "pairing": pairing,
    "looking": looking,
    "taking": taking,
    "withdrawing": withdrawing,
    "offering": offering,
    "accepting": accepting,
    "rematching": rematching,
    "rematching_as_guest": rematching_as_guest,
    "playing_now": playing_now,
    "joining": joining,
    "tidying_up": tidying_up,
    "talking": talking,
}
