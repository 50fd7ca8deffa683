"""A state that plays from decision to decision. It keeps steps for the record and, on demand, a journal for logs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self

from games.chance import Chance, ScriptedChance, commitment
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, Document, Forfeit, IllegalMove, Move, Rules, State

FORMAT: Final = "game-record/1"
"""The value of ``format`` in every record."""

Step = tuple[int, str, Any, str | bool | None]
"""A step: seat (−1 for chance), kind of decision or name of the chance step, move or value, and mark.

The mark is ``True`` for a forced move, the reason for a default move, and ``None`` otherwise.
"""

Entry = tuple[int, int, Any]
"""A journal entry: ply, type (``EVENT``, ``STEP`` or ``OWN``), and the step or the document of the event."""

EVENT: Final = 0
"""A public entry: an event that followed from the rules."""

STEP: Final = 1
"""A public entry: a step. Only the seat that made it sees its mark."""

OWN: Final = 2
"""A private entry: the documents of an event by seat. Each seat sees only its own."""

NOBODY: Final = -1
"""As ``turn``: several seats choose simultaneously, or no decision is open. As the seat of a step: chance."""


class SteppedState(State):
    """Base class for games that play from decision to decision.

    ``stage`` is the kind of the open decision (``""`` between decisions, ``"over"`` at the end), ``turn`` the seat that
    owes it. If several seats choose simultaneously, ``turn`` is ``NOBODY`` and the game overrides :attr:`pending`.

    A game implements :meth:`apply` and :meth:`proceed`, and ``legal_moves``, ``view``, ``outcome`` and ``rounds_begun``
    of the contract. It extends :meth:`copy_to` for its own attributes. Its ``__init__(rules, seats, chance, journal)``
    deals and ends with :meth:`go_on`. The journal exists only after the first request for a log.
    """

    __slots__ = ("chance", "forfeits", "journal", "rules", "seats", "stage", "steps", "turn")

    def __init__(self, rules: Rules, seats: int, chance: Chance, journal: bool = False) -> None:
        self.rules = rules
        self.seats = seats
        self.chance = chance
        self.steps: list[Step] = []
        self.journal: list[Entry] | None = [] if journal else None
        self.forfeits: dict[int, Forfeit] = {}
        self.stage = ""
        self.turn = NOBODY

    # --- the course of the game -------------------------------------------------------------------------------

    @abstractmethod
    def apply(self, seat: int, move: Any, mark: str | bool | None) -> None:
        """Record a legal move in its canonical form and carry it out. ``mark`` is as in :data:`Step`.

        A simultaneous choice is recorded when the last one is made, in the order of the seats.
        """

    @abstractmethod
    def proceed(self) -> None:
        """Carry out what follows while ``stage`` is ``""``, at most up to the next decision."""

    def forced_move(self) -> Move | None:
        """Return the only legal move of the seat in ``turn``, or ``None`` if it has a choice."""
        legal = self.legal_moves(self.turn)
        return legal[0] if len(legal) == 1 else None

    def go_on(self) -> None:
        """Play chance and forced moves up to the next decision with a choice, or to the end of the game."""
        while True:
            if not self.stage:
                self.proceed()
                continue
            if self.turn < 0:
                return
            forced = self.forced_move()
            if forced is None:
                return
            self.apply(self.turn, forced, True)

    def ask(self, seat: int, kind: str) -> None:
        """Ask ``seat`` for a decision of ``kind``."""
        self.turn = seat
        self.stage = kind

    def settle(self) -> None:
        """End the current decision, so that :meth:`proceed` continues."""
        self.turn = NOBODY
        self.stage = ""

    # --- steps and journal ------------------------------------------------------------------------

    def note_chance(self, name: str, value: list[Any] | int) -> None:
        """Append a chance step that no log shows."""
        self.steps.append((NOBODY, name, value, None))

    def note_step(self, seat: int, kind: str, move: Move | list[int] | int, mark: str | bool | None) -> None:
        """Append a step that everyone can see immediately."""
        step = (seat, kind, move, mark)
        if self.journal is not None:
            self.journal.append((len(self.steps), STEP, step))
        self.steps.append(step)

    def note_event(self, event: Document) -> None:
        """Append a public event to the journal. Check that ``journal`` is not ``None`` before you build an event."""
        if self.journal is not None:
            self.journal.append((len(self.steps), EVENT, event))

    def note_own(self, events: list[Document]) -> None:
        """Append an event that each seat sees in its own version, and a spectator does not see."""
        if self.journal is not None:
            self.journal.append((len(self.steps), OWN, events))

    # --- the contract ---------------------------------------------------------------------------

    @property
    def pending(self) -> tuple[int, ...]:
        return () if self.turn < 0 else (self.turn,)

    @property
    def decision_kind(self) -> str | None:
        return None if self.stage == "over" else self.stage

    def require(self, seat: int) -> None:
        """Raise ``LookupError`` unless ``seat`` owes a decision."""
        if (seat != self.turn or seat < 0) and seat not in self.pending:
            raise LookupError(f"seat {seat} has no pending decision; pending seats: {list(self.pending)}")

    def require_seat(self, seat: int) -> None:
        """Raise ``LookupError`` unless ``seat`` exists in this game."""
        if not 0 <= seat < self.seats:
            raise LookupError(f"seat {seat} does not exist in a game of {self.seats} seats")

    def play(self, seat: int, move: object, *, default: str | None = None) -> None:
        canonical = self.check(seat, move)
        if default is not None:
            self.require_default(seat, canonical, default)
        self.apply(seat, canonical, default)
        self.go_on()

    def require_default(self, seat: int, move: Move, reason: str) -> None:
        """Raise ``IllegalMove`` unless ``move`` is the default move, ``ValueError`` unless ``reason`` is known."""
        if reason not in DEFAULT_REASONS:
            raise ValueError(f"unknown default reason {reason!r}; expected one of {', '.join(DEFAULT_REASONS)}")
        default = self.default_move(seat)
        if move != default:
            raise IllegalMove("This is not the default move. The default move is the first legal move.", repr(default))

    def forfeit(self, seat: int, reason: str, at: int | None = None) -> None:
        if reason not in FORFEIT_REASONS:
            raise ValueError(f"unknown forfeit reason {reason!r}; expected one of {', '.join(FORFEIT_REASONS)}")
        if at is not None and at < 0:
            raise ValueError(f"a seat cannot give up after {at} steps; expected at least 0")
        self.require_seat(seat)
        self.forfeits.setdefault(seat, Forfeit(reason, at))

    @property
    def step_count(self) -> int:
        return len(self.steps)

    def entry_count(self, seat: int | None) -> int:
        return len(self._journal_of(seat))

    def entries(self, seat: int | None, start: int = 0) -> list[Document]:
        return [self._entry_for(entry, seat) for entry in self._journal_of(seat)[start:]]

    def _journal_of(self, seat: int | None) -> list[Entry]:
        if self.journal is None:
            self.journal = self.with_journal().journal
        assert self.journal is not None
        return self.journal if seat is not None else [entry for entry in self.journal if entry[1] != OWN]

    def _entry_for(self, entry: Entry, seat: int | None) -> Document:
        """Return an entry as ``seat`` sees it. Only the seat that made a move sees that it was forced or a default."""
        ply, kind, what = entry
        if kind == STEP:
            mover, decision, move, mark = what
            step = step_document(mover, decision, move, mark if mover == seat else None, self.rules.chance_values)
            return {"ply": ply, "step": step}
        return {"ply": ply, "event": what if kind == EVENT else what[seat]}

    def with_journal(self) -> Self:
        """Replay the game from its steps with a journal and return the new state."""
        chance = ScriptedChance(self.chance.seed, [(kind, move) for seat, kind, move, _ in self.steps if seat < 0])
        twin = type(self)(self.rules, self.seats, chance, journal=True)
        for seat, _, move, mark in self.steps:
            if seat >= 0 and mark is not True:
                twin.apply(seat, move, mark)
                twin.go_on()
        return twin

    def retraced(self) -> Iterator[tuple[int, Self]]:
        chance = ScriptedChance(self.chance.seed, [(kind, move) for seat, kind, move, _ in self.steps if seat < 0])
        twin = type(self)(self.rules, self.seats, chance, journal=True)
        last = len(twin.steps) - 1
        yield last, twin
        for ply in range(last + 1, len(self.steps)):
            seat, _, move, mark = self.steps[ply]
            if seat < 0:
                continue
            twin.apply(seat, move, mark)
            while not twin.stage:
                twin.proceed()
            yield _before_the_next(self.steps, ply), twin

    def steps_since(self, start: int) -> list[Document]:
        values = self.rules.chance_values
        return [step_document(*step, values) for step in self.steps[start:]]

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        self.copy_to(twin)
        return twin

    def copy_to(self, twin: SteppedState) -> None:
        """Make ``twin`` an independent copy of this state without a journal.

        Games extend this method for their own attributes.
        """
        twin.rules = self.rules
        twin.seats = self.seats
        twin.chance = self.chance.copy()
        twin.steps = self.steps[:]
        twin.journal = None
        twin.forfeits = self.forfeits.copy()
        twin.stage = self.stage
        twin.turn = self.turn

    @property
    def record(self) -> Document:
        return {
            "format": FORMAT,
            "game": self.rules.slug,
            "rules": self.rules.version,
            "seats": self.seats,
            "seed": self.chance.seed.hex(),
            "commitment": commitment(self.chance.seed),
            "steps": self.steps_since(0),
            "outcome": self.outcome,
        }


def _before_the_next(steps: Sequence[Step], ply: int) -> int:
    """Return the last of the chance steps that directly follow step ``ply``, or ``ply`` itself."""
    while ply + 1 < len(steps) and steps[ply + 1][0] < 0:
        ply += 1
    return ply


def step_document(
    seat: int,
    kind: str,
    move: Move | list[Any] | int,
    mark: str | bool | None,
    chance_values: Mapping[str, str],
) -> Document:
    """Return a step as a record contains it. ``seat`` is −1 for chance; ``mark`` is as in :data:`Step`."""
    if seat < 0:
        return {"chance": kind, chance_values[kind]: copied(move)}
    step: Document = {"seat": seat, "decision": kind, "move": copied(move)}
    if mark is True:
        step["forced"] = True
    elif mark:
        step["default"] = mark
    return step


def copied(value: Any) -> Any:
    """Return a deep copy of a JSON value."""
    if type(value) is dict:
        return {key: copied(part) for key, part in value.items()}
    return [copied(part) for part in value] if type(value) is list else value
