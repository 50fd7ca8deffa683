"""A game of Edel, Stein & Reich as the contract of all games has it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Self

from games.base import DEFAULT_REASONS, FORFEIT_REASONS, Document, IllegalMove, Move, State
from games.chance import ScriptedChance, commitment
from games.edel_stein_reich import deciding, judging, legal, viewing
from games.edel_stein_reich.procedure import Procedure
from games.edel_stein_reich.scoring import rank_keys
from games.outcomes import outcome
from games.steps import FORMAT, step_document


class EdelSteinReichState(Procedure, State):
    """Three to five players; the two-player variant builds on it."""

    __slots__ = ()

    @property
    def pending(self) -> tuple[int, ...]:
        if self.turn >= 0:
            return (self.turn,)
        if self.stage == "over":
            return ()
        return tuple([seat for seat in range(self.seats) if self.choices[seat] is None])

    @property
    def decision_kind(self) -> str | None:
        return None if self.stage == "over" else self.stage

    def owes_with_others(self, seat: int) -> bool:
        """Whether ``seat`` is one of several who choose at once."""
        return self.stage != "over" and 0 <= seat < self.seats and self.choices[seat] is None

    def require(self, seat: int) -> None:
        """Raise ``LookupError`` unless ``seat`` owes a decision."""
        if not (seat == self.turn if self.turn >= 0 else self.owes_with_others(seat)):
            raise LookupError(f"seat {seat} owes no decision now; asked are {list(self.pending)}")

    def decision(self, seat: int) -> Document:
        self.require(seat)
        return deciding.decision(self, seat)

    def legal_moves(self, seat: int) -> Sequence[Move]:
        self.require(seat)
        return legal.moves(self, seat)

    def default_move(self, seat: int) -> Move:
        self.require(seat)
        return legal.default(self)

    def random_move(self, seat: int, random: Random) -> Move:
        self.require(seat)
        return legal.draw(self, seat, random)

    def check(self, seat: int, move: object) -> Move:
        self.require(seat)
        return judging.check(self, seat, move)

    def play(self, seat: int, move: object, *, default: str | None = None) -> None:
        self.require(seat)
        canonical = judging.check(self, seat, move)
        if default is not None:
            self.require_default(canonical, default)
        self.apply(seat, canonical, default)
        self.go_on()

    def require_default(self, move: Move, reason: str) -> None:
        """Raise unless ``move`` is the default move and ``reason`` one that a record knows."""
        if reason not in DEFAULT_REASONS:
            raise ValueError(f"{reason!r} is no reason for a default; known are {', '.join(DEFAULT_REASONS)}")
        default = legal.default(self)
        if move != default:
            raise IllegalMove("A seat that does not answer plays its first legal move.", repr(default))

    def forfeit(self, seat: int, reason: str) -> None:
        if reason not in FORFEIT_REASONS:
            raise ValueError(f"{reason!r} is no reason for a forfeit; known are {', '.join(FORFEIT_REASONS)}")
        if not 0 <= seat < self.seats:
            raise LookupError(f"there is no seat {seat} at a table of {self.seats}")
        self.forfeits.setdefault(seat, reason)

    def view(self, seat: int | None) -> Document:
        return viewing.view(self, seat)

    def entries(self, seat: int | None, start: int = 0) -> list[Document]:
        if self.journal is None:
            self.journal = self.told_again().journal
        assert self.journal is not None
        return [viewing.entry(ply, is_step, what, seat) for ply, is_step, what in self.journal[start:]]

    def told_again(self) -> Self:
        """The same game played again from its steps, with a journal."""
        chance = ScriptedChance(self.chance.seed, [(kind, move) for seat, kind, move, _ in self.steps if seat < 0])
        twin = type(self)(self.game, self.seats, chance, journal=True)
        for seat, _, move, mark in self.steps:
            if seat >= 0 and mark is not True:
                twin.apply(seat, move, mark)
                twin.go_on()
        return twin

    def steps_since(self, start: int) -> list[Document]:
        return [step_document(*step) for step in self.steps[start:]]

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        self.copy_to(twin)
        return twin

    @property
    def outcome(self) -> Document | None:
        if self.stage != "over":
            return None
        scores: list[Document] = [
            {"money": money, "gems": gems[:]} for money, gems in zip(self.money, self.gems, strict=True)
        ]
        return outcome(rank_keys(self), scores, self.forfeits)

    @property
    def record(self) -> Document:
        return {
            "format": FORMAT,
            "game": self.game.slug,
            "rules": self.game.rules,
            "seats": self.seats,
            "seed": self.chance.seed.hex(),
            "commitment": commitment(self.chance.seed),
            "steps": self.steps_since(0),
            "outcome": self.outcome,
        }
