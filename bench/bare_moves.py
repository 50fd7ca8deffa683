"""Compare the CPU time of a move with that of its database statements and its message alone.

``bench.people`` calls :func:`measured` with the site that it has started. Two people play a duel in this process by the
function that the web server calls. Then the statements of each move are executed again in one transaction, and the same
message is published. This is what a bare view does that knows no rules, views or events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from time import sleep, thread_time
from typing import Any, NamedTuple
from unittest.mock import patch

import orjson
from django.conf import settings
from django.db import connection, transaction

MOVES = 60
"""A duel has more moves than this."""

PAUSE_S = 0.01
"""Between two moves. A decision is visible as soon as the database's time has passed that of the move before."""

WARM_UP = 10
"""The first moves do not count: they prepare statements and fill caches."""


@dataclass
class Writes:
    """The statements of a move with their parameters, and its messages on Redis."""

    statements: list[tuple[str, Sequence[Any]]] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)

    def publish(self, message: bytes) -> None:
        """Note and publish a message."""
        self.messages.append(message)
        _publish(message)

    def note(self, execute: Callable[..., Any], sql: str, params: Sequence[Any], many: bool, context: Any) -> Any:
        """Wrap the execution of a statement (``connection.execute_wrapper``)."""
        if not sql.startswith(("BEGIN", "SAVEPOINT", "RELEASE")):
            self.statements.append((sql, params))
        return execute(sql, params, many, context)

    def repeat(self) -> None:
        """Execute the statements and publish the messages again."""
        with transaction.atomic():
            for sql, params in self.statements:
                with connection.cursor() as cursor:
                    cursor.execute(sql, params)
                    if cursor.description is not None:
                        cursor.fetchall()
        for message in self.messages:
            _publish(message)


def _publish(message: bytes) -> None:
    from ladder.live.notify import CHANNEL, redis_client

    redis_client(settings.REDIS_URL).publish(CHANNEL, message)


class MoveCosts(NamedTuple):
    """Milliseconds of CPU time per move: as the site plays it, and of its statements and messages alone."""

    played_ms: float
    bare_ms: float


def measured(match_id: int) -> MoveCosts:
    """Play moves of a new duel between two people, then repeat what they have written."""
    from ladder.live import answers, notify, rows
    from ladder.models import PlayedMove

    random, written, played_s, bare_s = Random(match_id), list[Writes](), list[float](), list[float]()
    for _ in range(MOVES):
        sleep(PAUSE_S)
        position, writes = rows.position_at(match_id), Writes()
        assert position is not None
        seat = next(seat for seat, live_seat in enumerate(position.live_seats) if live_seat.owes)
        body = orjson.dumps({"move": position.state().random_move(seat, random)})
        with (
            connection.execute_wrapper(writes.note),
            patch.object(notify, "_send_to_redis", writes.publish),
        ):
            began_s = thread_time()
            answer = answers.answer_seat(match_id, seat, position.live_seats[seat].asked, body)
            played_s.append(thread_time() - began_s)
        assert answer.verdict == "played", answer
        written.append(writes)
    PlayedMove.objects.filter(match=match_id).delete()
    for writes in written:
        began_s = thread_time()
        writes.repeat()
        bare_s.append(thread_time() - began_s)
    return MoveCosts(_mean_ms(played_s), _mean_ms(bare_s))


def _mean_ms(used_s: Sequence[float]) -> float:
    return 1000 * sum(used_s[WARM_UP:]) / len(used_s[WARM_UP:])
