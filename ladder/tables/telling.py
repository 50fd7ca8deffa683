"""Hints that something has changed at a table: to those who hold streams open, and to workers for hosted seats.

A hint may be lost or come twice; what is true stands in the rows. The message on ``CHANNEL`` is JSON:
``{"match": 12, "bots": [3, 5], "what": "decide", "in_ms": 0}``. ``what`` is one of ``began``, ``moved``, ``decide``,
``ended``, and without a match ``stream`` (a bot has a newer one) and ``challenged``; ``bots`` are the ids of those who
have something new to read; ``in_ms`` is how long from now until they may read it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Final, Literal

import orjson
from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import Redis, RedisError

from ladder.models import Chair
from ladder.tables.advancing import Held
from ladder.tables.clocks import milliseconds

logger = logging.getLogger(__name__)

CHANNEL: Final = "tables"
QUEUE: Final = "live"
SEATS: Final = "seats"
"""The queue of hosted seats is another one: while all who serve it wait for slow programs, tables are looked after."""

WAKE: Final = "ladder.tasks.wake_seat"
FINISH: Final = "ladder.tasks.finish_table"

What = Literal["began", "moved", "decide", "ended", "stream", "challenged"]

_TIMEOUT_S: Final = 1.0
_EXPIRES_S: Final = 60.0


def tell(match_id: int | None, what: What, bots: Iterable[int] = (), in_ms: int = 0) -> None:
    """Publish a hint once the transaction is committed, at once without one."""
    message = orjson.dumps({"match": match_id, "bots": sorted(bots), "what": what, "in_ms": in_ms})
    transaction.on_commit(partial(_publish, message), robust=True)


def save_and_tell(table: Held) -> None:
    """Write what happened at a table, if anything did, and tell of it."""
    if table.appended or table.asked:
        table.save()
        tell_of(table)


def tell_of(table: Held) -> None:
    """Tell those who are asked now, and everybody else that something has moved."""
    match_id = table.match.pk
    if table.position.table.over:
        end_soon(match_id)
        return
    now = table.clock_now
    remote = [chair for chair in table.asked if chair.kind != Chair.Kind.HOSTED]
    in_ms = max((milliseconds(now, chair.due_at) for chair in table.asked if chair.due_at), default=0)
    tell(match_id, "decide" if remote else "moved", [chair.seat.version.bot_id for chair in remote], in_ms)
    for chair in table.asked:
        if chair.kind == Chair.Kind.HOSTED:
            wake(match_id, chair.seat.index, in_ms)


def wake(match_id: int, seat: int, in_ms: int = 0, failed: int = 0) -> None:
    """Let a worker ask the hosted program of ``seat`` once the transaction is committed.

    ``failed`` is how often the platform has failed at that already.
    """
    transaction.on_commit(partial(_send, WAKE, (match_id, seat, failed), SEATS, in_ms / 1000), robust=True)


def end_soon(match_id: int) -> None:
    """Let a worker bring the result once the transaction is committed."""
    transaction.on_commit(partial(_send, FINISH, (match_id,), QUEUE), robust=True)


def _publish(message: bytes) -> None:
    try:
        _redis(settings.REDIS_URL).publish(CHANNEL, message)
    except (RedisError, OSError) as error:
        logger.warning("nobody hears that a table has changed: %s", error)


def _send(task: str, arguments: tuple[int, ...], queue: str, countdown_s: float = 0.0) -> None:
    try:
        current_app.send_task(
            task, args=arguments, queue=queue, countdown=countdown_s or None, expires=countdown_s + _EXPIRES_S
        )
    except (OperationalError, OSError) as error:
        logger.warning("%s%s waits for the broker: %s", task, arguments, error)


@lru_cache(maxsize=1)
def _redis(url: str) -> Redis:
    return Redis.from_url(url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S)
