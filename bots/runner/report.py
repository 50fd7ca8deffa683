"""The result of a match: the game record and a report of each seat, as frozen data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from games.rules import Document, Forfeit

_SHOWN_BYTES: Final = 500


def escaped(line: bytes | None) -> str:
    """Return a raw answer for its owner: escaped and truncated. Empty if there was no answer."""
    if line is None:
        return ""
    text = line[:_SHOWN_BYTES].decode("utf-8", errors="backslashreplace")
    return text.encode("unicode_escape").decode("ascii") + ("…" if len(line) > _SHOWN_BYTES else "")


@dataclass(frozen=True, slots=True)
class Thought:
    """One decision of a seat: its wall time, processor time and server lag, in microseconds.

    ``cpu_us`` is ``None`` on systems that do not measure the processor time of a process (Windows, macOS). The server
    lag is also unknown there and counts as 0.
    """

    id: int
    wall_us: int
    cpu_us: int | None
    machine_delay_us: int


@dataclass(frozen=True, slots=True)
class Strike:
    """One strike: ``reason`` is one of ``games.rules.DEFAULT_REASONS``, ``answer`` the escaped start of the line."""

    id: int
    reason: str
    detail: str
    answer: str
    wall_us: int
    cpu_us: int | None


@dataclass(frozen=True, slots=True)
class ForfeitReport:
    """The forfeit of a seat: ``reason`` and ``at`` are as in ``games.rules.Forfeit``.

    ``decision`` is the id of the decision at which it happened, or ``None`` before the first. ``evidence`` is a
    sentence.
    """

    seat: int
    reason: str
    at: int | None
    decision: int | None
    evidence: str


@dataclass(frozen=True, slots=True)
class MachineDelay:
    """An answer, or ``ready`` if ``decision`` is ``None``, that only server lag delayed. In microseconds."""

    seat: int
    decision: int | None
    wall_us: int
    allowed_us: int
    machine_delay_us: int


@dataclass(frozen=True)
class SeatReport:
    """The report of one seat for its owner. ``ready_us`` is ``None`` if the bot never sent ``ready``.

    ``start`` contains the times of the start, also of a failed one, with the id 0.
    """

    label: str
    bot_seed: str
    ready_us: int | None
    decisions: tuple[Thought, ...]
    strikes: tuple[Strike, ...]
    exit_status: int | None
    stderr_tail: str
    start: Thought | None = None

    @property
    def wall_us(self) -> int:
        """Total wall time of all decisions."""
        return sum(thought.wall_us for thought in self.decisions)

    @property
    def cpu_us(self) -> int | None:
        """Total processor time of all decisions, or ``None`` if it is unknown."""
        known = [thought.cpu_us for thought in self.decisions if thought.cpu_us is not None]
        return sum(known) if len(known) == len(self.decisions) else None


@dataclass(frozen=True)
class MatchReport:
    """The report of a game that was played to its end, or of a trial.

    The record of a trial has no outcome if the trial ended early.
    ``play_again`` is true if a decision was late because of server lag, and the match can still be re-run. If it is
    false, the result is final.
    """

    record: Document
    forfeits: tuple[ForfeitReport, ...]
    seats: tuple[SeatReport, ...]
    machine_delays: tuple[MachineDelay, ...]
    play_again: bool
    wall_us: int

    @property
    def forfeits_by_seat(self) -> dict[int, Forfeit]:
        """All forfeits by seat, as ``games.record.verify`` takes them."""
        return {report.seat: Forfeit(report.reason, report.at) for report in self.forfeits}

    def document(self) -> dict[str, Any]:
        """Return the report without the record as JSON values."""
        whole = asdict(replace(self, record={}))
        del whole["record"]
        return whole
