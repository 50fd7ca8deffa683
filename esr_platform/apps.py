from __future__ import annotations

from django.apps import AppConfig

from esr_platform import celery  # noqa: F401 - makes its application the one that every process sends tasks through


class PlatformConfig(AppConfig):
    """The app of the site: base templates, static files and the commands `run` and `demo-data`."""

    name = "esr_platform"
    label = "platform"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks of public sites, measure queries, and start optional reports."""
        from esr_platform import public  # noqa: F401
        from esr_platform.slow_queries import watch
        from esr_platform.telemetry import start_telemetry

        watch()
        start_telemetry()
