"""Overload of a web process: answers of players, which go before pages, and requests that are refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Lock
from typing import Final

import structlog
from prometheus_client import Counter, Histogram

# --- Answers of players ----------------------------------------------------------------------------------------------

SLOW_S: Final = 0.25
"""An answer that takes longer shows that the process is overloaded."""

OVERLOAD_S: Final = 1.0
"""How long the process counts as overloaded after a slow answer."""


ANSWER_SECONDS: Final = Histogram(
    "answer_seconds",
    "Time from the arrival of an answer or action of a player to its response, in this web process",
    buckets=(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0),
    registry=None,
)


class Answers:
    """Answers and other actions of players that a process works on. Each thread may work on one.

    After each of them, ``on_end`` is called on the event loop.
    """

    def __init__(self, slow_s: float = SLOW_S, overload_s: float = OVERLOAD_S) -> None:
        self._slow_s, self._overload_s = slow_s, overload_s
        self._open = 0
        self._lock = Lock()
        self._overloaded_until_s = -inf
        self.on_end: Callable[[], None] = lambda: None

    @contextmanager
    def processed(self, arrived_s: float | None = None) -> Iterator[None]:
        """Mark the time in which an answer is processed. Count only clients that may answer, not all that try.

        ``arrived_s`` is the time of arrival (``time.monotonic``, default: now).
        """
        arrived_s = time.monotonic() if arrived_s is None else arrived_s
        with self._lock:
            self._open += 1
        try:
            yield
        finally:
            now_s = time.monotonic()
            ANSWER_SECONDS.observe(now_s - arrived_s)
            if now_s - arrived_s >= self._slow_s:
                self._overloaded_until_s = now_s + self._overload_s
            with self._lock:
                self._open -= 1

    @property
    def go_first(self) -> bool:
        """Whether an answer is processed now, or one was slow a moment ago."""
        return self._open > 0 or time.monotonic() < self._overloaded_until_s


ANSWERS: Final = Answers()
"""The answers of this process."""

# --- Refused requests ------------------------------------------------------------------------------------------------

RETRY_S: Final = 2
"""Seconds until a refused request is repeated."""

SENTENCE: Final = f"The site is overloaded. Nothing was changed. Try again in {RETRY_S} s."

CODE: Final = "overloaded"

LOG_S: Final = 1.0

REFUSED: Final = Counter(
    "overload_refusals",
    "Requests of this web process that were answered with status 503 because of overload",
    ["reason"],
    registry=None,
)
"""By reason: ``database`` (no connection, or a lock, in time) or ``pages`` (too many requests waited)."""

log = structlog.get_logger(__name__)


class RefusalLog:
    """When the last line about refusals was logged."""

    def __init__(self) -> None:
        self._at_s, self._refused = -inf, 0

    def due(self, now_s: float) -> int:
        """Count a refusal. Return the number since the last line if a line is due now, otherwise 0."""
        self._refused += 1
        if now_s - self._at_s < LOG_S:
            return 0
        refused, self._at_s, self._refused = self._refused, now_s, 0
        return refused


_log = RefusalLog()


def count_refusal(reason: str, error: BaseException | None = None) -> None:
    """Count a refused request, and log the number of refusals since the last line at most every ``LOG_S`` seconds."""
    REFUSED.labels(reason).inc()
    refused = _log.due(time.monotonic())
    if refused:
        log.warning(CODE, reason=reason, refused=refused, error=str(error or "").partition("\n")[0])
