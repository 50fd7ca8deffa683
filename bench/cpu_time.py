"""CPU time of process trees, measured by the kernel, and checks of figures based on it.

The kernel adds the CPU time of a process to the ``waited_s`` of its parent when the parent reaps it. The total of a
whole tree therefore includes processes that have ended. The difference of two sums over living processes does not: it
loses all processes that ended in between.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Self

from bots.runner.clock import cores

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")

RESOLUTION_S = 0.1
"""The error of a difference of two readings: ``/proc`` counts in ticks of 10 ms, and a tree has several processes."""

TOLERANCE = 0.02
"""How far the parts may be from the kernel's total, as a share of that total, in addition to ``RESOLUTION_S``."""


def reaped_s() -> float:
    """CPU seconds of all children that this process has waited for, with their own waited-for children."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class ProcessTimes:
    """A process: the pid of its parent, its own CPU seconds, and those of the children it has waited for."""

    parent: int
    own_s: float
    waited_s: float

    @classmethod
    def read(cls, pid: int) -> Self:
        """Read ``/proc/PID/stat``. Raises ``OSError`` if the process does not exist."""
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        user, system, waited_user, waited_system = (int(word) * _TICK_S for word in words[11:15])
        return cls(int(words[1]), user + system, waited_user + waited_system)


def _all_processes() -> Iterator[tuple[int, ProcessTimes]]:
    for name in os.listdir("/proc"):
        with suppress(OSError, ValueError):
            yield int(name), ProcessTimes.read(int(name))


class ProcessTable:
    """All processes of the machine at one moment: now, unless ``processes`` are given by pid."""

    def __init__(self, processes: Mapping[int, ProcessTimes] | None = None) -> None:
        self.processes = dict(_all_processes() if processes is None else processes)
        self.children: defaultdict[int, list[int]] = defaultdict(list)
        for pid, process in self.processes.items():
            self.children[process.parent].append(pid)

    def tree(self, pid: int) -> Iterator[int]:
        """The process ``pid`` and every living process that descends from it."""
        yield pid
        for child in self.children[pid]:
            yield from self.tree(child)

    def own_s(self, pid: int) -> float:
        """CPU seconds of the process itself, without its children."""
        return self.processes[pid].own_s

    def tree_s(self, pid: int) -> float:
        """CPU seconds of the process and of everything it has started, including processes that have ended."""
        return sum(self.processes[process].own_s + self.processes[process].waited_s for process in self.tree(pid))


def faults(
    parts_s: Mapping[str, float], wall_s: float, counted_s: float | None = None, available: int | None = None
) -> list[str]:
    """Sentences on why these CPU seconds cannot be right; empty if they can.

    ``parts_s`` has CPU seconds by name, used within ``wall_s`` seconds on ``available`` cores (default: the cores of
    this process). ``counted_s`` is the kernel's total for the same processes, if the parts were measured in another
    way: the parts must then add up to it.
    """
    available = cores() if available is None else available
    together = sum(parts_s.values())
    used_s = max(together, counted_s or 0.0)
    impossible = [f"{name} has {used:.2f} s" for name, used in parts_s.items() if used < -RESOLUTION_S]
    if used_s > available * wall_s + RESOLUTION_S:
        impossible.append(f"{used_s:.2f} s in {wall_s:.2f} s is more than {available} cores can do")
    if counted_s is not None and abs(together - counted_s) > TOLERANCE * counted_s + RESOLUTION_S:
        impossible.append(f"the parts add up to {together:.2f} s, but the kernel counted {counted_s:.2f} s")
    return impossible


def require_plausible(
    parts_s: Mapping[str, float], wall_s: float, counted_s: float | None = None, available: int | None = None
) -> None:
    """Exit with status 1 and a sentence if these CPU seconds have :func:`faults`."""
    if wrong := faults(parts_s, wall_s, counted_s, available):
        parts = "; ".join(f"{name}: {used:.2f} s" for name, used in parts_s.items())
        sys.exit(f"The CPU times of this run are wrong. Do not use its figures. {'; '.join(wrong)}. Parts: {parts}.")
