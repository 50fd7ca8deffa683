"""``manage.py prepare``: all that a site needs before its processes start, for the first time or in a new version."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from esr_platform.disconnects import connection_problem
from ladder.creation import open_house


class Command(BaseCommand):
    help = "Migrate the database, collect static files and create the house bots. `run` does it at each start."
    requires_system_checks = ["database", "public"]

    def handle(self, **_: Any) -> None:
        if problem := connection_problem():  # the pool would try for 10 s
            raise CommandError(f"{problem}. Create the database or correct DATABASE_URL.")
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        open_house()
