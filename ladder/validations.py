"""Validation of uploads for the site: hints for idle workers, and what follows from a validated version on ladders."""

from __future__ import annotations

import logging
from typing import Final

from celery import current_app
from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from bots.machines import one_may_be_repaired
from bots.models import BotVersion
from bots.sandbox.proof import RETRY_S
from bots.uploads import queue
from bots.uploads.queue import waiting
from ladder.matches.candidates import freeze
from ladder.members.memberships import enter

logger = logging.getLogger(__name__)

TASK: Final = "ladder.tasks.check_next"
TOLD_EVERY_S: Final = 2.0
AT_ONCE: Final = 16
"""Maximum number of messages per round. Messages do not name versions: the worker picks the next one."""


def tell() -> int:
    """Send the workers one message per waiting version, and return their number. Messages expire by the next round.

    If no version waits but a sandbox may be repaired, one message per ``RETRY_S`` makes a machine check it.
    """
    count = min(waiting().count(), AT_ONCE)
    try:
        if not count and one_may_be_repaired() and cache.add("sandbox-checked", True, RETRY_S):
            count = 1
        for _ in range(count):
            current_app.send_task(TASK, queue="checks", expires=TOLD_EVERY_S)
    except (OperationalError, OSError, RedisError) as error:
        logger.warning("cannot reach the broker, validation messages not sent: %s", error)
        return 0
    return count


def check_next() -> BotVersion | None:
    """Continue the next validation. Returns the version if it is now ready or rejected."""
    return queue.check_next(ended=_ended, before=lambda version: freeze(version.bot))


def _ended(version: BotVersion) -> None:
    """Join ladders in the same transaction that ends the validation."""
    if version.state == BotVersion.State.READY:
        enter(version.bot)
