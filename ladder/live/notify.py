"""Hints that a table has changed, for open streams and for the workers of hosted seats.

A hint can be lost or arrive twice; the rows are the truth. The message on ``CHANNEL`` is JSON:
``{"match": 12, "bots": [3, 5], "what": "decide", "in_ms": 0}``. ``what`` is one of ``What``; ``bots`` are the ids of
the bots that have something new to read; ``in_ms`` is the time until they may read it. A hint may bring the events of
its change: ``revision``, ``public_round``, ``seats`` and ``decisions`` (``ladder.live.publish``).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

import orjson
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis import Redis, RedisError

from bots import remote
from esr_platform.commits import after_commit
from ladder.models import LiveSeat

logger = logging.getLogger(__name__)

CHANNEL: Final = "tables"
QUEUE: Final = "live"
SEATS: Final = "seats"
"""The queue of hosted seats is another one: while all who serve it wait for slow programs, tables are looked after."""

LAST: Final = 9
"""The priority, as Redis queues have it, of what is done when nothing else waits."""

WAKE: Final = "ladder.tasks.wake_seat"
FINISH: Final = "ladder.tasks.finish_table"
SEAT: Final = "ladder.tasks.seat"

SEAT_PAUSE_S: Final = 0.25
"""How long a task that seats remote bots waits for more bots that become free. It bounds such tasks to 4 per second."""

_SEAT_SOON: Final = "seat-soon"
_SEAT_LATER: Final = "seat-later"

What = Literal[
    "began",
    "found",  # it began, and its players are people who may look at the lobby
    "moved",
    "decide",  # moved, and a remote bot is asked
    "chat",
    "ended",
    # without a match
    "stream",  # a bot has a newer one
    "challenged",  # bots have a challenge
    "challenge",  # people have a challenge, or a challenge has ended
    "lobby",
]

_TIMEOUT_S: Final = 1.0
_EXPIRES_S: Final = 60.0
_LOST_S: Final = 5.0
"""A task to seat remote bots that has not begun after this time is lost."""


def tell(match_id: int | None, what: What, bots: Iterable[int] = (), in_ms: int = 0) -> None:
    """Publish a hint once the transaction is committed, at once without one."""
    send_hint({"match": match_id, "bots": sorted(bots), "what": what, "in_ms": in_ms})


def send_hint(hint: Mapping[str, Any]) -> None:
    """Publish a hint with the events of its change in the same way."""
    after_commit(_send_to_redis, orjson.dumps(hint))


def tell_of_the_end(match_id: int) -> None:
    """Notify players and spectators that the game has ended. Remote bots get their next game after a short rest."""
    bots = rest_after(match_id)
    tell(match_id, "ended", bots)
    if bots:
        seat_soon()


def rest_after(match_id: int) -> list[int]:
    """Start no game of the remote bots of this match for a moment (``bots.remote.REST``). Returns their ids."""
    seated = LiveSeat.objects.filter(table=match_id, kind=LiveSeat.Kind.REMOTE)
    bots = list(seated.values_list("seat__version__bot", flat=True))
    if bots:
        remote.rest(bots)
    return bots


def seat_soon() -> None:
    """Let a worker seat remote bots once the transaction is committed. While one such task waits, this adds none."""
    after_commit(_seat, _SEAT_SOON, SEAT_PAUSE_S, SEAT_PAUSE_S + _LOST_S)


def seat_later(in_s: float) -> None:
    """Let a worker seat remote bots again after ``in_s``, unless one will by then."""
    _seat(_SEAT_LATER, in_s, in_s)


def seating_begins() -> None:
    """Note that remote bots are seated now. Bots that become free after this need another task."""
    try:
        cache.delete(_SEAT_SOON)
    except (RedisError, OSError) as error:
        logger.warning("hint to pair remote bots may be lost: %s", error)


def wake(match_id: int, seat: int, in_ms: int = 0, failed: int = 0, *, last: bool = False) -> None:
    """Let a worker ask the hosted program of ``seat`` once the transaction is committed.

    ``failed`` is how often the platform has failed at that already. ``last`` says that all others come first.
    """
    priority = LAST if last else None
    after_commit(_send, WAKE, (match_id, seat, failed), SEATS, in_ms / 1000, priority)


def end_soon(match_id: int) -> None:
    """Let a worker store the result once the transaction is committed."""
    after_commit(_send, FINISH, (match_id,), QUEUE)


def _send_to_redis(message: bytes) -> None:
    try:
        redis_client(settings.REDIS_URL).publish(CHANNEL, message)
    except (RedisError, OSError) as error:
        logger.warning("change of a table not published: %s", error)


def _seat(key: str, in_s: float, kept_s: float) -> None:
    """Send the task unless one waits already, as ``key`` says. Beat sends it as well, so a lost hint costs 5 s."""
    try:
        if cache.add(key, True, kept_s):
            _send(SEAT, (), QUEUE, in_s)
    except (RedisError, OSError) as error:
        logger.warning("remote bots are not paired before the next scheduler run: %s", error)


def _send(
    task: str, arguments: tuple[int, ...], queue: str, countdown_s: float = 0.0, priority: int | None = None
) -> None:
    expires = countdown_s + _EXPIRES_S
    try:
        current_app.send_task(
            task, args=arguments, queue=queue, countdown=countdown_s or None, expires=expires, priority=priority
        )
    except (OperationalError, OSError) as error:
        logger.warning("task %s%s not sent, broker unavailable: %s", task, arguments, error)


@lru_cache(maxsize=2)
def redis_client(url: str, timeout_s: float = _TIMEOUT_S) -> Redis:
    """The client of this process for ``settings.REDIS_URL``. It connects with the first command."""
    return Redis.from_url(url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s)
