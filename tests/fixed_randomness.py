"""Randomness that is the same in every run: the random source of the operating system, and ``random``."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def fixed_randomness(name: str) -> Iterator[None]:
    """Derive all random numbers of this process from ``name``: season keys, seats, tokens, UUIDs, ``random`` itself.

    Not replaced: processes that a test starts, ``random.Random()`` without a seed, and the order in which threads draw.
    """
    source = random.Random(name)
    before = os.urandom, random._urandom, random.getstate()  # type: ignore[attr-defined]
    os.urandom = random._urandom = source.randbytes  # type: ignore[attr-defined]  # SystemRandom and secrets use these
    random.seed(name)
    try:
        yield
    finally:
        os.urandom, random._urandom, state = before  # type: ignore[attr-defined]
        random.setstate(state)
