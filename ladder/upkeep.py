"""Periodic upkeep of the site: several steps in one task, each of which is safe to run twice."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ladder.matches.leases import expire_leases
from ladder.matches.sweep import cancel_for_leave, end_overtaken_matches, end_unplayable_matches
from ladder.seasons import close_due, finish_closing, publish_keys

logger = logging.getLogger(__name__)


def each_of(*steps: Callable[[], object]) -> None:
    """Do each step, also after one that fails. Raises the first failure at the end, so that the task has failed."""
    failures: list[Exception] = []
    for step in steps:
        try:
            step()
        except Exception as error:  # raised below
            if failures:
                logger.exception("%s.%s failed as well", step.__module__, step.__qualname__)
            failures.append(error)
    if failures:
        raise failures[0]


def sweep() -> int:
    """Do the periodic work on matches and seasons; returns the number of leases that had expired. Safe to repeat.

    A match whose code was replaced while it was leased would never be claimed again, so unplayable matches are ended
    after leases expire. Live games have no worker: see ``ladder.live.sweep``.
    """
    expired = expire_leases()
    end_unplayable_matches()
    end_overtaken_matches()
    cancel_for_leave()
    close_due()
    finish_closing()
    publish_keys()
    return expired
