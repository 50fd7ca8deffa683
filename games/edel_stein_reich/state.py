"""The state of Edel, Stein & Reich, which implements the contract of ``games.rules``."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from games.edel_stein_reich import decisions, moves, views
from games.edel_stein_reich.moves import Offers
from games.edel_stein_reich.procedure import Procedure
from games.edel_stein_reich.scoring import rank_keys
from games.outcomes import outcome
from games.rules import Document, Move, NumberedMoves
from games.stepped import SteppedState


class EdelSteinReichState(Procedure):
    """One game with three to five seats. The version for two extends it."""

    __slots__ = ()

    @property
    def pending(self) -> tuple[int, ...]:
        if self.turn >= 0:
            return (self.turn,)
        if self.stage == "over":
            return ()
        return tuple([seat for seat in range(self.seats) if self.choices[seat] is None])

    def require(self, seat: int) -> None:
        """Raise ``LookupError`` unless ``seat`` owes a decision."""
        if seat != self.turn or seat < 0:
            self.require_one_of_several(seat)

    def require_one_of_several(self, seat: int) -> None:
        """Raise ``LookupError`` unless ``seat`` is one of the seats that choose simultaneously."""
        if self.turn >= 0 or self.stage == "over" or not 0 <= seat < self.seats or self.choices[seat] is not None:
            raise LookupError(f"seat {seat} has no pending decision; pending seats: {list(self.pending)}")

    def decision(self, seat: int) -> Document:
        self.require(seat)
        return decisions.decision(self, seat)

    def legal_moves(self, seat: int) -> Sequence[Move]:
        self.require(seat)
        return moves.every_move(self, seat)

    def numbered_moves(self, seat: int) -> NumberedMoves:
        self.require(seat)
        return Offers(self, seat) if moves.offering(self) else moves.every_move(self, seat)

    def default_move(self, seat: int) -> Move:
        self.require(seat)
        return moves.default(self)

    def random_move(self, seat: int, random: Random) -> Move:
        if seat != self.turn or seat < 0:
            self.require_one_of_several(seat)
        return moves.draw(self, seat, random)

    def check(self, seat: int, move: object) -> Move:
        if seat != self.turn or seat < 0:
            self.require_one_of_several(seat)
        return moves.check(self, seat, move)

    def view(self, seat: int | None) -> Document:
        return views.view(self, seat)

    @property
    def rounds_begun(self) -> int:
        return (self.phase - 1) * self.rounds + self.round

    @property
    def outcome(self) -> Document | None:
        if self.stage != "over":
            return None
        scores: list[Document] = [
            {"money": money, "gems": list(gems)} for money, gems in zip(self.money, self.gems, strict=True)
        ]
        return outcome(rank_keys(self), scores, self.forfeits)

    def copy_to(self, twin: SteppedState) -> None:
        assert isinstance(twin, EdelSteinReichState)
        super().copy_to(twin)
        twin.actions = self.actions
        twin.action_index = self.action_index
        twin.age = self.age
        twin.age_order = self.age_order
        twin.cards = self.cards[:]
        twin.choices = self.choices[:]
        twin.declined = self.declined
        twin.display = self.display
        twin.event_discards = self.event_discards
        twin.event_pile = self.event_pile
        twin.free_next = self.free_next
        twin.free_order = self.free_order
        twin.gem_cards = self.gem_cards
        twin.gem_discards = self.gem_discards
        twin.gem_pile = self.gem_pile
        twin.gems = self.gems[:]
        twin.immediate = self.immediate
        twin.marks = self.marks
        twin.money = self.money[:]
        twin.offers = self.offers
        twin.opener = self.opener
        twin.other = self.other
        twin.phase = self.phase
        twin.resolving = self.resolving
        twin.revealed = self.revealed
        twin.round = self.round
        twin.rounds = self.rounds
        twin.scored = self.scored
        twin.standing = self.standing
        twin.supply = self.supply
