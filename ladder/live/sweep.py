"""Looks after the tables that nobody else moves: decisions nobody has answered, results to be brought, broken games.

What is exact is decided elsewhere: an answer that was in time counts however late the sweeper is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from django.db.models.functions import Now

from esr_platform.disconnects import run_isolated
from ladder.live.answers import GRACE, expire
from ladder.live.end import finish, void
from ladder.live.hosted import remind
from ladder.live.presence import notice_gone
from ladder.models import LiveSeat, Match

logger = logging.getLogger(__name__)

BROKEN: Final = "The platform could not go on with it. It is nobody's fault, and counts for nobody."
TOO_LONG: Final = "It had not ended when it should have, by the time of all its seats. It counts for nobody."


def sweep_tables() -> int:
    """Do what is due at every table; how many were looked at. Safe to run twice at once."""
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
        void(match_id, TOO_LONG, still)
    looked_at = len(due | over | lost) + _done(remind)
    _done(notice_gone)
    return looked_at


def _done(step: Callable[[], int]) -> int:
    """One step that fails must not hold up another one; of how many things it was."""
    return run_isolated(step, 0, logger, "live tables were not looked after: %s", step)


def _look_after(match_id: int, do: Callable[[int], object]) -> None:
    """One table that cannot go on must not hold up the others: it is void."""

    def looked_after() -> bool:
        do(match_id)
        return True

    if not run_isolated(looked_after, False, logger, "live match %s cannot go on", match_id):
        void(match_id, BROKEN)
