"""The site around the ladder: settings, Celery, URLs, accounts and the supervisor. Knows no rules of a game."""

from __future__ import annotations

from esr_platform.celery import app as celery_app

__all__ = ["celery_app"]
