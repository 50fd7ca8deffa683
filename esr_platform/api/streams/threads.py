"""What streams wait for: the database, their admission, other requests of the same browser, and the shutdown."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar, copy_context
from functools import cache, partial
from http import HTTPStatus
from threading import local
from types import FrameType
from typing import Any, Final, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, close_old_connections, connection

from esr_platform.api.http import Refusal

# --- Shutdown --------------------------------------------------------------------------------------------------------

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def on_shutdown(act: Callable[[], None]) -> None:
    """Call ``act`` on this event loop when one of ``SIGNALS`` comes, beside what the web server does about it."""
    if threading.current_thread() is not threading.main_thread():
        return  # under a test's own server; signals belong to the main thread
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        _add(number, lambda: loop.call_soon_threadsafe(act))


def _add(number: signal.Signals, act: Callable[[], Any]) -> None:
    before = signal.getsignal(number)
    if not callable(before):
        return  # nobody stops the process gently, so there is nothing to be gentle about

    def handle(received: int, frame: FrameType | None) -> None:
        act()
        before(received, frame)

    signal.signal(number, handle)


# --- Events ----------------------------------------------------------------------------------------------------------


async def rest(woken: asyncio.Event, most_s: float) -> None:
    """Until ``woken`` is set, or ``most_s`` seconds have passed."""
    try:
        async with asyncio.timeout(most_s):
            await woken.wait()
    except TimeoutError:
        return


# --- Admission of new streams ----------------------------------------------------------------------------------------
#
# Players have one of their own: however many come to watch, nobody waits behind them for their seat.

ABREAST: Final = 2

_doors: WeakKeyDictionary[asyncio.AbstractEventLoop, defaultdict[str, asyncio.Semaphore]] = WeakKeyDictionary()


def door(name: str) -> asyncio.Semaphore:
    """The one of this name in this process."""
    doors = _doors.setdefault(asyncio.get_running_loop(), defaultdict(_door))
    return doors[name]


def _door() -> asyncio.Semaphore:
    return asyncio.Semaphore(ABREAST)


# --- One request of a browser at a time ------------------------------------------------------------------------------

MOST_WAITING: Final = 3
"""So many more of one browser may wait for their turn: a window each, for whoever plays at several tables."""


class Turns:
    """Whose turn it is, by who sends."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._here: dict[str, int] = {}

    @asynccontextmanager
    async def of(self, who: str) -> AsyncIterator[None]:
        """Wait for the turn of ``who``. Raises ``Refusal`` (429) where too many of theirs wait already."""
        here = self._here.get(who, 0)
        if here > MOST_WAITING:
            sentence = "What you have sent before is still being looked at. Send it again in a moment."
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "in_turn", sentence, 1)
        self._here[who] = here + 1
        lock = self._locks.setdefault(who, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:
            self._here[who] -= 1
            if not self._here[who]:
                del self._here[who], self._locks[who]


# --- Threads for the database ----------------------------------------------------------------------------------------
#
# A connection is kept between two jobs, since opening one costs more than most of them; one that has rested for a
# moment is looked at first, as Django does at the start of a request. On SQLite one thread writes, so that answers
# stand in line instead of asking again and again whether the database is free.

READERS: Final = 2
WRITERS: Final = 4

SWITCH_S: Final = 0.0005
"""After so long a thread lets another one go on. A question to the database gives way at every row, and would wait for
Python's 5 ms each time before it goes on: answers that take 10 ms of work would take a second."""

RESTED_S: Final = 1.0
"""After so long without a job a connection is looked at before it is used again."""

Given = ParamSpec("Given")
Found = TypeVar("Found")

_sharing: ContextVar[bool] = ContextVar("sharing", default=False)
_thread = local()


@contextmanager
def shared() -> Iterator[None]:
    """Use the shared threads; outside of this, as under Django's own handler, jobs run on the request's own thread."""
    token = _sharing.set(True)
    try:
        yield
    finally:
        _sharing.reset(token)


async def read(job: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs) -> Found:
    """What ``job`` finds in the database; it is done once more if the connection was lost."""
    return await _on(_readers, job, *args, **kwargs)


async def write(job: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs) -> Found:
    """What ``job`` gives, which changes the database. As with :func:`read` it must be safe to do twice."""
    return await _on(_writers, job, *args, **kwargs)


@cache
def _readers() -> ThreadPoolExecutor:
    sys.setswitchinterval(SWITCH_S)
    return ThreadPoolExecutor(READERS, "live-reader")


@cache
def _writers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1 if connection.vendor == "sqlite" else WRITERS, "live-writer")


async def _on(
    pool: Callable[[], ThreadPoolExecutor], job: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs
) -> Found:
    if not _sharing.get():
        return await sync_to_async(job)(*args, **kwargs)
    call = partial(copy_context().run, _done, partial(job, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(pool(), call)


def _done(job: Callable[[], Found]) -> Found:
    if time.monotonic() - getattr(_thread, "used", 0.0) > RESTED_S:
        close_old_connections()
    try:
        return job()
    except (OperationalError, InterfaceError):
        connection.close()
        return job()
    finally:
        _thread.used = time.monotonic()
