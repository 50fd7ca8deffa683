from __future__ import annotations

from django.apps import AppConfig

from esr_platform import celery  # noqa: F401 - makes its application the one that every process sends tasks through


class PlatformConfig(AppConfig):
    """The site itself: its base templates, its static files and the command `run`."""

    name = "esr_platform"
    label = "platform"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have `manage.py check` look at what a public site needs."""
        from esr_platform import public  # noqa: F401
