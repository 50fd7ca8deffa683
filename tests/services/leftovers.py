"""What a piece of work leaves behind in the process of the test."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def nothing_is_left() -> Iterator[None]:
    """Fail if a descriptor, a child or a thread outlives what is inside.

    What earlier tests left may end meanwhile. Python's collector closes their files at any time.
    """
    gc.collect()
    before = _open_files(), _children(), set(threading.enumerate())
    yield
    left = _open_files() - before[0], _children() - before[1], set(threading.enumerate()) - before[2]
    assert left == (set(), set(), set())


def _open_files() -> set[tuple[str, str]]:
    """The number and the target of each descriptor."""
    descriptors = set()
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the descriptor with which the folder was listed
            descriptors.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return descriptors


def _children() -> set[str]:
    return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())
