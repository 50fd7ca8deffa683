"""How long the supervisor waits for a process that starts: as long as the process works, up to a limit."""

from __future__ import annotations

import time
from collections.abc import Callable

LIMIT_S = 300.0
STALLED_S = 60.0
"""A process that waits for a busy disk or processor uses no CPU time either, but hardly for this long."""

PROGRESS_S = 0.1
"""CPU time that counts as progress. Timers of an idle process use less than this in ``STALLED_S``."""

REPORT_EVERY_S = 15.0


class Patience:
    """Decides how long to wait for ``what``, which appears in the reports to the person at the terminal.

    ``used`` returns the CPU time of the awaited process in seconds, or ``None`` where it is unknown. Then only
    ``limit`` ends the wait.
    """

    def __init__(
        self,
        what: str,
        used: Callable[[], float | None],
        limit: float = LIMIT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.what = what
        self._used = used
        self._limit = limit
        self._clock = clock
        self._begun = self._progressed = clock()
        self._known = used()
        self._next_report = REPORT_EVERY_S

    @property
    def waited(self) -> float:
        """Seconds since the start of the wait."""
        return self._clock() - self._begun

    def exhausted(self) -> bool:
        """Whether to give up. Call it often: each call checks for progress since the one before."""
        now, used = self._clock(), self._used()
        # A process that was started again begins at zero, so a fall is progress too.
        if used is None or self._known is None or abs(used - self._known) >= PROGRESS_S:
            self._progressed, self._known = now, used
        return now - self._progressed > STALLED_S or now - self._begun > self._limit

    def report(self) -> str | None:
        """A line about the wait, once per ``REPORT_EVERY_S``; ``None`` between two reports."""
        if self.waited < self._next_report:
            return None
        self._next_report = (self.waited // REPORT_EVERY_S + 1) * REPORT_EVERY_S
        used = self._used()
        cpu = "" if used is None else f", {used:.1f} s of CPU time"
        return f"Still waiting for {self.what} ({self.waited:.0f} s{cpu})."
