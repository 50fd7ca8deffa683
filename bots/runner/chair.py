"""One seat of a running game: its process, its pipes, its clock, and what it has to answer for."""

from __future__ import annotations

from typing import Final

from bots.protocol import Limits
from bots.runner.channel import Channel, OpenChannel, open_channel
from bots.runner.clock import MS, Clock
from bots.runner.launcher import NeverBegun, Process
from bots.runner.report import Forfeit, MachineDelay, SeatReport, Strike, Thought

MAX_STRIKES: Final = 3
LAST_WORDS_MS: Final = 100
"""How long a process whose stdout is closed has until it is ended."""

NO_PROGRAM: Final = ("No such file", "Exec format error", "Permission denied", "Argument list too long")
"""Errors of the kernel for a file that is not a program. Lack of memory gives a different error (man 2 execve)."""

CANNOT_BE_EXECUTED: Final = 126
"""The exit status of a file that the kernel does not take for a program, as shells give it (POSIX, 2.8.2)."""

PONDERING_NS: Final = 20 * MS
"""Processor time between two questions from which on a bot is stopped while others think."""


class Chair:
    """What the runner knows of one seat. A chair whose ``forfeit`` is set has no process any more."""

    def __init__(
        self, seat: int, label: str, bot_seed: str, limits: Limits, open_channel: OpenChannel = open_channel
    ) -> None:
        self.seat, self.label, self.bot_seed = seat, label, bot_seed
        self._open_channel = open_channel
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
        self.thoughts: list[tuple[int, int, int, int]] = []
        self.strikes: list[Strike] = []
        self.machine_delays: list[MachineDelay] = []
        self.forfeit: Forfeit | None = None
        self.ponders = False
        self.exit_status: int | None = None

    def seat_process(self, process: Process) -> Channel:
        """The started process takes the seat."""
        self.process, self.knows_cpu = process, process.knows_cpu
        self.channel = self._open_channel(process)
        return self.channel

    def settle(self, wall_ns: int, cpu_ns: int, delay_ns: int, allowed_ns: int) -> None:
        """A decision is over: keep the measurements, take its time from the clocks, and stop a bot that ponders.

        Waiting longer than ``allowed_ns`` was the runner's wish and costs the seat nothing more.
        """
        self.thoughts.append((self.asked, wall_ns, cpu_ns, delay_ns))
        if wall_ns > allowed_ns:
            wall_ns = allowed_ns
        if delay_ns and self.fair_clock is None:
            self.fair_clock = self.clock.copy()
        if self.fair_clock is not None:
            self.fair_clock.spend(max(0, wall_ns - delay_ns))
        self.clock.spend(wall_ns)
        if self.ponders and self.process is not None:
            self.process.pause()

    def give_up(self, reason: str, evidence: str) -> Forfeit:
        """The seat has lost its game. Its process is ended now and waited for in :meth:`leave`."""
        self.forfeit = Forfeit(self.seat, reason, self.asked or None, evidence)
        if self.process is not None and reason != "exit":
            self.process.kill()
        return self.forfeit

    def leave(self, patience_ms: int = 0) -> None:
        """End the process, if there is one, and keep what is to be known of it."""
        if self.process is None:
            return
        process, self.process = self.process, None
        never_begun: NeverBegun | None = None
        try:
            self.exit_status = process.stop(patience_ms)
        except NeverBegun as failure:
            never_begun = failure
        finally:
            if self.channel is not None:
                self.channel.close()
        if never_begun is not None:  # only then is stderr not the bot's, and may be told to everybody
            said = self._stderr_tail()[-300:].strip()
            failed = f"execvp {never_begun.program}: "
            if not never_begun.program or not any(failed + error in said for error in NO_PROGRAM):
                raise NeverBegun(f"{never_begun}: {said}") from never_begun
            self.exit_status = CANNOT_BE_EXECUTED

    def known_cpu_us(self, cpu_ns: int) -> int | None:
        """What was measured, microseconds, where that means anything."""
        return cpu_ns // 1000 if self.knows_cpu else None

    def report(self) -> SeatReport:
        """The seat's part of the match report."""
        return SeatReport(
            label=self.label,
            bot_seed=self.bot_seed,
            ready_us=self.ready_us,
            decisions=tuple(
                Thought(number, wall_ns // 1000, self.known_cpu_us(cpu_ns), delay_ns // 1000)
                for number, wall_ns, cpu_ns, delay_ns in self.thoughts
            ),
            strikes=tuple(self.strikes),
            exit_status=self.exit_status,
            stderr_tail=self._stderr_tail(),
        )

    def _stderr_tail(self) -> str:
        return self.channel.stderr_tail() if self.channel is not None else ""


def grace_ms(limits: Limits) -> int:
    """How much longer than allowed a seat is waited for in one game, all in all, while the machine is to blame."""
    return min(10 * limits.move_ms + limits.bank_ms, limits.game_ms)
