"""A state that goes from decision to decision and keeps steps for the record and, once asked, a journal for logs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self

from games.chance import Chance, ScriptedChance, commitment
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, Document, IllegalMove, Move, Rules, State

FORMAT: Final = "game-record/1"
"""The value of ``format`` in every record."""

Step = tuple[int, str, Any, str | bool | None]
"""A step: seat (−1 for chance), decision kind or chance name, move or value, and ``True`` if it was forced
or the reason for a default."""

Entry = tuple[int, int, Any]
"""A log entry: ply, what it is (``EVENT``, ``STEP`` or ``OWN``), and the step or the event's document."""

EVENT: Final = 0
"""An entry for everybody: what followed from the rules."""

STEP: Final = 1
"""An entry for everybody: a step, whose mark only the seat that made it gets to see."""

OWN: Final = 2
"""An entry for the seats only: an event's documents by seat, of which each sees its own."""

NOBODY: Final = -1
"""As ``turn``: several seats choose at once, or nobody is asked. In a step: chance."""


class SteppedState(State):
    """A game that goes from decision to decision.

    ``stage`` is the kind of the owed decision (``""`` between decisions, ``"over"`` at the end), ``turn`` the seat that
    owes it. Where several seats choose at once, ``turn`` is ``NOBODY`` and the game overrides :attr:`pending`.

    A game implements :meth:`apply` and :meth:`proceed`, ``legal_moves``, ``view``, ``outcome`` and ``rounds_begun`` of
    the contract, and :meth:`copy_to` for its own attributes. Its ``__init__(rules, seats, chance, journal)`` deals and
    ends with :meth:`go_on`. The journal exists only after somebody has asked for a log.
    """

    __slots__ = ("chance", "forfeits", "journal", "rules", "seats", "stage", "steps", "turn")

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """An object without a deal, for :meth:`copy`; said here because compiled classes would deal at once."""
        return super().__new__(cls)

    def __init__(self, rules: Rules, seats: int, chance: Chance, journal: bool = False) -> None:
        self.rules = rules
        self.seats = seats
        self.chance = chance
        self.steps: list[Step] = []
        self.journal: list[Entry] | None = [] if journal else None
        self.forfeits: dict[int, str] = {}
        self.stage = ""
        self.turn = NOBODY

    # --- the course of the game -------------------------------------------------------------------------------

    @abstractmethod
    def apply(self, seat: int, move: Any, mark: str | bool | None) -> None:
        """Note a legal move in its canonical form and carry it out; ``mark`` as in a :data:`Step`.

        A choice that is made at once with others is noted when the last one is in, in the order of the seats.
        """

    @abstractmethod
    def proceed(self) -> None:
        """Do what follows while ``stage`` is ``""``, at most up to the next decision."""

    def forced_move(self) -> Move | None:
        """The only legal move of the seat whose ``turn`` it is; ``None`` if it has a choice."""
        legal = self.legal_moves(self.turn)
        return legal[0] if len(legal) == 1 else None

    def go_on(self) -> None:
        """Play chance and forced moves up to the next decision with a choice, or to the end."""
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
        """Append a step that everybody may see at once."""
        step = (seat, kind, move, mark)
        if self.journal is not None:
            self.journal.append((len(self.steps), STEP, step))
        self.steps.append(step)

    def note_event(self, event: Document) -> None:
        """Append a public event to the journal; callers ask ``self.journal is not None`` before they build it."""
        if self.journal is not None:
            self.journal.append((len(self.steps), EVENT, event))

    def note_own(self, events: list[Document]) -> None:
        """Append an event of which every seat sees its own version, and a spectator none."""
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
        """Raise ``LookupError`` unless ``seat`` is at the table."""
        if not 0 <= seat < self.seats:
            raise LookupError(f"seat {seat} does not exist in a game of {self.seats} seats")

    def play(self, seat: int, move: object, *, default: str | None = None) -> None:
        canonical = self.check(seat, move)
        if default is not None:
            self.require_default(seat, canonical, default)
        self.apply(seat, canonical, default)
        self.go_on()

    def require_default(self, seat: int, move: Move, reason: str) -> None:
        """Raise unless ``move`` is the default move and ``reason`` one that a record knows."""
        if reason not in DEFAULT_REASONS:
            raise ValueError(f"unknown default reason {reason!r}; expected one of {', '.join(DEFAULT_REASONS)}")
        default = self.default_move(seat)
        if move != default:
            raise IllegalMove("This is not the default move. The default move is the first legal move.", repr(default))

    def forfeit(self, seat: int, reason: str) -> None:
        if reason not in FORFEIT_REASONS:
            raise ValueError(f"unknown forfeit reason {reason!r}; expected one of {', '.join(FORFEIT_REASONS)}")
        self.require_seat(seat)
        self.forfeits.setdefault(seat, reason)

    def entries(self, seat: int | None, start: int = 0) -> list[Document]:
        if self.journal is None:
            self.journal = self.told_again().journal
        assert self.journal is not None
        journal = self.journal if seat is not None else [entry for entry in self.journal if entry[1] != OWN]
        return [self._told(entry, seat) for entry in journal[start:]]

    def _told(self, entry: Entry, seat: int | None) -> Document:
        """One entry as ``seat`` may see it. Only the mover learns that a move was forced or a default."""
        ply, kind, what = entry
        if kind == STEP:
            mover, decision, move, mark = what
            step = step_document(mover, decision, move, mark if mover == seat else None, self.rules.chance_values)
            return {"ply": ply, "step": step}
        return {"ply": ply, "event": what if kind == EVENT else what[seat]}

    def told_again(self) -> Self:
        """The same game played again from its steps, with a journal."""
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
        """Make ``twin`` an independent state in the same situation, without a journal; games copy what is theirs."""
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
    """The last chance step that follows step ``ply`` at once, or ``ply`` itself."""
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
    """A step as the record has it. ``seat`` −1 is chance, ``mark`` is ``True`` if forced or the reason of a default."""
    if seat < 0:
        return {"chance": kind, chance_values[kind]: copied(move)}
    step: Document = {"seat": seat, "decision": kind, "move": copied(move)}
    if mark is True:
        step["forced"] = True
    elif mark:
        step["default"] = mark
    return step


def copied(value: Any) -> Any:
    """A deep copy of a JSON value."""
    if type(value) is dict:
        return {key: copied(part) for key, part in value.items()}
    return [copied(part) for part in value] if type(value) is list else value
