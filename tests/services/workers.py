"""Real Celery workers and other processes of the site, on the database and the broker of the running test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from esr_platform.supervisor.processes import die_with_parent, streams, web
from esr_platform.supervisor.sockets import stream_sockets
from tests.services.ports import wait_until

UNBOUNDED = 1_000_000
"""Blocks per hour of house bots alone: most tests let them play as much as they are asked to."""

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Processes:
    """Starts processes that see the test's database and broker; ``environment`` tells them where those are."""

    environment: Mapping[str, str]
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def python(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start ``python ARGUMENTS…`` in the root of the project, as the leader of its own process group."""
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={"MAX_HOUSE_BLOCKS_PER_HOUR": str(UNBOUNDED), **os.environ, **self.environment},
            stdin=stdin,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        self.started.append(process)
        return process

    def worker(self, queues: str = "matches,soon,on_time", processes: int = 1) -> subprocess.Popen[bytes]:
        """Start a Celery worker for ``queues``; what it is sent before it is ready waits for it."""
        name = f"w{len(self.started)}-{os.getpid()}@test"
        options = ["--queues", queues, "--concurrency", str(processes), "--hostname", name, "--loglevel", "WARNING"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        return self.python("-m", "celery", "--quiet", "--app", "esr_platform", "worker", *options, *quiet)

    def beat(self) -> subprocess.Popen[bytes]:
        """Start the clock."""
        return self.python("-m", "celery", "--quiet", "--app", "esr_platform", "beat", "--pidfile", "")

    def web(self, port: int, *options: str) -> subprocess.Popen[bytes]:
        """Start the web server of `make run` on ``port`` of this machine, with more ``options`` of uvicorn."""
        return self.python(*web("127.0.0.1", port, {}).arguments[1:], *options)

    def streams(self) -> subprocess.Popen[bytes]:
        """Start a stream process, and wait until web processes can hand connections over to it."""
        folder = Path(self.environment["VAR_DIR"])
        before = set(stream_sockets(folder))
        process = self.python(*streams({}).arguments[1:])
        wait_until(lambda: bool(set(stream_sockets(folder)) - before), "the stream process listens")
        return process

    def end(self) -> None:
        """Kill everything that was started, and what that started in turn."""
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.started:
            process.wait()
        self.started.clear()


@contextmanager
def processes(environment: Mapping[str, str]) -> Iterator[Processes]:
    """Give a :class:`Processes` and end all that it started."""
    group = Processes(environment)
    try:
        yield group
    finally:
        group.end()
