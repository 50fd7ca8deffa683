"""What Celery runs. A task decides nothing: it is one call."""

from __future__ import annotations

from celery import shared_task

from bots.uploads import storage
from ladder import season_statistics, upkeep, validations
from ladder.exhibitions import progress
from ladder.ledger import audit as auditing
from ladder.ledger import rebuild
from ladder.live import end as ending_tables
from ladder.live import hosted
from ladder.live import sweep as sweeping_tables
from ladder.matches import candidates, dispatch, logs, play, schedule
from ladder.matchmaking import guests, proposals, quick_pairing, remote_bots


@shared_task
def play_match(match_id: int) -> None:
    """Play one match, if it is still to be played, and send the next one of its block (queue ``matches``)."""
    if play.play(match_id) is not None:
        dispatch.send_next(match_id)


@shared_task
def check_next() -> None:
    """Go on with the check of an uploaded version (queue ``checks``)."""
    validations.check_next()


@shared_task
def keep_queues() -> None:
    """Schedule what there is room for, and tell the workers of what waits: matches, orders and checks."""
    upkeep.each_of(schedule.fill, progress.feed, dispatch.dispatch, validations.tell)


@shared_task
def keep_tables() -> None:
    """Give people who look for a game theirs, and do what is due at live tables (queue ``live``)."""
    upkeep.each_of(quick_pairing.pair, sweeping_tables.sweep_tables)


@shared_task
def sweep() -> None:
    """Take back the matches of lost workers, pin the versions of ladders whose deadline has passed, tidy the lobby."""
    upkeep.each_of(upkeep.sweep, candidates.freeze_all, guests.tidy)


@shared_task
def estimate() -> None:
    """Compute the estimates of seasons that have gone on (queue ``estimates``)."""
    from ladder import estimates  # here, so that only who computes them pays for numpy in memory

    estimates.estimate_due()


@shared_task
def gather() -> None:
    """Add blocks that have ended to the statistics."""
    season_statistics.gather()


@shared_task
def measure() -> None:
    """Measure seasons that have more blocks than when they were measured (queue ``estimates``)."""
    season_statistics.measure()


@shared_task
def audit() -> None:
    """Count whether the accounts of every ladder hold, and keep it for the metric (queue ``estimates``)."""
    auditing.audit_all()


@shared_task
def check_ratings() -> None:
    """Rebuild every rating from the ledgers, and keep what differs (queue ``estimates``)."""
    rebuild.rerate(check=True)


@shared_task
def forget_old_logs() -> None:
    """Delete owners' logs that have been kept long enough."""
    logs.forget_old_logs()


@shared_task
def forget_orphans() -> None:
    """Delete stored uploads that belong to no version."""
    storage.forget_orphans()


@shared_task
def seat() -> None:
    """Start games for remote bots that are online, and end unanswered challenges (queue ``live``)."""
    remote_bots.seat()
    proposals.expire()


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
    hosted.ask_seat(match_id, seat, failed)
