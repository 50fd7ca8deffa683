"""Which people are online in the lobby, and notifications for them.

While the cache is unavailable, nobody counts as online in the lobby. Everything else works.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import timedelta
from secrets import token_hex
from typing import Final

from django.core.cache import cache, caches
from django.db.models import Q
from django.db.models.functions import Now
from redis import RedisError

from esr_platform.commits import after_commit
from ladder.live.notify import tell
from ladder.models import LiveSeat, Match

logger = logging.getLogger(__name__)

HERE_S: Final = 45
"""A person counts as offline after this time without a note. Notes are several times more frequent."""

AT_A_TABLE: Final = timedelta(seconds=90)
"""The same for players at a table, where notes are less frequent."""

AFTERWARDS: Final = timedelta(minutes=3)
"""How long a player counts as online after the end of a game. Nothing notes presence at ended games."""


def note_here(people: Collection[int]) -> None:
    """Note that these people, by id, are in the lobby."""
    if not people:
        return
    try:
        cache.set_many({_key(person): True for person in people}, HERE_S)
    except (RedisError, OSError) as error:
        logger.warning("lobby presence not written: %s", error)


def here_among(people: Collection[int]) -> set[int]:
    """The people of ``people``, by user id, who are online."""
    waiting = _in_lobby(people)
    return waiting | _playing(set(people) - waiting)


def _in_lobby(people: Collection[int]) -> set[int]:
    keys = {_key(person): person for person in people}
    try:
        return {keys[key] for key in cache.get_many(keys)} if keys else set()
    except (RedisError, OSError) as error:
        logger.warning("lobby presence not read: %s", error)
        return set()


def _playing(people: Collection[int]) -> set[int]:
    if not people:
        return set()
    plays = Q(table__match__status=Match.Status.RUNNING, seen_at__gt=Now() - AT_A_TABLE)
    has_played = Q(table__match__ended__gt=Now() - AFTERWARDS, seen_at__gt=Now() - AFTERWARDS - AT_A_TABLE)
    seen = LiveSeat.objects.filter(plays | has_played, kind=LiveSeat.Kind.PERSON, seat__version__bot__owner__in=people)
    return set(seen.order_by().values_list("seat__version__bot__owner", flat=True))


def _key(person: int) -> str:
    return f"people-here:{person}"


# --- Hints -----------------------------------------------------------------------------------------------------------

_VERSION: Final = "lobby-version"


def lobby_version() -> str:
    """Return a token that is different after every change that :func:`tell_lobby` announces."""
    return str(caches["pages"].get(_VERSION, ""))


def tell_lobby() -> None:
    """Tell all visitors of the lobby that it has changed, once the transaction is committed."""
    after_commit(_next_version)
    tell(None, "lobby")


def _next_version() -> None:
    caches["pages"].set(_VERSION, token_hex(8), None)


def tell_found(match: Match) -> None:
    """Tell the human players of ``match`` that their game begins, and the lobby that it has changed."""
    tell(match.pk, "found")
    tell_lobby()


def tell_asked() -> None:
    """Tell people that there is a new challenge, or that a challenge has ended."""
    tell(None, "challenge")
