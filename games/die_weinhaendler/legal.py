"""What the seat that is asked may do: list the legal moves, count them, or draw one.

Moves have one order everywhere: ``pass`` and then bids by total, number of cards and values; ``done`` if it is
legal and then bottles by value, each by cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from games.die_weinhaendler.cards import CODES, EMPTY, HAND_LIMIT, TENTHS, Cards, codes, copies, total
from games.die_weinhaendler.grid import place_of
from games.rules import Move

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
    """Everything that ``seat`` may add to its bid, in order; the cards of each highest first."""
    sets: list[tuple[int, int, Cards]] = [(max(state.totals[seat], 0), 0, ())]
    for card, most in copies(state.hands[seat]):
        worth = TENTHS[card]
        sets += [
            (tenths + n * worth, count + n, (card,) * n + cards)
            for n in range(1, most + 1)
            for tenths, count, cards in sets
        ]
    taken = state.totals
    legal = [one for one in sets[1:] if one[0] not in taken]
    legal.sort()
    return [cards for _, _, cards in legal]


def bid_move(cards: Cards) -> Move:
    """Adding ``cards``, highest first, as a record writes it."""
    return {"cards": [CODES[card] for card in cards]}


def count_bids(state: Procedure, seat: int) -> int:
    """How many different additions are legal: they are counted by what they are worth, not listed."""
    ways = {max(state.totals[seat], 0): 1}
    for card, count in copies(state.hands[seat]):
        more: dict[int, int] = {}
        for total_before, so_many in ways.items():
            for n in range(count + 1):
                tenths = total_before + n * TENTHS[card]
                more[tenths] = more.get(tenths, 0) + so_many
        ways = more
    nothing = 0 if state.bids[seat] else 1  # with a bid, to add nothing comes to a total that is on the table
    return sum([so_many for tenths, so_many in ways.items() if tenths not in state.totals]) - nothing


def can_bid(state: Procedure, seat: int) -> bool:
    """Whether ``seat`` may add anything; one card is tried before sets of them."""
    hand = state.hands[seat]
    for card in hand:
        if can_add(state, seat, TENTHS[card]):
            return True
    return bool(hand and bids(state, seat))


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
        return ["pass", *map(bid_move, bids(state, seat))]
    laying = [lay_move(card, cell) for card, cell in lays(state, seat)]
    return laying if must_lay(state, seat) else ["done", *laying]


def few(state: Procedure, seat: int, limit: int) -> list[Move] | None:
    """Every legal move if there are at most ``limit``, otherwise ``None``."""
    ways = count_bids(state, seat) if state.stage == "bid" else count_lays(state, seat)
    if ways > limit:
        return None
    found = moves(state, seat)
    return None if len(found) > limit else found


def count_lays(state: Procedure, seat: int) -> int:
    """How many ways ``seat`` has to lay a bottle."""
    hand = state.hands[seat]
    if not hand:
        return 0
    cellar, different = state.open_cellar(seat), len(set(hand))
    if hand[0] == EMPTY:
        return len(cellar.vacant) + (different - 1) * len(cellar.for_full)
    return different * len(cellar.for_full)


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
    hand = state.hands[seat]
    if not must_lay(state, seat):
        return None if hand and state.open_cellar(seat).allows_some(hand[-1]) else "done"
    return lay_move(*next(lays(state, seat))) if count_lays(state, seat) == 1 else None


def draw(state: Procedure, seat: int, random: Random) -> Move:
    """One legal move, all equally likely."""
    if state.stage == "bid":
        return _draw_bid(state, seat, random)
    cards, cellar = list(dict.fromkeys(state.hands[seat])), state.open_cellar(seat)
    cells = cellar.for_full
    may_stop = 0 if must_lay(state, seat) else 1
    with_empties = may_stop + (len(cellar.vacant) if cards[0] == EMPTY else 0)
    full = cards[1:] if cards[0] == EMPTY else cards
    index = int(random.random() * (with_empties + len(full) * len(cells)))
    if index >= with_empties:
        index -= with_empties
        return lay_move(full[index // len(cells)], cells[index % len(cells)])
    return lay_move(EMPTY, cellar.vacant[index - may_stop]) if index >= may_stop else "done"


def _draw_bid(state: Procedure, seat: int, random: Random) -> Move:
    """Drawn from everything the hand can make, and drawn again until it is legal; nothing at all is a pass."""
    counts = copies(state.hands[seat])
    ways = 1
    for _, most in counts:
        ways *= most + 1
    for _ in range(_DRAWS):
        index = int(random.random() * ways)
        if index == 0:
            return "pass"
        drawn: list[int] = []
        for card, most in counts:
            drawn += [card] * (index % (most + 1))
            index //= most + 1
        cards = tuple(drawn)
        if can_add(state, seat, total(cards)):
            return {"cards": codes(cards)}
    legal = moves(state, seat)
    return legal[int(random.random() * len(legal))]
