"""Which processes the site consists of, and their command lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from esr_platform.supervising.broker import server_command
from esr_platform.supervising.child import Command

WEB_STOP_SECONDS = 1
"""How long the web server lets open requests end; an open stream would keep it for ever."""


def redis(var: Path) -> Command:
    """The embedded Redis with its data in ``var``."""
    return Command("redis", server_command(var))


def web(host: str, port: int, environment: Mapping[str, str]) -> Command:
    """The pages."""
    arguments = [
        *(sys.executable, "-m", "uvicorn", "esr_platform.asgi:application"),
        *("--host", host, "--port", str(port)),
        *("--timeout-graceful-shutdown", str(WEB_STOP_SECONDS)),
        *("--lifespan", "off", "--no-access-log", "--log-level", "warning"),
    ]
    return Command("web", arguments, environment)


def player(environment: Mapping[str, str]) -> Command:
    """The worker that plays ladder matches, with a process a core."""
    return _worker("player", "matches,soon,on_time", os.cpu_count() or 1, environment)


def checker(environment: Mapping[str, str]) -> Command:
    """The worker that checks uploads and computes estimates, one process for four cores; ladder matches keep theirs.

    It takes matches at a set time, too: those of the ladder may keep all players for minutes.
    """
    return _worker("checker", "checks,estimates,on_time", max(1, (os.cpu_count() or 1) // 4), environment)


def host(environment: Mapping[str, str]) -> Command:
    """The worker that asks hosted bots at live tables for their decisions, with two processes at least.

    Slow bots may keep all of them for a minute, but no table with it: those are looked after by the clerk, too.
    """
    return _worker("host", "seats,live", max(2, os.cpu_count() or 1), environment)


def clerk(environment: Mapping[str, str]) -> Command:
    """The worker for everything else, which never plays a game and so is never far behind."""
    return _worker("clerk", "default,live", 1, environment)


def beat(environment: Mapping[str, str]) -> Command:
    """The clock: it says when something is due and does nothing itself."""
    return Command("beat", [*_celery(), "beat", "--loglevel", "WARNING", "--pidfile", ""], environment)


def _worker(name: str, queues: str, processes: int, environment: Mapping[str, str]) -> Command:
    arguments = [
        *_celery(),
        *("worker", "--queues", queues, "--concurrency", str(processes), "--hostname", f"{name}@%h"),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"),
    ]
    return Command(name, arguments, {**environment, "REMAP_SIGTERM": "SIGQUIT"})


def _celery() -> list[str]:
    return [sys.executable, "-m", "celery", "--quiet", "--app", "esr_platform"]
