"""What the seat that is asked may do: list the legal moves, count them, or draw one.

Moves have one order everywhere: ``pass`` and then bids by total, number of cards and values; ``done`` if it is
legal and then bottles by value, each by cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, product
from random import Random
from typing import TYPE_CHECKING

from games.base import Move
from games.die_weinhaendler.cards import CODES, EMPTY, HAND_LIMIT, TENTHS, Cards, codes, total
from games.die_weinhaendler.grid import place_of

if TYPE_CHECKING:
    from games.die_weinhaendler.procedure import Procedure

_DRAWS = 12
"""So many bids are drawn from all that a hand can make before the legal ones are listed instead."""


def must_lay(state: Procedure, seat: int) -> int:
    """How many bottles ``seat`` must lay at least."""
    over = len(state.hands[seat]) - HAND_LIMIT
    return over if over > 0 and not state.last_round else 0


def can_add(state: Procedure, seat: int, tenths: int) -> bool:
    """Whether ``seat`` may add cards worth ``tenths``: its total must differ from every other bid.

    It differs from its own former one in any case: every card is worth something.
    """
    return max(state.totals[seat], 0) + tenths not in state.totals


def bids(state: Procedure, seat: int) -> list[Cards]:
    """Everything that ``seat`` may add to its bid, in order."""
    counts = [(card, len(list(copies))) for card, copies in groupby(state.hands[seat])]
    ways = product(*[[(card,) * count for count in range(copies + 1)] for card, copies in counts])
    additions = [sum(way, ()) for way in ways]
    legal = [cards for cards in additions if cards and can_add(state, seat, total(cards))]
    return sorted(legal, key=lambda cards: (total(cards), len(cards), cards[::-1]))


def can_bid(state: Procedure, seat: int) -> bool:
    """Whether ``seat`` may add anything; one card is tried before sets of them."""
    hand = state.hands[seat]
    return any(can_add(state, seat, TENTHS[card]) for card in hand) or bool(hand and bids(state, seat))


def lays(state: Procedure, seat: int) -> Iterator[tuple[int, int]]:
    """The bottles that ``seat`` may lay and their cells, in order."""
    cellar = state.open_cellar(seat)
    for card in dict.fromkeys(state.hands[seat]):
        for cell in cellar.cells_for(card):
            yield card, cell


def lay_move(card: int, cell: int) -> Move:
    """Laying ``card`` in ``cell`` as a record writes it."""
    return {"card": CODES[card], "cell": place_of(cell)}


def moves(state: Procedure, seat: int) -> list[Move]:
    """Every legal move, in order."""
    if state.stage == "bid":
        return ["pass", *({"cards": codes(cards)} for cards in bids(state, seat))]
    laying = [lay_move(card, cell) for card, cell in lays(state, seat)]
    return laying if must_lay(state, seat) else ["done", *laying]


def few(state: Procedure, seat: int, limit: int) -> list[Move] | None:
    """Every legal move if there are at most ``limit``, otherwise ``None``."""
    if state.stage == "lay" and count_lays(state, seat) > limit:
        return None
    found = moves(state, seat)
    return None if len(found) > limit else found


def count_lays(state: Procedure, seat: int) -> int:
    """How many ways ``seat`` has to lay a bottle."""
    different = set(state.hands[seat])
    if not different:
        return 0
    cellar = state.open_cellar(seat)
    if EMPTY not in different:
        return len(different) * len(cellar.for_full)
    return (len(different) - 1) * len(cellar.for_full) + len(cellar.vacant)


def default(state: Procedure, seat: int) -> Move:
    """The first legal move."""
    if state.stage == "bid":
        return "pass"
    if must_lay(state, seat):
        return lay_move(*next(lays(state, seat)))
    return "done"


def forced(state: Procedure, seat: int) -> Move | None:
    """The only legal move, or ``None`` if there is a choice."""
    if state.stage == "bid":
        return None if can_bid(state, seat) else "pass"
    if not state.hands[seat]:
        return "done"
    ways = count_lays(state, seat)
    if not must_lay(state, seat):
        return None if ways else "done"
    return lay_move(*next(lays(state, seat))) if ways == 1 else None


def draw(state: Procedure, seat: int, random: Random) -> Move:
    """One legal move, all equally likely."""
    if state.stage == "bid":
        return _draw_bid(state, seat, random)
    may_stop = not must_lay(state, seat)
    index = int(random.random() * (count_lays(state, seat) + may_stop)) - may_stop
    if index < 0:
        return "done"
    cellar = state.open_cellar(seat)
    for card in dict.fromkeys(state.hands[seat]):
        cells = cellar.cells_for(card)
        if index < len(cells):
            return lay_move(card, cells[index])
        index -= len(cells)
    raise AssertionError("there are as many ways to lay as were counted")


def _draw_bid(state: Procedure, seat: int, random: Random) -> Move:
    """Drawn from everything the hand can make, and drawn again until it is legal; nothing at all is a pass."""
    hand = state.hands[seat]
    counts = [(card, hand.count(card)) for card in dict.fromkeys(hand)]
    ways = 1
    for _, copies in counts:
        ways *= copies + 1
    for _ in range(_DRAWS):
        index = int(random.random() * ways)
        if index == 0:
            return "pass"
        drawn: list[int] = []
        for card, copies in counts:
            index, count = divmod(index, copies + 1)
            drawn += [card] * count
        if can_add(state, seat, total(tuple(drawn))):
            return {"cards": codes(tuple(drawn))}
    legal = moves(state, seat)
    return legal[int(random.random() * len(legal))]
