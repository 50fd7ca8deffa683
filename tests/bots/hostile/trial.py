"""One hostile program tried: its game, the games beside it, and everything afterwards."""

from __future__ import annotations

from bots.sandbox import SandboxLauncher
from tests.bots.hostile.aftermath import (
    MAX_GROWTH_KIB,
    Worker,
    copies,
    harm_beside,
    harm_to_the_game,
    left_behind,
    peak_kib,
    reset_peak,
)
from tests.bots.hostile.kind import Hostile
from tests.bots.hostile.playing import play


def harm(launcher: SandboxLauncher, hostile: Hostile) -> list[str]:
    """Everything that is not as it should be after one game of ``hostile``; empty if it got its verdict and no more."""
    worker, seen = Worker.now(), copies()
    reset_peak()
    size_kib = peak_kib()
    played = play(launcher, hostile)
    grown_kib = peak_kib() - size_kib
    found = [*harm_to_the_game(hostile, played), *harm_beside(played), *left_behind(played, seen)]
    if Worker.now() != worker:
        found.append(f"the worker was {worker} and is {Worker.now()}")
    if grown_kib > MAX_GROWTH_KIB:
        found.append(f"the worker grew by {grown_kib} KiB")
    return found
