"""Concurrency of streams: database threads, admission, one request per browser at a time, and shutdown."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import ContextVar, copy_context
from functools import cache, partial
from http import HTTPStatus
from threading import local
from types import FrameType
from typing import Any, Final, Generic, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from django.db import close_old_connections, connection

from esr_platform.api.http import Refusal
from esr_platform.disconnects import retry_on_disconnect

# --- Shutdown --------------------------------------------------------------------------------------------------------

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def on_shutdown(act: Callable[[], None]) -> None:
    """Call ``act`` on this event loop for each of ``SIGNALS``, in addition to the handler of the web server."""
    if threading.current_thread() is not threading.main_thread():
        return  # in a test server; only the main thread can handle signals
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        _add(number, lambda: loop.call_soon_threadsafe(act))


def _add(number: signal.Signals, act: Callable[[], Any]) -> None:
    before = signal.getsignal(number)
    if not callable(before):
        return  # the process has no handler for a graceful shutdown

    def handle(received: int, frame: FrameType | None) -> None:
        act()
        before(received, frame)

    signal.signal(number, handle)


# --- Events ----------------------------------------------------------------------------------------------------------


async def wait_for(event: asyncio.Event, timeout_s: float) -> None:
    """Return when ``event`` is set or after ``timeout_s`` seconds."""
    try:
        async with asyncio.timeout(timeout_s):
            await event.wait()
    except TimeoutError:
        return


# --- Admission of new streams ----------------------------------------------------------------------------------------
#
# Players and spectators have separate semaphores, so that players never wait for a crowd of spectators.

CONCURRENCY: Final = 2
"""New streams that a semaphore admits at the same time."""

Semaphores = defaultdict[str, asyncio.Semaphore]

_semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, Semaphores] = WeakKeyDictionary()


def admission_semaphore(name: str) -> asyncio.Semaphore:
    """The semaphore of this name in this process."""
    loop = asyncio.get_running_loop()
    return _semaphores.setdefault(loop, defaultdict(lambda: asyncio.Semaphore(CONCURRENCY)))[name]


# --- One request of a browser at a time ------------------------------------------------------------------------------

MOST_WAITING: Final = 3
"""Maximum waiting requests per browser, one per window of a player with several games."""


class ClientQueues:
    """Lets each client have one request at a time."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._here: dict[str, int] = {}

    @asynccontextmanager
    async def of(self, who: str) -> AsyncIterator[None]:
        """Wait for the turn of ``who``. Raises ``Refusal`` (429) where too many of theirs wait already."""
        here = self._here.get(who, 0)
        if here > MOST_WAITING:
            sentence = "Your previous requests are still being processed. Try again in a moment."
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
# Connections stay open between jobs, since opening one costs more than most jobs. An idle connection is checked before
# it is used, as Django does at the start of a request. On SQLite one thread writes, so that writers queue instead of
# polling for the database lock.

READERS: Final = 2
WRITERS: Final = 4

SWITCH_S: Final = 0.0005
"""Thread switch interval. A database query yields at every row, and would then wait for Python's default of 5 ms: a
response with 10 ms of work would take a second."""

RESTED_S: Final = 1.0
"""Idle seconds after which a connection is checked before it is used."""

Given = ParamSpec("Given")
Found = TypeVar("Found")

_sharing: ContextVar[bool] = ContextVar("sharing", default=False)
_thread = local()


def share() -> None:
    """Let the current task and the tasks that it creates run jobs on the shared threads.

    Other jobs, as under Django's handler, run on the thread of their request.
    """
    _sharing.set(True)


async def read(job: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs) -> Found:
    """Run ``job``, which reads the database, and return its result. Repeat it once if the connection was lost."""
    return await _on(_readers, job, *args, **kwargs)


async def write(job: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs) -> Found:
    """Run ``job``, which changes the database, and return its result. Like in :func:`read`, it can run twice."""
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
        return retry_on_disconnect(job, patience_s=0.0, pause_s=0.0)
    finally:
        _thread.used = time.monotonic()


# --- Coalesced reads -------------------------------------------------------------------------------------------------

Ask = TypeVar("Ask")


class Coalescer(Generic[Ask, Found]):
    """Handles all requests for a match in one iteration of the event loop with one call of ``fetch_all``.

    A result is therefore never older than its request. ``fetch_all`` gets the match and the requests, and returns one
    result per request. It runs on a reader thread, or on a writer thread if ``writes`` returns true for a request.
    Calls for one match begin at least ``apart_s`` seconds apart.
    """

    def __init__(
        self,
        fetch_all: Callable[[int, list[Ask]], list[Found]],
        writes: Callable[[Ask], bool] = lambda _: False,
        apart_s: float = 0.0,
    ) -> None:
        self._fetch_all, self._writes, self._apart_s = fetch_all, writes, apart_s
        self._began: dict[int, float] = {}
        self._waiting: dict[int, list[tuple[Ask, asyncio.Future[Found]]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def fetch(self, match: int, ask: Ask) -> Found:
        """Return the result for ``ask``. Raises the errors of ``fetch_all``."""
        answer: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        if match not in self._waiting:
            self._waiting[match] = []
            self._schedule(match)
        self._waiting[match].append((ask, answer))
        return await answer

    def _schedule(self, match: int) -> None:
        loop = asyncio.get_running_loop()
        if not self._apart_s:
            loop.call_soon(self._begin, match)
            return
        now = loop.time()
        self._began[match] = at = max(now, self._began.get(match, -self._apart_s) + self._apart_s)
        loop.call_at(at, self._begin, match)
        loop.call_at(at + self._apart_s, self._forget, match, at)

    def _forget(self, match: int, at: float) -> None:
        """Drop the entry of a match without requests, so that probing ids cannot use up memory."""
        if self._began.get(match) == at:
            del self._began[match]

    def _begin(self, match: int) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(match, self._waiting.pop(match)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, match: int, waiting: list[tuple[Ask, asyncio.Future[Found]]]) -> None:
        asks, answers = [ask for ask, _ in waiting], [answer for _, answer in waiting]
        on_thread = write if any(map(self._writes, asks)) else read
        try:
            results = await on_thread(self._fetch_all, match, asks)
        except Exception as error:  # the callers handle it
            for answer in answers:
                if not answer.done():
                    answer.set_exception(error)
            return
        for answer, result in zip(answers, results, strict=True):
            if not answer.done():  # done if the client has disconnected
                answer.set_result(result)
