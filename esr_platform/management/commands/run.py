"""``manage.py run``: the whole site in one terminal."""

from __future__ import annotations

import contextlib
import errno
import signal
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from bots.sandbox import self_test
from esr_platform.accounts.demo import demo_login
from esr_platform.supervisor.problems import Problem
from esr_platform.supervisor.site import NO_MATCH_SECONDS, STOP_SIGNALS, Place, Site
from esr_platform.supervisor.terminal import Terminal, finished_matches, show_tables
from ladder.creation import open_house
from ladder.matches.schedule import house_blocks_for

INTERRUPTED = 130
"""The exit code of a program that ended by Ctrl-C before it was done, as shells count it."""


class Command(BaseCommand):
    help = "Starts Redis, the pages, the workers and the clock, shows the first matches and stays up until Ctrl-C."
    requires_system_checks = ["database", "public"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=60, help="show progress until this many are finished")
        parser.add_argument(
            "--exit", dest="ends", action="store_true", help="stop after them and show the ladder tables"
        )
        parser.add_argument("--port", type=int, default=8000, help="of the pages")

    def handle(self, *, matches: int, ends: bool, port: int, **_: Any) -> None:
        house_blocks = house_blocks_for(matches)
        place = Place(settings.BASE_DIR, settings.VAR_DIR, port, settings.REDIS_URL, house_blocks_per_hour=house_blocks)
        terminal = Terminal()
        site = Site(place, terminal)
        listen_to_signals()
        try:
            with _problems_said(), site.up(prepare):
                _say_how_to_sign_in(terminal)
                _say_whether_the_sandbox_holds(terminal)
                site.play(matches, finished_matches, NO_MATCH_SECONDS if ends else None)
                if not ends:
                    show_tables(terminal)
                    site.stay()
        except KeyboardInterrupt:
            terminal.say("Stopped.")
            raise SystemExit(INTERRUPTED if ends else 0) from None
        show_tables(terminal)


def prepare() -> None:
    """Tables, static files and house bots, before the workers start."""
    call_command("migrate", verbosity=0, interactive=False)
    call_command("collectstatic", verbosity=0, interactive=False)
    open_house()


def _say_how_to_sign_in(terminal: Terminal) -> None:
    login = demo_login(settings.VAR_DIR)
    if login is not None:
        terminal.say(f"Sign in as {login[0]} with the password {login[1]}, or make an account: letters appear here.")


def _say_whether_the_sandbox_holds(terminal: Terminal) -> None:
    test = self_test()
    if not test.ok:
        terminal.say(f"Without a sandbox only house bots play. {test.problem} {test.remedy}")
    elif not test.rated:
        terminal.say(f"{test.problem} {test.remedy}")


@contextlib.contextmanager
def _problems_said() -> Iterator[None]:
    """Whatever the person at the terminal can mend becomes one sentence instead of a traceback."""
    try:
        yield
    except Problem as problem:
        raise CommandError(f"{problem}.") from None
    except (OperationalError, OSError) as error:
        if (isinstance(error, OSError) and error.errno == errno.ENOSPC) or "disk is full" in str(error):
            raise CommandError(f"The disk is full: free some space where {settings.VAR_DIR} lies.") from None
        if isinstance(error, OSError):
            raise
        raise CommandError(f"The database cannot be used ({error}): see DATABASE_URL and what else uses it.") from None


def listen_to_signals() -> None:
    """Have Ctrl-C, TERM and HUP interrupt us, also where a shell started us with Ctrl-C ignored; `nohup` is heeded."""
    for number in STOP_SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
