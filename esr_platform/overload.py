"""Requests that the site refuses because it is overloaded: they are counted, and logged at most once per second."""

from __future__ import annotations

import time
from math import inf
from typing import Final

import structlog
from prometheus_client import Counter

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
