"""What Celery runs. A task decides nothing: it is one call."""

from __future__ import annotations

from celery import shared_task

from bots import orphans
from ladder import (
    auditing,
    checks,
    dispatching,
    freezing,
    gathering,
    owner_logs,
    playing,
    rebuilding,
    scheduling,
    sweeping,
    upkeep,
)
from ladder.challenges import challenging
from ladder.lobby import guests, quick, tidying
from ladder.orders import feeding
from ladder.seating import sitting_down
from ladder.tables import ending as ending_tables
from ladder.tables import sweeping as sweeping_tables
from ladder.tables import waking


@shared_task
def play_match(match_id: int) -> None:
    """Play one match, if it is still to be played, and send the next one of its block (queue ``matches``)."""
    if playing.play(match_id) is not None:
        dispatching.send_next(match_id)


@shared_task
def check_next() -> None:
    """Go on with the check of an uploaded version (queue ``checks``)."""
    checks.check_next()


@shared_task
def keep_queues() -> None:
    """Schedule what there is room for, and tell the workers of what waits: matches, orders and checks."""
    upkeep.each_of(scheduling.fill, feeding.feed, dispatching.dispatch, checks.tell)


@shared_task
def keep_tables() -> None:
    """Give people who look for a game theirs, and do what is due at live tables (queue ``live``)."""
    upkeep.each_of(quick.pair, sweeping_tables.sweep_tables)


@shared_task
def sweep() -> None:
    """Take back the matches of lost workers, pin the versions of ladders whose deadline has passed, tidy the lobby."""
    upkeep.each_of(sweeping.sweep, freezing.freeze_all, tidying.tidy)


@shared_task
def estimate() -> None:
    """Compute the estimates of seasons that have gone on (queue ``estimates``)."""
    from ladder import estimating  # here, so that only who computes them pays for numpy in memory

    estimating.estimate_due()


@shared_task
def gather() -> None:
    """Add blocks that have ended to the statistics."""
    gathering.gather()


@shared_task
def measure() -> None:
    """Measure seasons that have more blocks than when they were measured (queue ``estimates``)."""
    from ladder import measuring  # here, so that only who measures pays for numpy in memory

    measuring.measure()


@shared_task
def audit() -> None:
    """Count whether the accounts of every ladder hold, and keep it for the metric (queue ``estimates``)."""
    auditing.audit_all()


@shared_task
def check_ratings() -> None:
    """Rebuild every rating from the ledgers, and keep what differs (queue ``estimates``)."""
    rebuilding.rerate(check=True)


@shared_task
def forget_old_logs() -> None:
    """Delete owners' logs that have been kept long enough."""
    owner_logs.forget_old_logs()


@shared_task
def forget_orphans() -> None:
    """Delete stored uploads that belong to no version."""
    orphans.forget_orphans()


@shared_task
def seat() -> None:
    """Start games for remote bots that are online, and end unanswered challenges (queue ``live``)."""
    sitting_down.seat()
    challenging.expire()


@shared_task
def forget_guests() -> None:
    """Forget who sat at the games of guests, and sessions that are over."""
    guests.forget_guests()


@shared_task
def finish_table(match_id: int) -> None:
    """Bring the result of a live game that is over (queue ``live``)."""
    ending_tables.finish(match_id)


@shared_task
def wake_seat(match_id: int, seat: int, failed: int = 0) -> None:
    """Ask a hosted program at a live table for its decision (queue ``seats``)."""
    waking.ask_seat(match_id, seat, failed)
