"""The threads on which live views ask the database: a few for the whole process, each with its own connection.

A connection is kept between two jobs, since opening one costs more than most of them; one that has rested for a moment
is looked at first, as Django does at the start of a request. On SQLite one thread writes, so that answers stand in line
instead of asking again and again whether the database is free.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache, partial
from threading import local
from typing import Final, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, close_old_connections, connection

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
