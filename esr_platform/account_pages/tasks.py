"""What Celery runs for people. A task decides nothing: it is one call."""

from __future__ import annotations

from celery import shared_task

from esr_platform.account_pages import deletion, emails


@shared_task
def write_digests() -> None:
    """Email their news to people, at most once a day each."""
    emails.write_all()


@shared_task
def erase_deleted() -> None:
    """Go on with accounts that were deleted and of which something is still there."""
    deletion.erase_all()
