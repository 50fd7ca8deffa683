"""Which processes the site consists of, and their command lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from esr_platform.supervising.broker import IGNORED_LINES, refusal, server_command
from esr_platform.supervising.child import Command

WEB_STOP_SECONDS = 1
"""How long the web server waits for open requests. An open stream never ends by itself."""


def redis(var: Path) -> Command:
    """The embedded Redis with its data in ``var``."""
    return Command("redis", server_command(var), ignored=IGNORED_LINES, refusal=partial(refusal, var))


def web(host: str, port: int, environment: Mapping[str, str]) -> Command:
    """The pages."""
    arguments = [
        *(sys.executable, "-m", "uvicorn", "esr_platform.asgi:application"),
        *("--http", "esr_platform.heads:BoundedHeads", "--host", host, "--port", str(port)),
        *("--timeout-graceful-shutdown", str(WEB_STOP_SECONDS)),
        *("--lifespan", "off", "--no-access-log", "--log-level", "warning"),
    ]
    return Command("web", arguments, environment)


def bots(environment: Mapping[str, str]) -> Command:
    """The worker that plays matches, validates uploads and computes estimates, with one process per core."""
    return _worker("bots", "on_time,soon,checks,estimates,matches", os.cpu_count() or 1, environment)


def host(environment: Mapping[str, str]) -> Command:
    """The worker that asks hosted bots at live tables for their decisions, with two processes at least.

    While a bot thinks for it, it holds a core that a process of :func:`bots` gives up after the current decision
    (``bots.sandbox.leases.SharedCore``). Slow bots can keep all its processes busy for a minute. Tables continue
    meanwhile, because the clerk also serves them.
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
