"""Feeds the targets in turn until the time is over."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import cycle

from hypothesis import HealthCheck, given, seed, settings

from tests.fuzzing.targets import Target

BATCH = 400
"""Inputs that one target gets before it is the next one's turn."""

SETTINGS = settings(
    max_examples=BATCH,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)


def fuzz(targets: Mapping[str, Target], seconds: float, first_seed: int) -> dict[str, int]:
    """How many inputs each target got in about so many seconds. Raises what a target did, on its smallest input.

    The same ``first_seed`` makes the same inputs in the same order.
    """
    counts = dict.fromkeys(targets, 0)
    until = time.monotonic() + seconds
    for number, name in enumerate(cycle(targets)):
        if time.monotonic() >= until:
            break
        counts[name] += _batch(targets[name], first_seed + number)
    return counts


def _batch(target: Target, number: int) -> int:
    """Check one batch of inputs; how many they were."""
    count = 0

    @seed(number)
    @SETTINGS
    @given(target.inputs)
    def check(data: bytes) -> None:
        nonlocal count
        count += 1
        target.check(data)

    check()
    return count
