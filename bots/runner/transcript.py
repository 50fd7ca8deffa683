"""Keeps what was said at the table of one game, byte for byte: what an owner's log is made of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from games.base import State

_HELLO: Final = b'{"type":"hello"'
_DECIDE: Final = b'{"type":"decide"'


@dataclass(slots=True)
class Exchange:
    """One decision: the ``decide`` as the bot got it, and the line that was judged, as it came; both without newline.

    ``answer`` is ``None`` where there was nothing to judge: none in time, one that was too long, or the bot was gone.
    """

    question: bytes
    answer: bytes | None = None


@dataclass(slots=True)
class Conversation:
    """All that passed between the runner and one seat.

    ``hellos`` has one line a start. ``exchanges`` has one entry a decision, in order: entry k is the decision with the
    id k + 1, its times are ``SeatReport.decisions[k]`` of the report. ``end`` is ``None`` for a seat that forfeited.
    """

    hellos: list[bytes] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    end: bytes | None = None


class Transcript:
    """An :class:`~bots.runner.launching.Observer` that keeps every line, for one game with ``seats`` seats.

    ``kept`` names the seats whose lines are kept, if not all. It holds some kilobytes a decision until it is let go. A
    game that is played again wants a new one.
    """

    def __init__(self, seats: int, kept: Collection[int] | None = None) -> None:
        self.seats = tuple(Conversation() for _ in range(seats))
        self.kept = range(seats) if kept is None else frozenset(kept)

    def moved(self, state: State) -> None:
        """Nothing: the record has the moves."""

    def told(self, seat: int, line: bytes) -> None:
        """Keep what the bot of ``seat`` is told."""
        if seat not in self.kept:
            return
        conversation, line = self.seats[seat], line.removesuffix(b"\n")
        if line.startswith(_DECIDE):
            conversation.exchanges.append(Exchange(line))
        elif line.startswith(_HELLO):
            conversation.hellos.append(line)
        else:
            conversation.end = line

    def heard(self, seat: int, line: bytes) -> None:
        """Keep what was judged as the answer to the last question of ``seat``."""
        if seat in self.kept:
            self.seats[seat].exchanges[-1].answer = line.removesuffix(b"\n")
