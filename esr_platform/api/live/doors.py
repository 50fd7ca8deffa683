"""The door through which those come who want a stream: a few at a time, in the order in which they have come."""

from __future__ import annotations

import asyncio
from typing import Final
from weakref import WeakKeyDictionary

ABREAST: Final = 2

_doors: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def door() -> asyncio.Semaphore:
    """The one of this process."""
    return _doors.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(ABREAST))
