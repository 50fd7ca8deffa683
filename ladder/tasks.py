"""Celery tasks. They contain no logic. The queue of each is in ``CELERY_TASK_ROUTES``."""

from __future__ import annotations

from celery import shared_task

from bots.uploads import storage
from ladder import season_statistics, upkeep, validations
from ladder.cups import progress as cup_progress
from ladder.cups import schedules
from ladder.exhibitions import progress as exhibition_progress
from ladder.ledger.integrity import verify_all
from ladder.ledger.rebuild import rerate
from ladder.live import hosted
from ladder.live.end import finish
from ladder.live.sweep import sweep_tables
from ladder.matches import dispatch, logs, play, playing_versions, schedule
from ladder.matchmaking import guests, proposals, quick_pairing, remote_bots
from ladder.worker_hosts import rechecks


@shared_task
def play_match(match_id: int) -> None:
    """Play a match unless it has already ended, and send the next match of its block.

    The end of a block can begin the next round of a cup.
    """
    if play.play(match_id) is not None and not dispatch.send_next(match_id):
        cup_progress.advance(after=match_id)


@shared_task
def play_again() -> None:
    """Play a game of a worker host again (queue ``matches``)."""
    rechecks.play()


@shared_task
def validate_next() -> None:
    """Continue the validation of an uploaded version (queue ``validations``)."""
    validations.validate_next()


@shared_task
def keep_queues() -> None:
    """Schedule matches, send queued matches and match requests to the workers, and repeat hints for validations."""
    upkeep.run_all(
        schedule.fill,
        exhibition_progress.feed,
        cup_progress.advance,
        dispatch.dispatch,
        validations.send_hints,
        rechecks.send,
        upkeep.empty_unread_queues,
    )


@shared_task
def keep_tables() -> None:
    """Pair players in the quick pairing and update live tables (queue ``live``)."""
    upkeep.run_all(quick_pairing.pair, sweep_tables)


@shared_task
def sweep() -> None:
    """Requeue matches of lost workers, freeze versions of ladders after their deadline and clean up the lobby."""
    upkeep.run_all(upkeep.sweep, playing_versions.freeze_all, guests.tidy)


@shared_task
def estimate() -> None:
    """Update the schedules of cups and the estimates of seasons with new results (queue ``estimates``)."""
    from ladder import estimates  # imported here so that only this worker loads numpy

    upkeep.run_all(schedules.update_due, estimates.estimate_due)


@shared_task
def gather() -> None:
    """Add finished blocks to the statistics."""
    season_statistics.gather()


@shared_task
def measure() -> None:
    """Compute the season statistics of seasons with new blocks (queue ``estimates``)."""
    season_statistics.measure()


@shared_task
def audit() -> None:
    """Run the integrity checks of every ladder and store the results for the metrics (queue ``estimates``)."""
    verify_all()


@shared_task
def check_ratings() -> None:
    """Compare every rating with the ledgers and store the differences (queue ``estimates``)."""
    rerate(check=True)


@shared_task
def forget_old_logs() -> None:
    """Delete expired bot logs."""
    logs.forget_old_logs()


@shared_task
def forget_orphans() -> None:
    """Delete stored uploads without a version."""
    storage.forget_orphans()


@shared_task
def seat() -> None:
    """Start games for remote bots that are online, and end unanswered challenges (queue ``live``)."""
    remote_bots.seat()
    proposals.expire()


@shared_task
def forget_guests() -> None:
    """Anonymize finished guest games and delete expired sessions."""
    guests.forget_guests()


@shared_task
def finish_table(match_id: int) -> None:
    """Store the result of a live game that has ended (queue ``live``)."""
    finish(match_id)


@shared_task
def wake_seat(match_id: int, seat: int, failed: int = 0) -> None:
    """Ask a hosted bot at a live table for its decision (queue ``seats``)."""
    hosted.ask_seat(match_id, seat, failed)
