"""What a runner gives back: the record of the game and what happened at each seat, as plain frozen data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from games.rules import Document

_SHOWN_BYTES: Final = 500


def escaped(line: bytes | None) -> str:
    """A raw answer for its owner's eyes: escaped and cut; empty where there was none."""
    if line is None:
        return ""
    text = line[:_SHOWN_BYTES].decode("utf-8", errors="backslashreplace")
    return text.encode("unicode_escape").decode("ascii") + ("…" if len(line) > _SHOWN_BYTES else "")


@dataclass(frozen=True, slots=True)
class Thought:
    """One decision of a seat: how long it took, and how much of that the machine was to blame for, microseconds.

    ``cpu_us`` is ``None`` on systems that do not tell a process's processor time (Windows, macOS). There nobody knows
    the machine's delay either; it counts as 0.
    """

    id: int
    wall_us: int
    cpu_us: int | None
    machine_delay_us: int


@dataclass(frozen=True, slots=True)
class Strike:
    """One lost decision: ``reason`` as in ``games.rules.DEFAULT_REASONS``, ``answer`` the escaped start of the line."""

    id: int
    reason: str
    detail: str
    answer: str
    wall_us: int
    cpu_us: int | None


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game a seat lost before its end: ``reason`` as in ``games.rules.FORFEIT_REASONS``.

    ``decision`` is the id of the decision it happened at, ``None`` before the first; ``evidence`` is a sentence.
    """

    seat: int
    reason: str
    decision: int | None
    evidence: str


@dataclass(frozen=True, slots=True)
class MachineDelay:
    """A ``ready`` (``decision`` is ``None``) or an answer that was late only because the machine was, microseconds."""

    seat: int
    decision: int | None
    wall_us: int
    allowed_us: int
    machine_delay_us: int


@dataclass(frozen=True)
class SeatReport:
    """One seat's game, for its owner. ``ready_us`` is ``None`` if it never said ``ready``."""

    label: str
    bot_seed: str
    ready_us: int | None
    decisions: tuple[Thought, ...]
    strikes: tuple[Strike, ...]
    exit_status: int | None
    stderr_tail: str

    @property
    def wall_us(self) -> int:
        """All its thinking, wall time."""
        return sum(thought.wall_us for thought in self.decisions)

    @property
    def cpu_us(self) -> int | None:
        """All its thinking, processor time; ``None`` where it is not known."""
        known = [thought.cpu_us for thought in self.decisions if thought.cpu_us is not None]
        return sum(known) if len(known) == len(self.decisions) else None


@dataclass(frozen=True)
class MatchReport:
    """One game that was played to its end.

    ``play_again`` says that the machine, and not a bot, made a decision late, and that the game has not yet been played
    again as often as it may be; otherwise this result stands.
    """

    record: Document
    forfeits: tuple[Forfeit, ...]
    seats: tuple[SeatReport, ...]
    machine_delays: tuple[MachineDelay, ...]
    play_again: bool
    wall_us: int

    @property
    def machine_delayed(self) -> bool:
        """Whether a seat was late only because the machine was."""
        return bool(self.machine_delays)

    @property
    def forfeit_reasons(self) -> dict[int, str]:
        """Seat → reason, as re-execution takes it."""
        return {forfeit.seat: forfeit.reason for forfeit in self.forfeits}

    def document(self) -> dict[str, Any]:
        """Everything but the record as JSON values, to be stored beside it."""
        whole = asdict(replace(self, record={}))
        del whole["record"]
        return whole
