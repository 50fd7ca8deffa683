"""The doors through which those come who want a stream: a few at a time, in the order in which they have come.

Players have one of their own: however many come to watch, nobody waits behind them for their seat.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Final
from weakref import WeakKeyDictionary

ABREAST: Final = 2

_doors: WeakKeyDictionary[asyncio.AbstractEventLoop, defaultdict[str, asyncio.Semaphore]] = WeakKeyDictionary()


def door(name: str) -> asyncio.Semaphore:
    """The one of this name in this process."""
    doors = _doors.setdefault(asyncio.get_running_loop(), defaultdict(_door))
    return doors[name]


def _door() -> asyncio.Semaphore:
    return asyncio.Semaphore(ABREAST)
