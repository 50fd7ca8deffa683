"""Start, run and stop all processes of a site."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from esr_platform.supervisor import problems, processes
from esr_platform.supervisor.broker import listens
from esr_platform.supervisor.problems import SiteProblem
from esr_platform.supervisor.processes import Patience
from esr_platform.supervisor.sockets import socket_path
from esr_platform.supervisor.supervisor import Supervisor
from esr_platform.supervisor.terminal import Terminal

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OTHER_REDIS_SECONDS = 60.0
"""Timeout for the Redis at ``REDIS_URL``, whose progress the supervisor cannot see."""

NO_MATCH_SECONDS = 300.0
"""Time without a finished match after which a run with ``--exit`` gives up."""


@dataclass(frozen=True)
class SiteLocation:
    """Where a site runs: code, data folder, host, port and Redis URL.

    ``house_blocks_per_hour`` overrides ``MAX_HOUSE_BLOCKS_PER_HOUR`` of the environment.
    """

    code: Path
    data: Path
    port: int
    redis_url: str
    host: str = "127.0.0.1"
    house_blocks_per_hour: int | None = None

    @property
    def embedded_redis(self) -> bool:
        return self.redis_url == f"unix://{socket_path(self.data)}"

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/"

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables to add for every process of the site."""
        blocks = self.house_blocks_per_hour
        return {
            **({} if blocks is None else {"MAX_HOUSE_BLOCKS_PER_HOUR": str(blocks)}),
            "PYTHONPATH": os.pathsep.join(filter(None, (str(self.code), os.environ.get("PYTHONPATH")))),
            "PYTHONUNBUFFERED": "1",
            "VAR_DIR": str(self.data),
            "REDIS_URL": self.redis_url,
            "SITE_URL": os.environ.get("SITE_URL") or self.url,
            "LOG_LEVEL": os.environ.get("LOG_LEVEL", "WARNING"),
        }


class Site:
    """The processes of one site and their output on the terminal."""

    def __init__(self, location: SiteLocation, terminal: Terminal, clock: Callable[[], float] = time.monotonic) -> None:
        self.location = location
        self.terminal = terminal
        self._clock = clock
        self.supervisor = Supervisor(terminal.pass_on)

    @contextmanager
    def up(self, prepare: Callable[[], object]) -> Iterator[None]:
        """Run the site during the block: start Redis, call ``prepare``, then start the other processes.

        Raises :class:`SiteProblem`. At the end, all processes are stopped.
        """
        location = self.location
        problems.check_space(location.data)
        problems.check_port(location.host, location.port)
        lock = problems.lock_folder(location.data)
        try:
            self._start_redis()
            self.terminal.say("Preparing database, static files and house bots ...")
            prepare()
            self.terminal.say("Starting web server, workers and scheduler ...")
            self._start_the_rest()
            yield
        finally:
            for number in STOP_SIGNALS:  # a second Ctrl-C must not leave processes behind
                signal.signal(number, signal.SIG_IGN)
            self.supervisor.stop(last=["redis"])
            os.close(lock)

    def _start_redis(self) -> None:
        url = self.location.redis_url
        if self.location.embedded_redis:
            try:
                self.supervisor.start(processes.redis(self.location.data))
            except OSError as error:
                raise SiteProblem(
                    f"Cannot start the embedded Redis: {error}. Set REDIS_URL to use another Redis"
                ) from None
            patience, advice = self._patience("redis", "the embedded Redis"), "See its output above"
        else:
            patience = Patience(f"Redis at {url.rpartition('@')[2]}", lambda: None, OTHER_REDIS_SECONDS, self._clock)
            advice = "Start it, or unset REDIS_URL to use the embedded Redis"
        self._wait(self._redis_answers, patience, advice)

    def _redis_answers(self) -> bool:
        ours = not self.location.embedded_redis or listens(self.location.data)
        return ours and problems.redis_answers(self.location.redis_url)

    def _start_the_rest(self) -> None:
        location, environment = self.location, self.location.environment
        self.supervisor.start(processes.web(location.host, location.port, environment))
        if sys.platform == "linux":  # elsewhere, the web server serves the streams
            self.supervisor.start(processes.streams(environment))
        self.supervisor.start(processes.bots(environment))
        self.supervisor.start(processes.host(environment))
        self.supervisor.start(processes.default(environment))
        self.supervisor.start(processes.beat(environment))
        self._wait(self._web_answers, self._patience("web", "the web server"), "See its output above")
        self.terminal.say(f"The site is running at {location.url} (press Ctrl-C to stop).")

    def _web_answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((self.location.host, self.location.port)) == 0

    def _patience(self, name: str, what: str) -> Patience:
        return Patience(what, lambda: self.supervisor.cpu_seconds(name), clock=self._clock)

    def _wait(self, ready: Callable[[], bool], patience: Patience, advice: str) -> None:
        while not ready():
            if patience.exhausted():
                raise SiteProblem(f"No response from {patience.what} after {patience.waited:.0f} s. {advice}")
            report = patience.report()
            if report is not None:
                self.terminal.say(f"{report} {_load()}")
            self.supervisor.attend(0.1)

    def play(self, matches: int, finished: Callable[[], int | None], patience: float | None) -> None:
        """Show progress until ``finished()``, which returns ``None`` if the number is unknown, reaches ``matches``.

        Raises :class:`SiteProblem` if no match has finished for ``patience`` seconds.
        """
        done, since = finished() or 0, time.monotonic()
        with self.terminal.progress(matches, done) as show:
            while done < matches:
                self._attend(0.25)
                now_done = finished()
                if now_done is not None and now_done > done:
                    done, since = now_done, time.monotonic()
                    show(done)
                if patience is not None and time.monotonic() - since > patience:
                    raise SiteProblem(f"No match finished in the last {patience:.0f} s. See the output above")

    def stay(self) -> None:
        """Run until interrupted."""
        while True:
            self._attend(1)

    def _attend(self, seconds: float) -> None:
        problems.check_space(self.location.data, least=problems.LEAST_FREE_BYTES // 10)
        self.supervisor.attend(seconds)


def _load() -> str:
    return f"Load average: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
