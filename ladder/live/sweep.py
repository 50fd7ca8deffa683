"""Periodic work on live games: missed deadlines, results to store, and games that cannot continue.

Deadlines do not depend on it: an answer that arrived in time counts, however late the sweeper runs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from django.db.models.functions import Now

from esr_platform.disconnects import run_isolated
from ladder.live.answers import GRACE, expire
from ladder.live.end import finish, void
from ladder.live.hosted import remind
from ladder.live.presence import notice_gone
from ladder.models import LiveSeat, Match

logger = logging.getLogger(__name__)

BROKEN: Final = "The site could not continue the game because of an internal error. It has no result."
TOO_LONG: Final = "The game exceeded the total time of its seats. It has no result."


def sweep_tables() -> int:
    """Do what is due at all tables. Returns the number of tables with something due. Safe to run concurrently."""
    running = Match.objects.filter(status=Match.Status.RUNNING, table__isnull=False)
    if not running.exists():
        return 0
    late = LiveSeat.objects.filter(owes=True, deadline__lt=Now() - GRACE, table__match__status=Match.Status.RUNNING)
    due = set(late.values_list("table", flat=True))
    over = set(running.filter(table__over=True).values_list("pk", flat=True))
    lost = set(running.filter(lease_until__lt=Now()).values_list("pk", flat=True))
    for match_id in sorted(due):
        _look_after(match_id, expire)
    for match_id in sorted(over):
        _look_after(match_id, finish)
    for match_id in sorted(lost - over):
        still = running.filter(pk=match_id, lease_until__lt=Now(), table__over=False).exists
        _look_after(match_id, partial(void, reason=TOO_LONG, still=still))
    looked_at = len(due | over | lost) + _done(remind)
    _done(notice_gone)
    return looked_at


def _done(step: Callable[[], int]) -> int:
    """Run one step and return its count. A failure does not affect other steps."""
    return run_isolated(step, 0, logger, "live table sweep step failed: %s", step)


def _look_after(match_id: int, do: Callable[[int], object]) -> None:
    """Do something at one table. If it fails, the match is void, and the other tables are not affected.

    If another transaction was in the way, the next run tries again.
    """

    def done() -> bool:
        do(match_id)
        return True

    if not run_isolated(done, False, logger, "live match %s cannot continue", match_id, busy=True):
        run_isolated(partial(void, match_id, BROKEN), False, logger, "live match %s not voided", match_id)
