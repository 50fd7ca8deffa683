"""Machines with too much to do: everything on one core, and others who want it, too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from bots.protocol import Limits
from bots.sandbox import SandboxLauncher
from tests.bots.sandbox.programs import program
from tests.services.ports import wait_until

FLOODING = """
import hashlib, threading
def burn():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 1000)
for _ in range(2):
    threading.Thread(target=burn, daemon=True).start()
burn()
"""
"""Three threads. A host shares out a core by sessions, or by threads if it has no autogroups (man 7 sched)."""

COMPETITORS = 3
"""A bot of this core gets a quarter of it, or a tenth. The runner would not wait for one that gets a twentieth."""


@contextmanager
def one_core() -> Iterator[None]:
    """This process, and what it starts from now on, has one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def flooding_neighbours(launcher: SandboxLauncher) -> Iterator[None]:
    """Bots of other tables that flood their threads, which nobody stops while they think, on the core of this one."""
    with one_core(), ExitStack() as stack:
        bot = stack.enter_context(program(FLOODING))
        for _ in range(COMPETITORS):
            process = launcher.start(bot, Limits())
            for descriptor in (process.stdin, process.stdout, process.stderr):
                stack.callback(os.close, descriptor)
            stack.callback(process.stop)
            wait_until(lambda process=process: process.cpu_ns() > 50_000_000, "a neighbour floods")  # type: ignore[misc]
        yield


@contextmanager
def overloaded_host() -> Iterator[None]:
    """Programs that are no bots want the core of this one, each in a session: Linux may share it out by sessions."""
    with one_core(), ExitStack() as stack:
        for _ in range(COMPETITORS):
            child = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", "print(flush=True)\nwhile True: pass"],
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            )
            stack.callback(child.kill)
            assert child.stdout is not None
            assert child.stdout.readline() == b"\n"
        yield
