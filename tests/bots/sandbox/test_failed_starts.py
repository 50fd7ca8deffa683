"""Starts that fail at every step there is, for want of a descriptor: nothing of them may be left."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bots.runner import HouseProgram, PlatformFailure
from bots.sandbox import SandboxLauncher
from tests.bots.sandbox.programs import duel
from tests.services.leftovers import nothing_is_left

pytestmark = pytest.mark.slow

MOST = 100


@contextmanager
def spare_descriptors(number: int) -> Iterator[None]:
    """No more than so many descriptors can be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(name) for name in os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1 + number, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def plays(launcher: SandboxLauncher) -> bool:
    try:
        return not duel(launcher, HouseProgram("random"), HouseProgram("random")).forfeits
    except (PlatformFailure, OSError):
        return False


def test_a_start_that_fails_for_want_of_descriptors_leaves_nothing_behind(sandbox_launcher: SandboxLauncher) -> None:
    assert plays(sandbox_launcher)
    for number in range(1, MOST):
        with nothing_is_left(), spare_descriptors(number):
            played = plays(sandbox_launcher)
        if played:
            break
    assert played
