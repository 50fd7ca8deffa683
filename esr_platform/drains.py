"""How the main process of a Celery worker learns that its machine is drained (``bots.drains``): by a key in Redis.

It has no connection to the database, so a copy with a short life tells it to take no messages.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterable
from typing import Final

from django.conf import settings
from redis.exceptions import RedisError

from esr_platform import figures

logger = logging.getLogger(__name__)

QUEUES: Final = frozenset(("on_time", "soon", "matches", "validations", "estimates"))
"""The Celery queues from which a drained machine takes nothing: those of the process ``bots``.

Decisions of live games and tasks of the site are short, and another machine may not be there for them.
"""

_KEY: Final = "drained:"
_KEPT_S: Final = 60
_LOOK_S: Final = 1.0


def announce(hosts: Iterable[str]) -> None:
    """Tell the Celery workers on ``hosts`` to take no messages. A failure is logged: the next ``sweep`` tries again."""
    try:
        for host in hosts:
            figures.client(settings.REDIS_URL).set(_KEY + host, 1, ex=_KEPT_S)
    except (RedisError, OSError) as error:
        logger.warning("cannot tell workers that their machine is drained: %s", error)


def withdraw(host: str) -> None:
    """Tell the Celery workers on ``host`` to take messages again. After a failure, they do so within ``_KEPT_S``."""
    try:
        figures.client(settings.REDIS_URL).delete(_KEY + host)
    except (RedisError, OSError) as error:
        logger.warning("cannot tell workers that their machine is resumed: %s", error)


class Announcement:
    """Whether the workers of this machine are to take no messages. It looks every ``_LOOK_S``."""

    def __init__(self) -> None:
        self._holds, self._looked_s = False, float("-inf")

    def holds(self) -> bool:
        """Whether they are. Without Redis, there are no messages, so the answer does not matter."""
        now_s = time.monotonic()
        if now_s >= self._looked_s + _LOOK_S:
            self._looked_s = now_s
            try:
                self._holds = bool(figures.client(settings.REDIS_URL).exists(_KEY + socket.gethostname()))
            except (RedisError, OSError):
                self._holds = False
        return self._holds
