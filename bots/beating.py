"""Keeps something alive from a thread of its own while something long runs beside it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from django.db import DatabaseError, InterfaceError, connection

ENDING_S: Final = 5.0
"""Something that was not ours at a beat and ends so soon after it had just brought its result, which counts."""

logger = logging.getLogger(__name__)


@contextmanager
def beating(beat: Callable[[], bool], what: str, every_s: float) -> Iterator[None]:
    """Call ``beat`` every ``every_s`` seconds until it says ``False``, with a database connection of its own.

    ``what`` is said in the log. A database out of reach stops nothing: the next beat may still come in time.
    """
    stop = Event()
    thread = Thread(target=_beat_until, args=(stop, beat, what, every_s), name=f"heartbeat of {what}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _beat_until(stop: Event, beat: Callable[[], bool], what: str, every_s: float) -> None:
    try:
        while not stop.wait(every_s):
            if not _alive_or_out_of_reach(beat, what):
                if not stop.wait(ENDING_S):
                    logger.warning("%s is not ours any more; what comes out will not count", what)
                return
    finally:
        connection.close()


def _alive_or_out_of_reach(beat: Callable[[], bool], what: str) -> bool:
    try:
        return beat()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("no heartbeat for %s: %s", what, error)
        connection.close()
        return True
