"""What a finished game tells about its seats: money and certificates a phase, and the barters, from its own steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from games.base import Exchange, Figure, Figures, State
from games.edel_stein_reich.cards import PHASES, TABLES
from games.edel_stein_reich.state import EdelSteinReichState

COLUMNS: Final = (
    Figure("money", "money, millions", "What the phase brought: money actions and scorings."),
    Figure("certificates", "certificates", "Value certificates that counted at the scoring."),
    Figure("barters_won", "barters won", "Actions carried out after a barter over them."),
    Figure("gems_paid", "gems paid", "Gems given for the actions of barters won."),
    Figure("barters_left", "actions left", "Actions left to the other one in a barter."),
    Figure("gems_received", "gems received", "Gems received for actions left."),
)

STRETCHES: Final[tuple[str, ...]] = tuple(f"phase {phase}" for phase in range(1, PHASES + 1))


@dataclass(frozen=True)
class Barter:
    """One that was won, in ``phase`` from 0: ``winner`` gave ``other`` so many ``gems`` and carried out ``action``."""

    phase: int
    action: str
    winner: int
    other: int
    gems: int


def figures_of(state: State) -> list[Figures]:
    """The figures of a finished game by seat, a number a phase. Raises ``ValueError`` while it runs."""
    over = finished(state)
    counted: list[Figures] = [{column.key: [0] * PHASES for column in COLUMNS} for _ in range(over.seats)]
    before: tuple[int, ...] = (0,) * over.seats
    for phase, (money, certificates) in enumerate(over.scored):
        for seat, its in enumerate(counted):
            its["money"][phase] = money[seat] - before[seat]
            its["certificates"][phase] = certificates[seat]
        before = money
    for barter in barters(over):
        winner, other = counted[barter.winner], counted[barter.other]
        winner["barters_won"][barter.phase] += 1
        winner["gems_paid"][barter.phase] += barter.gems
        other["barters_left"][barter.phase] += 1
        other["gems_received"][barter.phase] += barter.gems
    return counted


def exchanges_of(state: State) -> list[Exchange]:
    """The barters of a finished game that somebody won. Raises ``ValueError`` while it runs."""
    return [Exchange(one.winner, one.other, one.gems, one.action) for one in barters(finished(state))]


def finished(state: State) -> EdelSteinReichState:
    """``state`` as one of this game. Raises ``ValueError`` unless it is over."""
    if not isinstance(state, EdelSteinReichState) or state.outcome is None:
        raise ValueError("figures are of a finished game of Edel, Stein & Reich")
    return state


def barters(state: EdelSteinReichState) -> Iterator[Barter]:
    """Every barter that was won, in order; one in which both refused is none."""
    two = state.seats == 2
    each_phase = TABLES[state.seats].rounds * (1 if two else state.seats)
    chosen: dict[int, str] = {}
    choices = opener = bidder = offered = 0
    for seat, kind, move, _ in state.steps:
        if kind == "action":
            choices += 1
            chosen.update({0: move, 1: move} if two else {seat: move})
        elif kind == "open_barter":
            opener = seat
        elif kind == "counter_gift" and move != "decline":
            yield Barter((choices - 1) // each_phase, chosen[seat], seat, opener, 1)
        elif kind == "answer_offer" and move == "accept":
            yield Barter((choices - 1) // each_phase, chosen[bidder], bidder, seat, offered)
        if kind in ("open_barter", "answer_offer") and isinstance(move, dict):
            bidder, offered = seat, sum(move["offer"])
