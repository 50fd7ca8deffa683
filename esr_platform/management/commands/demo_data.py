"""``manage.py demo-data``: a site that looks alive, by really playing."""

from __future__ import annotations

import logging
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from esr_platform.demo.activities import strangers
from esr_platform.demo.program import fill_by_playing
from esr_platform.management.commands.run import INTERRUPTED, listen_to_signals, prepare
from esr_platform.public import is_public
from esr_platform.supervisor.problems import Problem
from esr_platform.supervisor.site import Place
from esr_platform.supervisor.terminal import Terminal
from ladder.matches.schedule import house_blocks_for


class Command(BaseCommand):
    help = (
        "Fills a site with people, bots, ladders and matches, by really playing: on all cores, with the workers of the"
        " site that runs here or some of its own. Called again, it goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=2000, help="how many the site has in the end, in all")
        parser.add_argument("--port", type=int, default=8000, help="of the pages while it plays, if no site runs")
        parser.add_argument("--anyway", action="store_true", help="also where there are accounts of real people")

    def handle(self, *, matches: int, port: int, anyway: bool, **_: Any) -> None:
        if matches < 1:
            raise CommandError("Ask for a match at least: --matches 2000.")
        house_blocks = house_blocks_for(matches)
        place = Place(settings.BASE_DIR, settings.VAR_DIR, port, settings.REDIS_URL, house_blocks_per_hour=house_blocks)
        terminal, begun = Terminal(), time.monotonic()
        logging.getLogger().setLevel(place.environment["LOG_LEVEL"].upper())  # as in the processes of the site
        listen_to_signals()
        try:
            if not anyway:
                _require_a_demo_site()
            fill_by_playing(matches, place, terminal, prepare)
        except Problem as problem:
            raise CommandError(f"{problem}.") from None
        except KeyboardInterrupt:
            terminal.say("Stopped. Say the same again to go on.")
            raise SystemExit(INTERRUPTED) from None
        terminal.say(f"The site has {matches} matches, after {(time.monotonic() - begun) / 60:.1f} min: make run")


def _require_a_demo_site() -> None:
    """Raises ``CommandError`` where others can reach the site, or somebody real has an account on it."""
    if is_public(settings.ALLOWED_HOSTS):
        raise CommandError("Others can reach this site (ALLOWED_HOSTS). Bots of people who are none: only --anyway.")
    try:
        number = strangers()
    except OperationalError:  # a new folder, without tables
        return
    if number:
        raise CommandError(
            f"{number} accounts here belong to real people, beside whose bots the demo's would stand in the ladders."
            " Say --anyway, or set VAR_DIR to a new folder."
        )
