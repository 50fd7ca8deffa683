"""Ways to play Edel, Stein & Reich, the seldom ones included, and the seldom cases that they reach together."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from games.rules import State
from tests import judge
from tests.games.comparison import Temper, any_move, prefers


def generous(state: State, seat: int, random: Random) -> Any:
    """Opens a barter with all it has: holdings run dry."""
    if state.decision_kind == "open_barter":
        return state.legal_moves(seat)[-1]
    return random.choice([state.default_move(seat), state.random_move(seat, random)])


def blind(state: State, seat: int, random: Random) -> Any:
    """Wants every unseen event card: the event stack runs dry. The seats take turns, so that nobody is in the way."""
    view = state.view(seat)
    if state.decision_kind == "action":
        wants = state.seats == 2 or view["round"] % state.seats == seat
        return "event" if wants else random.choice(["money", "gems"])
    if state.decision_kind == "guess":
        return next(move for move in state.legal_moves(seat) if move != "event")
    return "blind" if state.decision_kind == "event_card" else state.random_move(seat, random)


def stubborn(state: State, seat: int, random: Random) -> Any:
    """In the first turn of all nobody gives in: the barter runs into the limit of offers."""
    view = state.view(seat)
    if (view["phase"], view["round"]) != (1, 1):
        return state.default_move(seat) if random.random() < 0.5 else state.random_move(seat, random)
    if state.decision_kind == "action":
        return "money" if seat < 2 else "gems"
    if state.decision_kind == "guess":
        return "money" if view["guesses"] else "event"
    return state.legal_moves(seat)[1]


TEMPERS = {
    "any_move": Temper(any_move),
    "money": Temper(prefers("money")),
    "gems": Temper(prefers("gems")),
    "event": Temper(prefers("event")),
    "free_choice": Temper(prefers("free_choice")),
    "declining": Temper(prefers("decline")),
    "generous": Temper(generous),
    "blind": Temper(blind),
    "stubborn": Temper(stubborn, reliable=True),
}

RARE = {
    "reshuffle", "supply_rule", "cancelled", "void", "counter_gift", "offers at the limit", "forced open_barter",
    "forced answer_offer", "forced counter_gift", "forced free_choice", "forced immediate",
}  # fmt: skip

REACHING = (
    ("edel-stein-reich", 3, "generous", 0),
    ("edel-stein-reich", 5, "stubborn", 0),
    ("edel-stein-reich-duel", 2, "blind", 1),
)
"""Games in which every rare case occurs: game, seats, temper, number. Found by trying six games of every temper."""


def cases(walk: judge.Walk) -> Iterator[str]:
    """The names of what only this game can tell of a game."""
    for point in walk.points:
        if point.document.get("offers_made") == 199:
            yield "offers at the limit"
