"""Celery tasks of accounts. Each task is one call."""

from __future__ import annotations

from celery import shared_task

from esr_platform.account_pages import deletion, digests


@shared_task
def write_digests() -> None:
    """Send the digests that are due, at most one per user and day."""
    digests.write_all()


@shared_task
def erase_deleted() -> None:
    """Continue with deleted accounts of which data is left."""
    deletion.erase_all()
