"""Periodic maintenance: several steps per task, each safe to repeat."""

from __future__ import annotations

import logging
from collections.abc import Callable

from bots import drains
from bots.uploads import hints
from esr_platform.broker import BROKER_ERRORS, empty_unread
from ladder.live.notify import SEATS
from ladder.matches import dispatch
from ladder.matches.leases import expire_leases
from ladder.matches.sweep import cancel_matches_of_paused_bots, end_overtaken_matches, end_unplayable_matches
from ladder.seasons import close_due, finish_closing, publish_keys
from ladder.worker_hosts import rechecks

logger = logging.getLogger(__name__)


def run_all(*steps: Callable[[], object]) -> None:
    """Run all steps, even if one fails. Finally raise the first error, so that the task fails."""
    failures: list[Exception] = []
    for step in steps:
        try:
            step()
        except Exception as error:  # raised below
            if failures:
                logger.exception("%s.%s also failed", step.__module__, step.__qualname__)
            failures.append(error)
    if failures:
        raise failures[0]


def empty_unread_queues() -> None:
    """Empty the queues of hints that no Celery worker reads, because worker hosts ask the database instead."""
    try:
        empty_unread(dispatch.QUEUE, dispatch.SOON, dispatch.ON_TIME, SEATS, hints.QUEUE)
    except BROKER_ERRORS as error:
        logger.warning("broker unavailable, queues not read: %s", error)


def sweep() -> int:
    """Do the periodic work on matches and seasons and return the number of expired leases. Safe to repeat.

    A step that fails does not stop the others.
    Unplayable matches are ended after leases expire, because a match whose code was replaced during its lease would
    never be claimed again. Live games have no worker; see ``ladder.live.sweep``.
    """
    expired: list[int] = []
    run_all(
        lambda: expired.append(expire_leases()),
        end_unplayable_matches,
        end_overtaken_matches,
        cancel_matches_of_paused_bots,
        close_due,
        finish_closing,
        publish_keys,
        rechecks.give_up,
        drains.announce_all,
    )
    return sum(expired)
