"""Processor time of whole families of processes, as ``/proc`` counts it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Line:
    """A process: its parent, its own processor time, and that of the children it has waited for, seconds."""

    parent: int
    own_s: float
    waited_s: float

    @classmethod
    def of(cls, pid: int) -> Self:
        """What ``/proc`` says now. Raises ``OSError`` if there is no such process."""
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        user, system, waited_user, waited_system = (int(word) * _TICK_S for word in words[11:15])
        return cls(int(words[1]), user + system, waited_user + waited_system)


class Processes:
    """All processes of this moment."""

    def __init__(self) -> None:
        self.lines: dict[int, Line] = {}
        for name in os.listdir("/proc"):
            with suppress(OSError, ValueError):
                self.lines[int(name)] = Line.of(int(name))
        self.children: defaultdict[int, list[int]] = defaultdict(list)
        for pid, line in self.lines.items():
            self.children[line.parent].append(pid)

    def own_s(self, pids: Iterable[int]) -> float:
        """What these have used themselves."""
        return sum(self.lines[pid].own_s for pid in pids)

    def under_s(self, pids: Iterable[int]) -> float:
        """What has run below these: children they have waited for, and those that live, with theirs."""
        below = [child for pid in pids for child in self.below(pid)]
        return sum(self.lines[pid].waited_s for pid in pids) + sum(
            self.lines[pid].own_s + self.lines[pid].waited_s for pid in below
        )

    def below(self, pid: int) -> Iterator[int]:
        """Every living process that descends from ``pid``."""
        for child in self.children[pid]:
            yield child
            yield from self.below(child)

    def whole_s(self, pid: int) -> float:
        """What ``pid`` and everything below it have used."""
        return self.own_s([pid]) + self.under_s([pid])
