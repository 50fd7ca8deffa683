"""Keep a set of processes running, forward their output and stop them."""

from __future__ import annotations

import selectors
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from esr_platform.supervisor.problems import SiteProblem
from esr_platform.supervisor.processes import Child, ProcessCommand


class Say(Protocol):
    """Called with the name of a process and one line of its output, or one about it with a higher ``level``."""

    def __call__(self, name: str, line: str, level: str = "info") -> None: ...


POLITE_SECONDS = 2.2
"""Time that processes have to exit before they are killed. The broker has additional time."""

BROKER_SECONDS = 0.8
STEADY_SECONDS = 10.0
"""A process that ran for this long started successfully."""

MOST_BAD_STARTS = 5


@dataclass
class Service:
    """A command that must be running, and its current process."""

    command: ProcessCommand
    child: Child
    started: float
    bad_starts: int = 0

    @property
    def bad_start(self) -> bool:
        return time.monotonic() - self.started < STEADY_SECONDS


class Supervisor:
    """The processes of a site by name, in their start order."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._services: dict[str, Service] = {}
        self._due: dict[str, float] = {}
        self._selector = selectors.DefaultSelector()

    def start(self, command: ProcessCommand) -> Child:
        """Start ``command`` and restart it whenever it exits."""
        child = self._spawn(command)
        self._services[command.name] = Service(command, child, time.monotonic())
        return child

    def attend(self, seconds: float) -> None:
        """Forward output for about ``seconds`` and restart processes that have exited.

        Raises :class:`SiteProblem` when a process cannot be kept running.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for key, _ in self._selector.select(min(left, 0.1)):
                self._pass_on(key.data)
            for service in self._services.values():
                self._restart_if_exited(service)

    def cpu_seconds(self, name: str) -> float | None:
        """CPU time of the process ``name`` in seconds, or ``None`` if it is unknown."""
        service = self._services.get(name)
        return None if service is None else service.child.cpu_seconds

    def stop(
        self,
        last: Iterable[str] = (),
        polite_seconds: float = POLITE_SECONDS,
        last_seconds: float = BROKER_SECONDS,
    ) -> None:
        """Stop all processes, and the processes in ``last`` after the others. Output is no longer forwarded.

        Processes are killed after ``polite_seconds``, and those in ``last`` after ``last_seconds``.
        """
        self._say = _be_silent
        late = set(last)
        self._end([service for name, service in self._services.items() if name not in late], polite_seconds)
        self._end([service for name, service in self._services.items() if name in late], last_seconds)
        self._services.clear()

    def _spawn(self, command: ProcessCommand) -> Child:
        child = Child(command)
        self._selector.register(child.output, selectors.EVENT_READ, child)
        return child

    def _pass_on(self, child: Child) -> None:
        for line in child.lines():
            self._say(child.command.name, line)
        if child.silent:
            self._selector.unregister(child.output)

    def _restart_if_exited(self, service: Service) -> None:
        name, code = service.command.name, service.child.exit_code
        if code is None:
            return
        if name not in self._due:
            self._bury(service)
            if code > 0 and service.command.refusal is not None:
                raise SiteProblem(service.command.refusal(service.child.last_lines))
            service.bad_starts = service.bad_starts + 1 if service.bad_start else 0
            if service.bad_starts >= MOST_BAD_STARTS:
                raise SiteProblem(
                    f"The process {name} exited {MOST_BAD_STARTS} times right after its start. See its output above"
                )
            self._due[name] = time.monotonic() + 0.5 * service.bad_starts
            self._say(name, f"exited ({_ending(code)}), restarting", "error" if code else "warning")
        if time.monotonic() >= self._due[name]:
            del self._due[name]
            service.child, service.started = self._spawn(service.command), time.monotonic()

    def _bury(self, service: Service) -> None:
        """Forward the last output of a process that has exited and clean up."""
        service.child.kill_session()
        if service.child.output in self._selector.get_map():
            self._pass_on(service.child)
        if service.child.output in self._selector.get_map():
            self._selector.unregister(service.child.output)
        service.child.close()

    def _end(self, services: list[Service], seconds: float) -> None:
        services = [service for service in services if service.command.name not in self._due]
        for service in services:
            service.child.signal(signal.SIGTERM)
        until = time.monotonic() + seconds
        while time.monotonic() < until and any(service.child.exit_code is None for service in services):
            for key, _ in self._selector.select(0.05):
                self._pass_on(key.data)
        for service in services:
            self._bury(service)


def _be_silent(name: str, line: str, level: str = "info") -> None: ...


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
