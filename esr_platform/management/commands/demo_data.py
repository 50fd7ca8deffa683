"""``manage.py demo-data``: fill a demo site by playing real matches."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from esr_platform.demo.activities import strangers
from esr_platform.demo.program import fill_by_playing
from esr_platform.management.commands.run import INTERRUPTED, listen_to_signals
from esr_platform.public import is_public
from esr_platform.supervisor.problems import SiteProblem
from esr_platform.supervisor.site import SiteLocation
from esr_platform.supervisor.terminal import Terminal
from ladder.matches.schedule import house_blocks_for


class Command(BaseCommand):
    help = (
        "Fill a demo site with users, bots, ladders and matches. All matches are really played, by the workers of the"
        " running site if there is one. Run the command again to continue after an interruption."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--matches", type=int, default=2000, metavar="N", help="total number of finished matches (default: 2000)"
        )
        parser.add_argument("--port", type=int, default=8000, help="HTTP port of a new site (default: 8000)")
        parser.add_argument(
            "--anyway", action="store_true", help="also fill a public site or a site with real accounts"
        )

    def handle(self, *, matches: int, port: int, anyway: bool, **_: Any) -> None:
        if matches < 1:
            raise CommandError("--matches must be at least 1.")
        location = SiteLocation(
            settings.BASE_DIR,
            settings.VAR_DIR,
            port,
            settings.REDIS_URL,
            house_blocks_per_hour=house_blocks_for(matches),
        )
        terminal, begun = Terminal(), time.monotonic()
        listen_to_signals()
        try:
            if not anyway:
                require_a_demo_site("demo-data")
            fill_by_playing(matches, location, terminal, partial(call_command, "prepare"))
        except SiteProblem as problem:
            raise CommandError(f"{problem}.") from None
        except KeyboardInterrupt:
            terminal.say("Stopped. Run the same command again to continue.")
            raise SystemExit(INTERRUPTED) from None
        terminal.say(
            f"The site has {matches} matches ({(time.monotonic() - begun) / 60:.1f} min). Start it with `make run`."
        )


def require_a_demo_site(command: str) -> None:
    """Raise ``CommandError`` if the site is public or has accounts of real people. It names ``command``."""
    anyway = f"run `.venv/bin/python manage.py {command} --anyway`"
    if is_public(settings.ALLOWED_HOSTS):
        raise CommandError(f"This site is public (see ALLOWED_HOSTS). To add demo accounts to it, {anyway}.")
    try:
        number = strangers()
    except OperationalError:  # a new data folder without tables
        return
    if number:
        raise CommandError(
            f"This site has {number} real {'account' if number == 1 else 'accounts'}, and demo bots would join the same"
            f" ladders. To continue, {anyway}, or set VAR_DIR to a new folder."
        )
