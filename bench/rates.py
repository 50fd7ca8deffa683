"""Rates on one core: contenders alternate in short windows under the same conditions; results are medians."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from time import process_time

Contender = Callable[[], int]
"""Does one thing, a game or a copy, and returns how many parts it had: decisions, or 1."""


@dataclass
class Rate:
    """What one contender did in every window, per second of processor time."""

    things: list[float] = field(default_factory=list)
    parts: list[float] = field(default_factory=list)

    def add(self, things_s: float, parts_s: float) -> None:
        """Note one window."""
        self.things.append(things_s)
        self.parts.append(parts_s)

    @property
    def things_s(self) -> float:
        """Things per second: the median window."""
        return median(self.things)

    @property
    def parts_s(self) -> float:
        """Parts per second: the median window."""
        return median(self.parts)

    @property
    def spread(self) -> float:
        """How far apart the slowest and the fastest window lie, as a share of the median."""
        return (max(self.parts) - min(self.parts)) / self.parts_s


def pin_to_one_core() -> int:
    """Keep this process on one core, the last it may use, and say which; what it starts stays there too."""
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def window(contender: Contender, window_s: float) -> tuple[float, float]:
    """Things and parts per second in one window of ``window_s`` seconds of processor time."""
    things = parts = 0
    began = process_time()
    while (passed := process_time() - began) < window_s:
        parts += contender()
        things += 1
    return things / passed, parts / passed


def measure(contenders: Mapping[str, Contender], windows: int, window_s: float) -> dict[str, Rate]:
    """Run all contenders in turn, ``windows`` times for ``window_s`` seconds of processor time each."""
    rates = {name: Rate() for name in contenders}
    for contender in contenders.values():
        contender()
    for _ in range(windows):
        for name, contender in contenders.items():
            rates[name].add(*window(contender, window_s))
    return rates
