"""Celery tasks about the site itself. Each task is one call."""

from __future__ import annotations

from celery import shared_task

from esr_platform import figures
from esr_platform.accounts import mail


@shared_task
def heartbeat() -> None:
    """Note that the scheduler and the worker ``default`` work."""
    figures.note_scheduler()


@shared_task
def probe_mail() -> None:
    """Connect to the mail server and sign in (queue ``estimates``, because that can take a while)."""
    mail.probe()
