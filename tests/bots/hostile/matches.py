"""Plays a hostile program for real: in the sandbox, against a house bot, while this very process plays another game."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bots.protocol import Limits
from bots.runner import HouseProgram, MatchReport, Program
from bots.sandbox import SandboxLauncher
from bots.sandbox.host_process import HostProcess
from bots.sandbox.leases import started_at
from tests.bots.hostile.kind import Hostile
from tests.bots.sandbox.programs import HONEST, duel, program

LIFE_S = 60


@dataclass(frozen=True)
class Started:
    """A process that was started: by its pid and when it began, its process namespace, and its user."""

    pid: int
    began: int
    namespace: str
    uid: int


@dataclass
class Watched:
    """The sandbox, with a list of what was started in it."""

    launcher: SandboxLauncher
    started: list[Started] = field(default_factory=list)

    def start(self, program: Program, limits: Limits) -> HostProcess:
        """Start it as the sandbox does, and write it down."""
        process = self.launcher.start(program, limits)
        for pid in (process.pid, process.child.pid):
            place = Path(f"/proc/{pid}")
            self.started.append(Started(pid, started_at(pid), os.readlink(place / "ns" / "pid"), place.stat().st_uid))
        return process


@dataclass(frozen=True)
class Played:
    """What came of it: the hostile program's game, the games that were played beside it, and what was started."""

    report: MatchReport
    beside: tuple[MatchReport, ...]
    started: tuple[Started, ...]


def play(launcher: SandboxLauncher, hostile: Hostile) -> Played:
    """Play one game of the hostile program against a house bot."""
    watched = Watched(launcher)
    with program(hostile.program, **hostile.files) as bot, neighbours(watched) as beside:
        report = duel(watched, bot, HouseProgram("random"), limits=hostile.limits)
    return Played(report, tuple(beside), tuple(watched.started))


@contextmanager
def neighbours(watched: Watched) -> Iterator[list[MatchReport]]:
    """Another table in this process, game after game, at least one of them from beginning to end inside this."""
    reports: list[MatchReport] = []
    begun, enough = threading.Event(), threading.Event()

    def play_on() -> None:
        try:
            with program(HONEST) as honest:
                while not enough.is_set() or not reports:
                    begun.set()
                    reports.append(duel(watched, honest, HouseProgram("greedy"), limits=Limits(move_ms=3000)))
        finally:
            begun.set()

    table = threading.Thread(target=play_on)
    table.start()
    begun.wait(LIFE_S)
    try:
        yield reports
    finally:
        enough.set()
        table.join(LIFE_S)
