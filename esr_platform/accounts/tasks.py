"""What Celery runs for people. A task decides nothing: it is one call."""

from __future__ import annotations

from celery import shared_task

from esr_platform.accounts import letters


@shared_task
def write_letters() -> None:
    """Write to the owners of bots that were refused or put on leave."""
    letters.write_all()
