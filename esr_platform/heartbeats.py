"""Keep something alive from a separate thread while long work runs, and detect its loss."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import Final

from django.db import DatabaseError, InterfaceError, connection

AGAIN_S: Final = 1.0
"""How long after a beat that did not reach the database the next one begins."""

ENDING_S: Final = 5.0
"""Something that was not ours at a beat and ends so soon after it had just brought its result, which counts."""

logger = logging.getLogger(__name__)


class Heartbeat:
    """The beats of one thread. What they keep alive is lost after ``lasts_s`` seconds without a beat that succeeded."""

    def __init__(self, beat: Callable[[], bool], what: str, lasts_s: float) -> None:
        self._beat, self._what, self._lasts_s = beat, what, lasts_s
        self._refused, self._reached, self._kept_s = False, True, monotonic()

    @property
    def lost(self) -> bool:
        """Whether a beat said so, or none has succeeded for too long. Safe to ask from any thread."""
        return self._refused or monotonic() - self._kept_s > self._lasts_s

    def run(self, stop: Event, every_s: float) -> None:
        """Beat until ``stop`` is set or a beat says ``False``."""
        try:
            while not stop.wait(every_s if self._reached else min(every_s, AGAIN_S)):
                if not self._alive_or_out_of_reach():
                    self._refused = True
                    if not stop.wait(ENDING_S):
                        logger.warning("%s is not ours any more; what comes out will not count", self._what)
                    return
        finally:
            connection.close()

    def _alive_or_out_of_reach(self) -> bool:
        began_s = monotonic()
        try:
            alive = self._beat()
        except (DatabaseError, InterfaceError) as error:
            logger.warning("no heartbeat for %s: %s", self._what, error)
            connection.close()
            self._reached = False
            return True
        self._reached = True
        if alive:
            self._kept_s = began_s
        return alive


@contextmanager
def beating(beat: Callable[[], bool], what: str, every_s: float, lasts_s: float = inf) -> Iterator[Heartbeat]:
    """Call ``beat`` every ``every_s`` seconds until it says ``False``, with a database connection of its own.

    ``what`` is said in the log. A database out of reach ends nothing before ``lasts_s``: the next beat may still come
    in time.
    """
    stop, heart = Event(), Heartbeat(beat, what, lasts_s)
    thread = Thread(target=heart.run, args=(stop, every_s), name=f"heartbeat of {what}", daemon=True)
    thread.start()
    try:
        yield heart
    finally:
        stop.set()
        thread.join()
