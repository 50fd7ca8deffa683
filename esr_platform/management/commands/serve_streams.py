"""``manage.py serve_streams``: run a stream process."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from esr_platform.handover import StreamServer
from esr_platform.supervisor.processes import WEB_STOP_SECONDS


class Command(BaseCommand):
    help = "Serve streams of live games, whose connections the web servers of this machine hand over."
    requires_system_checks = ["public"]

    def handle(self, **_: Any) -> None:
        from esr_platform.asgi import stream_application  # loads the whole site, so only for this command

        server = StreamServer(stream_application, settings.VAR_DIR, WEB_STOP_SECONDS)
        try:
            server.run()
        except OSError as error:
            raise CommandError(f"Cannot listen for web servers in {settings.VAR_DIR}: {error}.") from None
