"""Tables laid out by hand: a real game, rearranged as a rule needs it.

Nothing is lost or made up: what is not named lies in the stack, or with a smaller ``stack`` out of the game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from games.die_weinhaendler.cards import NUMBERS, deck, in_order
from games.die_weinhaendler.cellar import NEW, Cellar
from games.die_weinhaendler.grid import cell_of
from games.die_weinhaendler.state import WeinhaendlerState
from games.registry import GAMES
from games.rules import Document

SEED = bytes(range(32))
TABLES = [("die-weinhaendler", 3), ("die-weinhaendler", 4), ("die-weinhaendler", 5)]

Bottles = Mapping[tuple[int, int], str]
"""The bottles of a cellar by (level, x); ``"B9/empty"`` is one that covers an empty bottle."""

FULL_CELLAR: Bottles = dict(
    zip(
        [(level, x) for level in range(5) for x in range(5 - level)],
        ["R6", "B9", "S10", "O8", "P11", "R13", "B16", "S17", "O15", "P18", "R20", "B23", "S24", "O22", "P25"],
        strict=True,
    )
)
"""A cellar of fifteen different full bottles."""

ROW: Bottles = {(0, x): code for x, code in enumerate(["B9", "O15", "S24", "R6", "Y19"])}
"""A base row of five bottles, each of another variety."""


def table(
    *hands: str,
    display: str = "S17 R13 G14 B16",
    draws: str = "",
    stack: int | None = None,
    start: int = 0,
    cellars: Mapping[int, Sequence[Bottles]] | None = None,
    points: Sequence[int] | None = None,
    stage: str = "bid",
    last_round: bool = False,
    idle_rounds: int = 0,
) -> WeinhaendlerState:
    """A table with these hands, ``start`` about to bid, or to lay as the leader of the round.

    ``draws``: the cards next to be drawn, the first first; those not named lie below them, as many as make up
    ``stack``. A table of three has no yellow and no purple, one of four no orange bottles.
    """
    state = GAMES["die-weinhaendler"].new(len(hands), SEED)
    assert isinstance(state, WeinhaendlerState)
    state.journal = []
    state.hands = [in_order(numbers(hand)) for hand in hands]
    state.known = [() for _ in hands]
    state.display = in_order(numbers(display))
    state.cellars = [tuple(cellar(bottles) for bottles in (cellars or {}).get(seat, ())) for seat in range(len(hands))]
    state.points = list(points or [0] * len(hands))
    state.stack = _stack(state, numbers(draws), stack)
    state.drawn = state.seen_below = 0
    state.stack_before = len(state.stack)
    state.start = state.leader = start
    state.last_round, state.idle_rounds = last_round, idle_rounds
    state.ask(start, stage)
    state.go_on()
    return state


def laying(own: str, *cellars: Bottles) -> WeinhaendlerState:
    """A table of five at which the first seat, alone with cards, lays these on top of these cellars."""
    return table(own, "", "", "", "", display="", stage="lay", cellars={0: cellars})


def _stack(state: WeinhaendlerState, draws: list[int], size: int | None) -> tuple[int, ...]:
    named = Counter([*draws, *state.display, *(card for hand in state.hands for card in hand)])
    named += Counter(card for own in state.cellars for cellar in own for card in cellar.cells if card >= 0)
    named += Counter({0: sum(len(cellar.covered) for own in state.cellars for cellar in own)})
    whole = Counter(NUMBERS[code] for code in deck(state.seats))
    assert named <= whole, f"the deck does not have {named - whole}"
    rest = [NUMBERS[code] for code in deck(state.seats) if code]
    for card in named.elements():
        rest.remove(card)
    return (*draws, *rest) if size is None else (*draws, *rest)[:size]


def numbers(cards: str) -> list[int]:
    """The engine's numbers of cards written as ``"B16 Y5 empty"``."""
    return [NUMBERS[code] for code in cards.split()]


def cellar(bottles: Bottles) -> Cellar:
    """A cellar laid bottle by bottle, level by level from the middle outwards."""
    laid = NEW
    for (level, x), code in sorted(bottles.items(), key=lambda bottle: (bottle[0][0], abs(bottle[0][1]))):
        for part in reversed(code.split("/")):
            laid = laid.with_bottle(NUMBERS[part], cell_of(level, x))
    return laid


def add(*codes: str) -> Document:
    """Adding these cards to a bid."""
    return {"cards": list(codes)}


def lay(code: str, level: int, x: int) -> Document:
    """Laying a card in a cell."""
    return {"card": code, "cell": [level, x]}


def answer(state: WeinhaendlerState, *moves: Any) -> None:
    """Whoever is asked plays the next of ``moves``."""
    for move in moves:
        (seat,) = state.pending
        state.play(seat, move)


def finish_round(state: WeinhaendlerState) -> None:
    """All seats pass and lay only as many bottles as they must, until the next round."""
    number = state.view(None)["round"]
    while state.pending and state.view(None)["round"] == number:
        seat = state.pending[0]
        state.play(seat, state.default_move(seat))


def events(state: WeinhaendlerState, *types: str) -> list[Document]:
    """What has happened since the table was laid out, as the spectators' log tells it."""
    public_events = [entry["event"] for entry in state.entries(None) if "event" in entry]
    return [event for event in public_events if not types or event["type"] in types]


def steps(state: WeinhaendlerState, seat: int) -> list[Document]:
    """The decisions of ``seat`` since the table was laid out, as its own log tells them."""
    seat_steps = [entry["step"] for entry in state.entries(seat) if "step" in entry]
    return [step for step in seat_steps if step.get("seat") == seat and "decision" in step]


def hand(state: WeinhaendlerState, seat: int) -> list[str]:
    """The cards in a hand, highest first."""
    cards: list[str] = state.view(seat)["you"]["hand"]
    return cards


def player(state: WeinhaendlerState, seat: int) -> Document:
    """The public part of a seat."""
    seen: Document = state.view(None)["players"][seat]
    return seen


def cells_for(state: WeinhaendlerState, code: str) -> list[tuple[int, int]]:
    """Where the seat that is asked may lay this card."""
    moves = state.legal_moves(state.pending[0])
    laying = [move for move in moves if isinstance(move, dict) and move["card"] == code]
    return [(move["cell"][0], move["cell"][1]) for move in laying]


def laid(state: WeinhaendlerState) -> Document:
    """The last bottle that was laid."""
    return events(state, "laid")[-1]
