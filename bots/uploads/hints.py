"""Hints for workers that a version waits for its validation.

A hint names no version, because the worker picks the next one (``bots.uploads.queue``). It may be lost or arrive twice:
``ladder.validations.send_hints`` replaces lost ones every two seconds while versions wait.
"""

from __future__ import annotations

import logging
from typing import Final

from celery import current_app

from esr_platform.broker import BROKER_ERRORS
from esr_platform.commits import after_commit

logger = logging.getLogger(__name__)

TASK: Final = "ladder.tasks.validate_next"
QUEUE: Final = "validations"

EXPIRES_S: Final = 60.0
"""A worker discards older hints, so that it does not look for work many times after a long outage."""


def send(count: int = 1) -> int:
    """Send ``count`` hints and return their number; 0 if the broker is unavailable, which is only logged."""
    try:
        for _ in range(count):
            current_app.send_task(TASK, queue=QUEUE, expires=EXPIRES_S)
    except BROKER_ERRORS as error:
        logger.warning("cannot reach the broker, validation hints not sent: %s", error)
        return 0
    return count


def send_on_commit() -> None:
    """Send a hint once the transaction is committed."""
    after_commit(send)
