"""``manage.py run``: run all processes of the site in one terminal."""

from __future__ import annotations

import contextlib
import errno
import signal
from argparse import ArgumentParser
from collections.abc import Iterator
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from bots.sandbox import self_test
from esr_platform.accounts.demo import PASSWORD_FILE, demo_login
from esr_platform.disconnects import connection_problem
from esr_platform.supervisor.problems import SiteProblem
from esr_platform.supervisor.site import NO_MATCH_SECONDS, STOP_SIGNALS, Site, SiteLocation
from esr_platform.supervisor.terminal import Terminal, finished_matches, show_tables
from ladder.matches.schedule import house_blocks_for

INTERRUPTED = 130
"""Exit code after an interruption with Ctrl-C, as in shells."""


class Command(BaseCommand):
    help = "Run the site: Redis, web server, workers and scheduler. Press Ctrl-C to stop."
    requires_system_checks = ["database", "public"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--matches",
            type=int,
            default=60,
            metavar="N",
            help="number of finished matches to show progress for (default: 60)",
        )
        parser.add_argument(
            "--exit", dest="ends", action="store_true", help="show the standings and exit after these matches"
        )
        parser.add_argument("--port", type=int, default=8000, help="HTTP port (default: 8000)")

    def handle(self, *, matches: int, ends: bool, port: int, **_: Any) -> None:
        location = SiteLocation(
            settings.BASE_DIR,
            settings.VAR_DIR,
            port,
            settings.REDIS_URL,
            house_blocks_per_hour=house_blocks_for(matches),
        )
        terminal = Terminal()
        site = Site(location, terminal)
        listen_to_signals()
        try:
            with _problems_as_errors(), site.up(partial(call_command, "prepare")):
                print_login(terminal)
                _print_sandbox_warning(terminal)
                site.play(matches, finished_matches, NO_MATCH_SECONDS if ends else None)
                if not ends:
                    show_tables(terminal)
                    site.stay()
        except KeyboardInterrupt:
            terminal.say("Stopped.")
            raise SystemExit(INTERRUPTED if ends else 0) from None
        show_tables(terminal)


def print_login(terminal: Terminal) -> None:
    """Print how to sign in to the demo account, if there is one. The password is only printed for people."""
    login = demo_login(settings.VAR_DIR)
    if login is None:
        return
    name, password = login
    if settings.LOG_FORMAT == "json":  # a log that programs collect must not contain a password
        password = f"in {settings.VAR_DIR / PASSWORD_FILE}"
    emails = " Emails are printed here." if settings.EMAIL_BACKEND.endswith(".console.EmailBackend") else ""
    terminal.say(f"Sign in as {name}, password {password}, or create an account.{emails}")


def _print_sandbox_warning(terminal: Terminal) -> None:
    test = self_test()
    if not test.ok:
        terminal.say(
            f"Warning: only house bots can play because the sandbox does not work. {test.problem} {test.remedy}",
            "warning",
        )
    elif not test.rated:
        terminal.say(f"Warning: {test.problem} {test.remedy}", "warning")


@contextlib.contextmanager
def _problems_as_errors() -> Iterator[None]:
    """Convert problems that the operator can fix to command errors without a traceback."""
    try:
        yield
    except SiteProblem as problem:
        raise CommandError(f"{problem}.") from None
    except (OperationalError, OSError) as error:
        if (isinstance(error, OSError) and error.errno == errno.ENOSPC) or "disk is full" in str(error):
            raise CommandError(f"The disk is full. Free some space in {settings.VAR_DIR}.") from None
        if isinstance(error, OSError):
            raise
        reason = connection_problem() or f"The database is unavailable: {error}"
        raise CommandError(f"{reason}. Check DATABASE_URL and other processes that use it.") from None


def listen_to_signals() -> None:
    """Interrupt on SIGINT, SIGTERM and SIGHUP, even if SIGINT is ignored. With `nohup`, SIGHUP stays ignored."""
    for number in STOP_SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
