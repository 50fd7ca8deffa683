"""The broker of Celery, for code that sends messages."""

from __future__ import annotations

from typing import Final

from celery import current_app
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

BROKER_ERRORS: Final = (OperationalError, RedisError, OSError)
"""What Celery and its connection raise while the broker is unavailable."""


def messages_in(queue: str) -> int:
    """Return the number of messages in ``queue`` that no worker has taken. Raises one of ``BROKER_ERRORS``."""
    with current_app.connection_or_acquire() as connection:
        count: int = connection.default_channel.queue_declare(queue=queue).message_count
    return count


MOST: Final = 1000
"""Messages that wait in a queue. More wait only where no Celery worker reads it, because only worker hosts play."""


def empty_unread(*queues: str, most: int = MOST) -> int:
    """Empty the queues with more than ``most`` messages; how many.

    Use it for messages that are hints, which are repeated if the work was not done. Raises one of ``BROKER_ERRORS``.
    """
    full = [queue for queue in queues if messages_in(queue) > most]
    with current_app.connection_or_acquire() as connection:
        for queue in full:
            connection.default_channel.queue_purge(queue)
    return len(full)
