"""Statistics of a finished game of Edel, Stein & Reich: money, certificates, barters, and its turning point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from games.edel_stein_reich.cards import PHASES, TABLES
from games.edel_stein_reich.state import EdelSteinReichState
from games.rules import Document, State
from games.statistics import Exchange, Figure, Figures, led_for_good, tables, winner

COLUMNS: Final[tuple[Figure, ...]] = (
    Figure("money", "Money (millions)", "Money from money actions and scorings in the phase."),
    Figure("certificates", "Certificates", "Certificates held at the scoring."),
    Figure("barters_won", "Barters won", "Actions carried out after a barter."),
    Figure("gems_paid", "Gems paid", "Gems given for actions in barters won."),
    Figure("barters_left", "Actions conceded", "Barters in which the opponent carried out the action."),
    Figure("gems_received", "Gems received", "Gems received for conceded actions."),
)

STRETCHES: Final[tuple[str, ...]] = tuple(f"Phase {phase}" for phase in range(1, PHASES + 1))


@dataclass(frozen=True)
class Barter:
    """A barter that was won in ``phase``, from 0: ``winner`` gave ``other`` the ``gems`` and carried out ``action``."""

    phase: int
    action: str
    winner: int
    other: int
    gems: int


def figures_of(state: State) -> list[Figures]:
    """Return the figures of a finished game by seat, one number per phase. Raises ``ValueError`` while it runs."""
    over = finished(state)
    counted: list[Figures] = [{column.key: [0] * PHASES for column in COLUMNS} for _ in range(over.seats)]
    before: tuple[int, ...] = (0,) * over.seats
    for phase, (money, certificates) in enumerate(over.scored):
        for seat, own in enumerate(counted):
            own["money"][phase] = money[seat] - before[seat]
            own["certificates"][phase] = certificates[seat]
        before = money
    for barter in barters(over):
        winner, other = counted[barter.winner], counted[barter.other]
        winner["barters_won"][barter.phase] += 1
        winner["gems_paid"][barter.phase] += barter.gems
        other["barters_left"][barter.phase] += 1
        other["gems_received"][barter.phase] += barter.gems
    return counted


def exchanges_of(state: State) -> list[Exchange]:
    """Return the barters of a finished game that were won. Raises ``ValueError`` while it runs."""
    return [Exchange(barter.winner, barter.other, barter.gems, barter.action) for barter in barters(finished(state))]


def finished(state: State) -> EdelSteinReichState:
    """Return ``state`` with the type of this game. Raises ``ValueError`` unless the game is over."""
    if not isinstance(state, EdelSteinReichState) or state.outcome is None:
        raise ValueError("figures need a finished game of Edel, Stein & Reich")
    return state


def barters(state: EdelSteinReichState) -> Iterator[Barter]:
    """Yield every barter that was won, in order. A barter that both seats declined is not included."""
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


def turning_point(state: State) -> int | None:
    """Return the step that decided the last barter that the winner won before it led in money for good.

    Without such a barter, the last barter of any seat counts. The step is the offer that won it, so that viewers of
    this step see the whole barter and its imminent result; without an offer it is the gift. ``None`` if there was
    no barter, or if several seats share the win.
    """
    seen = tables(state)
    best = winner(state)
    if best is None:
        return None
    lead = led_for_good(seen, best, lambda player: int(player["money"]))
    steps = state.steps_since(0)
    won = [ply for ply, step in enumerate(steps[: lead + 1]) if _wins(step)]
    own = [ply for ply in won if best in _between(seen[ply - 1])]
    if not won:
        return None
    ply = max(own or won)
    return ply - 1 if steps[ply]["decision"] == "answer_offer" else ply


def _wins(step: Document) -> bool:
    """Return whether a step ends a barter that is not void."""
    move: Any = step.get("move")
    kind = step.get("decision")
    return (kind == "answer_offer" and move == "accept") or (kind == "counter_gift" and move != "decline")


def _between(view: Document) -> tuple[int, ...]:
    """Return the two seats of the barter."""
    barter = view["barter"]
    return (barter["opener"], barter["other"]) if barter else ()
