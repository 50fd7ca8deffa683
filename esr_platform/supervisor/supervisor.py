"""Keeps a set of processes running, passes on their output and ends them. Knows nothing about their work."""

from __future__ import annotations

import selectors
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from esr_platform.supervisor.problems import Problem
from esr_platform.supervisor.processes import Child, Command

Say = Callable[[str, str], None]
"""Called with the name of a process and one line that it wrote."""

POLITE_SECONDS = 2.2
"""How long processes may take to end by themselves before they are killed; the broker's own time comes on top."""

BROKER_SECONDS = 0.8
STEADY_SECONDS = 10.0
"""A process that ran for this long had a good start."""

MOST_BAD_STARTS = 5


@dataclass
class Service:
    """A command that has to be running, and its process now."""

    command: Command
    child: Child
    started: float
    bad_starts: int = 0

    @property
    def bad_start(self) -> bool:
        return time.monotonic() - self.started < STEADY_SECONDS


class Supervisor:
    """The processes of a site, by name, in the order in which they were started."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._services: dict[str, Service] = {}
        self._due: dict[str, float] = {}
        self._selector = selectors.DefaultSelector()

    def start(self, command: Command) -> Child:
        """Start ``command``, and start it again whenever it ends."""
        child = self._spawn(command)
        self._services[command.name] = Service(command, child, time.monotonic())
        return child

    def attend(self, seconds: float) -> None:
        """Pass on output for about ``seconds`` and start again what has ended.

        Raises :class:`Problem` when a process cannot be kept running.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for key, _ in self._selector.select(min(left, 0.1)):
                self._pass_on(key.data)
            for service in self._services.values():
                self._mend(service)

    def cpu_seconds(self, name: str) -> float | None:
        """The CPU time of the process ``name``; ``None`` if it is unknown."""
        service = self._services.get(name)
        return None if service is None else service.child.cpu_seconds

    def stop(
        self,
        last: Iterable[str] = (),
        polite_seconds: float = POLITE_SECONDS,
        last_seconds: float = BROKER_SECONDS,
    ) -> None:
        """End all processes, those named ``last`` after the others. Their output is no longer passed on.

        The first ones have ``polite_seconds`` and the last ones ``last_seconds`` to end. Then they are killed.
        """
        self._say = _be_silent
        late = set(last)
        self._end([service for name, service in self._services.items() if name not in late], polite_seconds)
        self._end([service for name, service in self._services.items() if name in late], last_seconds)
        self._services.clear()

    def _spawn(self, command: Command) -> Child:
        child = Child(command)
        self._selector.register(child.output, selectors.EVENT_READ, child)
        return child

    def _pass_on(self, child: Child) -> None:
        for line in child.lines():
            self._say(child.command.name, line)
        if child.silent:
            self._selector.unregister(child.output)

    def _mend(self, service: Service) -> None:
        name, code = service.command.name, service.child.exit_code
        if code is None:
            return
        if name not in self._due:
            self._bury(service)
            if code > 0 and service.command.refusal is not None:
                raise Problem(service.command.refusal(service.child.last_lines))
            service.bad_starts = service.bad_starts + 1 if service.bad_start else 0
            if service.bad_starts >= MOST_BAD_STARTS:
                raise Problem(f"{name} ended {MOST_BAD_STARTS} times right after its start: its lines above say why")
            self._due[name] = time.monotonic() + 0.5 * service.bad_starts
            self._say(name, f"ended ({_ending(code)}) and is started again")
        if time.monotonic() >= self._due[name]:
            del self._due[name]
            service.child, service.started = self._spawn(service.command), time.monotonic()

    def _bury(self, service: Service) -> None:
        """Pass on the last words of a process that has ended and leave nothing of it."""
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


def _be_silent(_name: str, _line: str) -> None: ...


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
