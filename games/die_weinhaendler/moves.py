"""Legal moves: list, draw and check them, or find one by its position.

Moves have one order everywhere: the default first, then bids by total, and bottles by card and cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

from games.die_weinhaendler.cards import (
    CODES,
    EMPTY,
    EMPTY_CODE,
    HAND_LIMIT,
    NUMBERS,
    TENTHS,
    Cards,
    codes,
    copies,
    holds,
    in_order,
    total,
)
from games.die_weinhaendler.cellar import NEW
from games.die_weinhaendler.grid import BOTTLES, cell_of, place_of
from games.rules import IllegalMove, Move

if TYPE_CHECKING:
    from games.die_weinhaendler.procedure import Procedure

# --- List and draw ---------------------------------------------------------------------------------------------------

_DRAWS = 12
"""The number of random bids that are tried before all legal bids are listed."""


def must_lay(state: Procedure, seat: int) -> int:
    """Return the minimum number of bottles that ``seat`` must lay."""
    over = len(state.hands[seat]) - HAND_LIMIT
    return over if over > 0 and not state.last_round else 0


def can_add(state: Procedure, seat: int, tenths: int) -> bool:
    """Return whether ``seat`` can add cards worth ``tenths``: its total must differ from every other bid.

    It always differs from its own earlier total, because every card is worth more than 0.
    """
    return max(state.totals[seat], 0) + tenths not in state.totals


def bids(state: Procedure, seat: int) -> list[Cards]:
    """Return all legal additions to a bid in order, each with its highest card first."""
    sets: list[tuple[int, int, Cards]] = [(max(state.totals[seat], 0), 0, ())]
    for card, most in copies(state.hands[seat]):
        worth = TENTHS[card]
        sets += [
            (tenths + n * worth, count + n, (card,) * n + cards)
            for n in range(1, most + 1)
            for tenths, count, cards in sets
        ]
    taken = state.totals
    legal = [cards for cards in sets[1:] if cards[0] not in taken]
    legal.sort()
    return [cards for _, _, cards in legal]


def bid_move(cards: Cards) -> Move:
    """Return the move that adds ``cards``, highest first."""
    return {"cards": [CODES[card] for card in cards]}


def count_bids(state: Procedure, seat: int) -> int:
    """Return the number of legal additions. They are counted by total, not listed."""
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
    """Return whether ``seat`` has a legal addition. Tries single cards before sets of cards."""
    hand = state.hands[seat]
    for card in hand:
        if can_add(state, seat, TENTHS[card]):
            return True
    return bool(hand and bids(state, seat))


def lays(state: Procedure, seat: int) -> Iterator[tuple[int, int]]:
    """Yield the bottles that ``seat`` can lay with their cells, in order."""
    cellar = state.open_cellar(seat)
    for card in dict.fromkeys(state.hands[seat]):
        for cell in cellar.cells_for(card):
            yield card, cell


def lay_move(card: int, cell: int) -> Move:
    """Return the move that lays ``card`` in ``cell``."""
    return {"card": CODES[card], "cell": place_of(cell)}


def every_move(state: Procedure, seat: int) -> list[Move]:
    """Return all legal moves in order."""
    if state.stage == "bid":
        return ["pass", *map(bid_move, bids(state, seat))]
    laying = [lay_move(card, cell) for card, cell in lays(state, seat)]
    return laying if must_lay(state, seat) else ["done", *laying]


def few(state: Procedure, seat: int, limit: int) -> list[Move] | None:
    """Return all legal moves if there are at most ``limit``, else ``None``."""
    ways = count_bids(state, seat) if state.stage == "bid" else count_lays(state, seat)
    if ways > limit:
        return None
    moves = every_move(state, seat)
    return None if len(moves) > limit else moves


def count_lays(state: Procedure, seat: int) -> int:
    """Return the number of ways in which ``seat`` can lay a bottle."""
    hand = state.hands[seat]
    if not hand:
        return 0
    cellar, different = state.open_cellar(seat), len(set(hand))
    if hand[0] == EMPTY:
        return len(cellar.vacant) + (different - 1) * len(cellar.for_full)
    return different * len(cellar.for_full)


def default(state: Procedure, seat: int) -> Move:
    """Return the first legal move."""
    if state.stage == "bid":
        return "pass"
    if must_lay(state, seat):
        return lay_move(*next(lays(state, seat)))
    return "done"


def forced(state: Procedure, seat: int) -> Move | None:
    """Return the only legal move, or ``None`` if there is a choice."""
    if state.stage == "bid":
        return None if can_bid(state, seat) else "pass"
    hand = state.hands[seat]
    if not must_lay(state, seat):
        return None if hand and state.open_cellar(seat).allows_some(hand[-1]) else "done"
    return lay_move(*next(lays(state, seat))) if count_lays(state, seat) == 1 else None


def draw(state: Procedure, seat: int, random: Random) -> Move:
    """Return a random legal move; all have the same probability."""
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
    """Draw from all selections of the hand until one is legal. An empty selection is a pass."""
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
    legal = every_move(state, seat)
    return legal[int(random.random() * len(legal))]


# --- Check -----------------------------------------------------------------------------------------------------------


def check(state: Procedure, seat: int, move: object) -> Move:
    """Return the canonical form of ``move``. Raises ``IllegalMove`` with the broken rule and the legal moves."""
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
        raise _no_bid(state, seat, "Bid: Add at least one card, or pass.")
    if not holds(state.hands[seat], cards):
        raise _no_bid(
            state, seat, "Bid: You can add only cards from your hand. Cards of an earlier bid stay on the table."
        )
    if not can_add(state, seat, total(cards)):
        raise _no_bid(state, seat, "Bid: The new total must differ from all other bids.")
    return {"cards": codes(cards)}


def _numbers(state: Procedure, seat: int, named: list[Any]) -> Cards:
    for code in named:
        if type(code) is not str or code not in NUMBERS:
            raise _no_bid(state, seat, f"{shortened(code)} is not a wine card.")
    return in_order([NUMBERS[code] for code in named])


def _no_bid(state: Procedure, seat: int, rule: str) -> IllegalMove:
    if not can_bid(state, seat):
        return IllegalMove(rule, "pass")
    hand = ", ".join(codes(state.hands[seat]))
    taken = ", ".join(_euros(tenths) for tenths in sorted(state.taken(seat)))
    own = f" in addition to the current bid of {_euros(state.totals[seat])}" if state.bids[seat] else ""
    but = f", if the total is not {taken}" if taken else ""
    return IllegalMove(rule, f"pass, or cards from {hand}{own}{but}")


def _euros(tenths: int) -> str:
    return f"{tenths / 10:g}"


def _check_lay(state: Procedure, seat: int, move: object) -> Move:
    if type(move) is str and move == "done":
        if must_lay(state, seat):
            raise _no_lay(state, seat, f"Lay: You can keep at most {HAND_LIMIT} cards in your hand.")
        return move
    if type(move) is not dict or len(move) != 2 or "card" not in move or "cell" not in move:
        form = 'done, or a bottle and its cell as {"card": "B16", "cell": [0, 0]}'
        raise _no_lay(state, seat, f"{shortened(move)} is not a valid move for the decision lay: {form}.")
    code, place = move["card"], move["cell"]
    if type(code) is not str or NUMBERS.get(code) not in state.hands[seat]:
        raise _no_lay(state, seat, f"Lay: {shortened(code)} is not in your hand.")
    if type(place) is not list or len(place) != 2 or type(place[0]) is not int or type(place[1]) is not int:
        raise _no_lay(state, seat, f"Lay: A cell must be [level, x] with two integers, not {shortened(place)}.")
    card, cell = NUMBERS[code], cell_of(place[0], place[1])
    if not state.open_cellar(seat).allows(card, cell):
        raise _no_lay(state, seat, _why_not(state, seat, code, cell))
    return {"card": code, "cell": [place[0], place[1]]}


def _why_not(state: Procedure, seat: int, code: str, cell: int) -> str:
    """Return the rule that a cell breaks."""
    cellar = state.open_cellar(seat)
    if cellar is NEW:
        return "Lay: The first bottle of a new cellar must be at [0, 0]."
    if cell in cellar.empties:
        return "Lay: Only a full bottle can cover an empty one."
    if cell >= 0 and cellar.cells[cell] >= 0:
        return "Lay: A full bottle cannot be covered."
    if cellar.outline.bottles == BOTTLES:
        kind = (
            "so there is no cell for an empty bottle"
            if code == EMPTY_CODE
            else "so the empty bottles must be covered first"
        )
        return f"Lay: The cellar has {BOTTLES} bottles, {kind}."
    return "Lay: A bottle must be at an end of the base row (at most five bottles) or on top of two adjacent bottles."


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


# --- Positions -------------------------------------------------------------------------------------------------------


def _judged(state: Procedure, seat: int, move: Move) -> Move:
    """Return ``move`` if it is legal and in its canonical form. Raises ``ValueError`` if not."""
    legal = check(state, seat, move)
    if legal != move:
        raise ValueError(f"move {move!r} is not in canonical form")
    return legal


class Bids:
    """The legal moves of a bid in the current state: ``pass`` at position 0, then every bid."""

    def __init__(self, state: Procedure, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.bids = bids(state, seat)

    def __len__(self) -> int:
        return 1 + len(self.bids)

    def __getitem__(self, place: int, /) -> Move:
        return bid_move(self.bids[place - 1]) if place else "pass"

    def index(self, move: Move, /) -> int:
        legal = _judged(self.state, self.seat, move)
        if type(legal) is not dict:
            return 0
        return 1 + self.bids.index(tuple([NUMBERS[code] for code in legal["cards"]]))


class Lays:
    """The legal moves of laying in the current state: ``done`` if it is legal, then every bottle in every cell."""

    def __init__(self, state: Procedure, seat: int) -> None:
        self.state = state
        self.seat = seat
        cellar, cards = state.open_cellar(seat), list(dict.fromkeys(state.hands[seat]))
        self.done = 0 if must_lay(state, seat) else 1
        self.cells = cellar.for_full
        self.cells_of_empties = cellar.vacant if cards and cards[0] == EMPTY else ()
        self.full = cards[1:] if cards and cards[0] == EMPTY else cards

    def __len__(self) -> int:
        return self.done + len(self.cells_of_empties) + len(self.full) * len(self.cells)

    def __getitem__(self, place: int, /) -> Move:
        place -= self.done
        if place < 0:
            return "done"
        if place < len(self.cells_of_empties):
            return lay_move(EMPTY, self.cells_of_empties[place])
        card, cell = divmod(place - len(self.cells_of_empties), len(self.cells))
        return lay_move(self.full[card], self.cells[cell])

    def index(self, move: Move, /) -> int:
        legal = _judged(self.state, self.seat, move)
        if type(legal) is not dict:
            return 0
        card, cell = NUMBERS[legal["card"]], cell_of(*legal["cell"])
        if card == EMPTY:
            return self.done + self.cells_of_empties.index(cell)
        before = self.full.index(card) * len(self.cells)
        return self.done + len(self.cells_of_empties) + before + self.cells.index(cell)
