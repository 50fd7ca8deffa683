"""Questions of a trial, which judges a bot independently of the host.

In a rated game, a late answer is excused only if measured server lag explains it and the bot did not use most of its
time. Otherwise a bot that loses could get a re-run. A repeated trial has no such value for a bot. So a trial excuses
every answer that could have been in time on an idle host, and waits long enough to know it.

What a busy host costs a bot is the measured server lag and a part that cannot be measured: stolen processor time,
shared caches, page faults. This part is at most the time in which any process of the host had to wait
(``Process.host_stall_ns``), and at most 1 / ``UNMEASURED_SHARE`` of the bot's own time. So a bot that takes much too
long also fails on a busy host.
"""

from __future__ import annotations

from typing import Final

from bots.runner.clock import MS
from bots.runner.questions import ENDS, MEASURED_NS, AnswerFault, MoveQuestion, Question, ReadyQuestion

UNMEASURED_SHARE: Final = 5
"""At most 1/5 of a bot's own time (wall time minus measured server lag) counts as lag that was not measured."""

PATIENCE_NS: Final = 28_000 * MS
"""Maximum wall time of a question for which the host is to blame, unless the limit itself is longer.

The second and third attempt at a trial have two and three times as much, so that a busy host also reaches a verdict.
"""


class _Trial(Question):
    """The rules of a trial, for both kinds of questions."""

    _stall_before_ns: int

    def _start_clock(self, allowed_ns: int, fair_ns: int) -> None:
        self._stall_before_ns = self._process.host_stall_ns()
        super()._start_clock(allowed_ns, fair_ns)

    def _measure(self, now_ns: int) -> None:
        super()._measure(now_ns)
        self.match_seat.unmeasured_ns = 0
        if self.wall_ns > MEASURED_NS:
            stall_ns = self._process.host_stall_ns() - self._stall_before_ns
            self.match_seat.unmeasured_ns = max(0, min(stall_ns, (self.wall_ns - self.delay_ns) // UNMEASURED_SHARE))

    def _time_left_ns(self) -> int:
        """Return how much time the bot would have left on an idle host. It is negative after the deadline."""
        return self.fair_ns - (self.wall_ns - self.delay_ns - self.match_seat.unmeasured_ns)

    def _machine_is_to_blame(self) -> bool:
        return self._time_left_ns() >= 0

    def _grace_ns(self) -> int:
        return min(self._time_left_ns(), max(self.match_seat.patience_ns, self.allowed_ns) - self.wall_ns)

    def _conclude(self, now_ns: int, fault: AnswerFault | None) -> None:
        super()._conclude(now_ns, fault)
        unjudged = fault is not None and fault.reason not in ENDS and now_ns > self.deadline_ns
        if unjudged and self._machine_is_to_blame():  # the host was too slow to see an answer in time
            self.match_seat.machine_delays.append(self._blame())


class TrialReadyQuestion(_Trial, ReadyQuestion):
    """The start of a bot in a trial."""


class TrialMoveQuestion(_Trial, MoveQuestion):
    """A ``decide`` message in a trial."""
