"""Periodic maintenance: several steps per task, each safe to repeat."""

from __future__ import annotations

import logging
from collections.abc import Callable

from bots import drains
from ladder.matches.leases import expire_leases
from ladder.matches.sweep import cancel_matches_of_paused_bots, end_overtaken_matches, end_unplayable_matches
from ladder.matches.worker_hosts import give_up_rechecks
from ladder.seasons import close_due, finish_closing, publish_keys

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
        give_up_rechecks,
        drains.announce_all,
    )
    return sum(expired)
