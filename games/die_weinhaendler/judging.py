"""Judging one move without listing the legal ones: its canonical form, or why it is illegal."""

from __future__ import annotations

from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

from games.die_weinhaendler.cards import CODES, EMPTY_CODE, HAND_LIMIT, NUMBERS, Cards, codes, holds, in_order, total
from games.die_weinhaendler.cellar import NEW
from games.die_weinhaendler.grid import BOTTLES, cell_of, place_of
from games.die_weinhaendler.legal import can_add, can_bid, must_lay
from games.rules import IllegalMove, Move

if TYPE_CHECKING:
    from games.die_weinhaendler.procedure import Procedure


def check(state: Procedure, seat: int, move: object) -> Move:
    """The canonical form of ``move``, or ``IllegalMove`` with the rule it breaks and what is legal."""
    if state.stage == "bid":
        return _check_bid(state, seat, move)
    return _check_lay(state, seat, move)


def _check_bid(state: Procedure, seat: int, move: object) -> Move:
    if type(move) is str and move == "pass":
        return move
    if type(move) is not dict or len(move) != 1 or "cards" not in move or type(move["cards"]) is not list:
        raise _no_bid(state, seat, f'{shortened(move)} is no bid: pass, or add cards as {{"cards": ["G14", "Y5"]}}.')
    cards = _numbers(state, seat, move["cards"])
    if not cards:
        raise _no_bid(state, seat, "Bid: at least one card is added; who adds none passes.")
    if not holds(state.hands[seat], cards):
        raise _no_bid(state, seat, "Bid: cards come from the own hand, and a card once bid stays on the table.")
    if not can_add(state, seat, total(cards)):
        raise _no_bid(state, seat, "Bid: the new total must differ from every other bid on the table.")
    return {"cards": codes(cards)}


def _numbers(state: Procedure, seat: int, named: list[Any]) -> Cards:
    for code in named:
        if type(code) is not str or code not in NUMBERS:
            raise _no_bid(state, seat, f"{shortened(code)} is no wine card.")
    return in_order([NUMBERS[code] for code in named])


def _no_bid(state: Procedure, seat: int, rule: str) -> IllegalMove:
    if not can_bid(state, seat):
        return IllegalMove(rule, "pass")
    hand = ", ".join(codes(state.hands[seat]))
    taken = ", ".join(_euros(tenths) for tenths in sorted(state.taken(seat)))
    own = f", added to the {_euros(state.totals[seat])} already bid" if state.bids[seat] else ""
    but = f", unless the total is {taken}" if taken else ""
    return IllegalMove(rule, f"pass, or cards of {hand}{own}{but}")


def _euros(tenths: int) -> str:
    return f"{tenths / 10:g}"


def _check_lay(state: Procedure, seat: int, move: object) -> Move:
    if type(move) is str and move == "done":
        if must_lay(state, seat):
            raise _no_lay(state, seat, f"Lay: a hand keeps at most {HAND_LIMIT} cards.")
        return move
    if type(move) is not dict or len(move) != 2 or "card" not in move or "cell" not in move:
        form = 'done, or a bottle and its cell as {"card": "B16", "cell": [0, 0]}'
        raise _no_lay(state, seat, f"{shortened(move)} does not say what is laid: {form}.")
    code, place = move["card"], move["cell"]
    if type(code) is not str or NUMBERS.get(code) not in state.hands[seat]:
        raise _no_lay(state, seat, f"Lay: {shortened(code)} is not in the hand.")
    if type(place) is not list or len(place) != 2 or type(place[0]) is not int or type(place[1]) is not int:
        raise _no_lay(state, seat, f"Lay: a cell is [level, x] with two integers, not {shortened(place)}.")
    card, cell = NUMBERS[code], cell_of(place[0], place[1])
    if not state.open_cellar(seat).allows(card, cell):
        raise _no_lay(state, seat, _why_not(state, seat, code, cell))
    return {"card": code, "cell": [place[0], place[1]]}


def _why_not(state: Procedure, seat: int, code: str, cell: int) -> str:
    """The rule that a cell breaks."""
    cellar = state.open_cellar(seat)
    if cellar is NEW:
        return "Lay: a new cellar begins with its first bottle at [0, 0]."
    if cell in cellar.empties:
        return "Lay: only a full bottle covers an empty one."
    if cell >= 0 and cellar.cells[cell] >= 0:
        return "Lay: a full bottle is never covered."
    if cellar.outline.bottles == BOTTLES:
        kind = "an empty bottle finds no cell" if code == EMPTY_CODE else "the empty bottles must be covered first"
        return f"Lay: the cellar has {BOTTLES} bottles, {kind}."
    return "Lay: a bottle stands at an end of the base row of at most five, or on two neighbours below it."


def _no_lay(state: Procedure, seat: int, rule: str) -> IllegalMove:
    cellar = state.open_cellar(seat)
    ways = [] if must_lay(state, seat) else ["done"]
    different = list(dict.fromkeys(state.hands[seat]))
    if different and (cellar.vacant or cellar.empties):
        ways.append(f"a card of {', '.join(CODES[card] for card in reversed(different))}")
        ways[-1] += f" at {_places(cellar.vacant)}" if cellar.vacant else ""
        ways[-1] += " or, a full bottle," if cellar.vacant and cellar.empties else ""
        ways[-1] += f" at {_places(cellar.empties)}" if cellar.empties else ""
    return IllegalMove(rule, " or ".join(ways) if ways else "nothing")


def _places(cells: tuple[int, ...]) -> str:
    return " ".join(str(place_of(cell)) for cell in cells)
