"""Keep something alive from a separate thread while long work runs, and detect its loss."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import Final

AGAIN_S: Final = 1.0
"""Interval after a heartbeat that did not reach the site, in seconds."""

WATCH_S: Final = 0.25
"""Interval of checks whether the lease is lost, if something has to end with it, in seconds."""

ENDING_S: Final = 5.0
"""Work that ends this soon after a refused heartbeat had already stored its result, so no warning is logged."""

logger = logging.getLogger(__name__)


class LeaseLost(Exception):
    """The lease was taken over or withdrawn, or could not be renewed in time. Nothing of the work counts."""


class NotReached(Exception):
    """A heartbeat did not reach the site. The next one can still succeed."""


class Heartbeat:
    """Heartbeats of one thread. The lease is lost after ``lasts_s`` seconds without a successful heartbeat."""

    def __init__(self, beat: Callable[[], bool], what: str, lasts_s: float) -> None:
        self._beat, self._what, self._lasts_s = beat, what, lasts_s
        self._refused, self._reached, self._kept_s = False, True, monotonic()

    @property
    def lost(self) -> bool:
        """Whether a heartbeat was refused or none has succeeded for too long. Thread-safe."""
        return self._refused or monotonic() - self._kept_s > self._lasts_s

    def run(self, stop: Event, every_s: float) -> None:
        """Send heartbeats until ``stop`` is set or one returns ``False``."""
        while not stop.wait(every_s if self._reached else min(every_s, AGAIN_S)):
            if not self._alive_or_out_of_reach():
                self._refused = True
                if not stop.wait(ENDING_S):
                    logger.warning("lease of %s lost; its result will be discarded", self._what)
                return

    def watch(self, stop: Event, on_loss: Callable[[], None]) -> None:
        """Call ``on_loss`` once the lease is lost, unless ``stop`` is set before. Heartbeats can hang meanwhile."""
        while not stop.wait(WATCH_S):
            if self.lost:
                on_loss()
                return

    def _alive_or_out_of_reach(self) -> bool:
        began_s = monotonic()
        try:
            alive = self._beat()
        except NotReached as error:
            logger.warning("heartbeat of %s failed: %s", self._what, error)
            self._reached = False
            return True
        self._reached = True
        if alive:
            self._kept_s = began_s
        return alive


@contextmanager
def beating(
    beat: Callable[[], bool],
    what: str,
    every_s: float,
    lasts_s: float = inf,
    on_loss: Callable[[], None] | None = None,
) -> Iterator[Heartbeat]:
    """Call ``beat`` every ``every_s`` seconds in a separate thread until it returns ``False``.

    ``what`` is the name in the log. If ``beat`` raises ``NotReached``, the lease is lost only after ``lasts_s``,
    because the next heartbeat can still succeed. ``on_loss`` is called in another thread up to ``WATCH_S`` after the
    loss. For a ``beat`` that uses the database, see ``esr_platform.leases.on_database``.
    """
    stop, heart = Event(), Heartbeat(beat, what, lasts_s)
    threads = [Thread(target=heart.run, args=(stop, every_s), name=f"heartbeat of {what}", daemon=True)]
    if on_loss is not None:
        threads.append(Thread(target=heart.watch, args=(stop, on_loss), name=f"watch of {what}", daemon=True))
    for thread in threads:
        thread.start()
    try:
        yield heart
    finally:
        stop.set()
        for thread in threads:
            thread.join()
