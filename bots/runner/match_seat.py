"""One seat of a running game: its process, pipes, clock, strikes and forfeit."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Final

from bots.protocol import Limits
from bots.runner.channel import Channel, OpenChannel, open_channel
from bots.runner.clock import MS, Clock
from bots.runner.launcher import NeverBegun, Process
from bots.runner.process_end import ProcessEnd, end_process
from bots.runner.report import ForfeitReport, MachineDelay, SeatReport, Strike, Thought

MAX_STRIKES: Final = 3
NO_PROGRAM: Final = ("No such file", "Exec format error", "Permission denied", "Argument list too long")
"""Error messages of the kernel for a file that is not a program. Lack of memory gives another error (man 2 execve)."""

CANNOT_BE_EXECUTED: Final = 126
"""The exit status of a file that the kernel cannot execute, as in shells (POSIX, 2.8.2)."""

KNOWN_AFTER: Final = 10
"""Number of answers after which the runner knows how long a bot takes."""

UNUSUAL: Final = 1.5
"""After that, lag does not excuse an answer that takes this many times the bot's own time of any answer before.

Otherwise a bot that finds that it loses could compute on a busy host until its answer is late, and get a re-run. The
lag is real then, but only the bot's choice to compute made the answer late.
"""

EXITED: Final = "the process exited or closed its stdout"
"""The evidence of an exit until :meth:`MatchSeat.leave` has found how the process ended."""

PONDERING_NS: Final = 20 * MS
"""If a bot uses more processor time than this between two decisions, it is stopped while other bots think."""


class MatchSeat:
    """The runner's data of one seat. A seat with a ``forfeit`` has no process."""

    def __init__(
        self, seat: int, label: str, bot_seed: str, limits: Limits, open_channel: OpenChannel = open_channel
    ) -> None:
        self.seat, self.label, self.bot_seed = seat, label, bot_seed
        self._open_channel = open_channel
        self.memory_mb = limits.memory_mb
        self.clock = Clock(limits)
        self.fair_clock: Clock | None = None
        self.grace_ns = grace_ms(limits) * MS
        self.process: Process | None = None
        self.channel: Channel | None = None
        self.asked = 0
        self.log_position = 0
        self.cpu_seen_ns = 0
        self.knows_cpu = True
        self.ready_us: int | None = None
        self.start: tuple[int, int, int] | None = None
        self.thoughts: list[tuple[int, int, int, int]] = []
        self.strikes: list[Strike] = []
        self.machine_delays: list[MachineDelay] = []
        self.patience_ns = 0
        """Maximum wall time of a question for which the host is to blame; only in trials."""
        self.unmeasured_ns = 0
        """Time of the last question that the host may have cost beyond the measured server lag; only in trials."""
        self.forfeit: ForfeitReport | None = None
        self.ponders = False
        self.exit_status: int | None = None
        self._end: ProcessEnd | None = None

    def seat_process(self, process: Process) -> Channel:
        """Assign a started process to the seat and return its channel."""
        self.process, self.knows_cpu = process, process.knows_cpu
        self.channel = self._open_channel(process)
        return self.channel

    def settle(self, wall_ns: int, cpu_ns: int, delay_ns: int, allowed_ns: int) -> None:
        """End a decision: store its measurements, update the clocks, and stop a bot that thinks between decisions.

        Time beyond ``allowed_ns`` is not charged to the seat, because the runner chose to wait.
        """
        self.thoughts.append((self.asked, wall_ns, cpu_ns, delay_ns))
        if wall_ns > allowed_ns:
            wall_ns = allowed_ns
        lag_ns = delay_ns + self.unmeasured_ns
        if lag_ns and self.fair_clock is None:
            self.fair_clock = self.clock.copy()
        if self.fair_clock is not None:
            self.fair_clock.spend(max(0, wall_ns - lag_ns))
        self.clock.spend(wall_ns)
        if self.ponders and self.process is not None:
            self.process.pause()

    def usual_ns(self) -> float:
        """Return the longest own time of an answer that lag can excuse, in nanoseconds; infinite for the first answers.

        The own time of an answer is its wall time without the lag. Late answers do not count.
        """
        struck = {strike.id for strike in self.strikes}
        own_ns = [wall_ns - delay_ns for number, wall_ns, _, delay_ns in self.thoughts if number not in struck]
        return UNUSUAL * max(own_ns) if len(own_ns) >= KNOWN_AFTER else inf

    def give_up(self, reason: str, at: int, evidence: str) -> ForfeitReport:
        """Forfeit the game after ``at`` recorded steps, and end the process. :meth:`leave` waits for its end."""
        self.forfeit = ForfeitReport(self.seat, reason, at, self.asked or None, evidence)
        if self.process is not None and reason != "exit":
            self.process.kill()
        return self.forfeit

    def leave(self, patience_ms: int = 0) -> None:
        """End the process, if there is one, and store its exit status and, for a forfeit by exit, how it ended."""
        if self.process is None or self.channel is None:
            return
        process, self.process = self.process, None
        try:
            end = end_process(process, self.channel, patience_ms)
        except NeverBegun as never_begun:  # only then does stderr contain messages of the platform, which are public
            tail = self._stderr_tail()[-300:].strip()
            failed = f"execvp {never_begun.program}: "
            if not never_begun.program or not any(failed + error in tail for error in NO_PROGRAM):
                raise NeverBegun(f"{never_begun}: {tail}") from never_begun
            end = ProcessEnd(CANNOT_BE_EXECUTED)
        self.exit_status, self._end = end.status, end
        if self.forfeit is not None and self.forfeit.reason == "exit":
            self.forfeit = replace(self.forfeit, evidence=self.exit_evidence())

    def exit_evidence(self) -> str:
        """Return how the process ended, with advice for the author of the bot. Call it after :meth:`leave`."""
        return EXITED if self._end is None else f"{self._end}; {self._end.advice(self._stderr_tail())}"

    def known_cpu_us(self, cpu_ns: int) -> int | None:
        """Return processor time in microseconds, or ``None`` if the system does not measure it."""
        return cpu_ns // 1000 if self.knows_cpu else None

    def report(self) -> SeatReport:
        """Return the report of this seat."""
        return SeatReport(
            label=self.label,
            bot_seed=self.bot_seed,
            ready_us=self.ready_us,
            decisions=tuple(self._thought(*thought) for thought in self.thoughts),
            strikes=tuple(self.strikes),
            exit_status=self.exit_status,
            stderr_tail=self._stderr_tail(),
            start=None if self.start is None else self._thought(0, *self.start),
        )

    def _thought(self, number: int, wall_ns: int, cpu_ns: int, delay_ns: int) -> Thought:
        return Thought(number, wall_ns // 1000, self.known_cpu_us(cpu_ns), delay_ns // 1000)

    def _stderr_tail(self) -> str:
        return self.channel.stderr_tail() if self.channel is not None else ""


def grace_ms(limits: Limits) -> int:
    """Return how long the runner waits in one game beyond the limits because of server lag, in milliseconds."""
    return min(10 * limits.move_ms + limits.bank_ms, limits.game_ms)
