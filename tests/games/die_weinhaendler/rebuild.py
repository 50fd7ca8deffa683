"""The legal moves as a bot finds them: from the bounds of a decision alone, in the one order they have."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from games.rules import Document, Move

CARDS = st.sampled_from(["R6", "G14", "S24", "empty", "O8", "Y4", "R7", "EMPTY", 6, None])
GARBAGE = st.one_of(
    st.sampled_from(["pass", "done", "PASS", "", "lay", 0, None, True]),
    st.fixed_dictionaries({"cards": st.lists(CARDS, max_size=7)}),
    st.fixed_dictionaries({"card": CARDS, "cell": st.lists(st.integers(-10, 10), min_size=1, max_size=3)}),
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), st.lists, max_leaves=5),
)
"""Values that look like moves."""


def tenths(card: str) -> int:
    """What a card is worth."""
    return 2 if card == "empty" else 10 * int(card[1:])


def moves(decision: Document) -> list[Move]:
    """Every legal move; ``legal`` is not looked at."""
    return _bids(decision) if decision["kind"] == "bid" else _lays(decision)


def _bids(decision: Document) -> list[Move]:
    hand = decision["hand"]
    parts = {part for count in range(1, len(hand) + 1) for part in combinations(hand, count)}
    free = [part for part in parts if (decision["total"] or 0) + sum(map(tenths, part)) not in decision["taken"]]
    free.sort(key=lambda part: (sum(map(tenths, part)), len(part), [tenths(card) for card in part]))
    return ["pass", *({"cards": list(part)} for part in free)]


def _lays(decision: Document) -> list[Move]:
    laying: list[Move] = [
        {"card": card, "cell": place["cell"]}
        for card in sorted(set(decision["hand"]), key=tenths)
        for place in decision["cells"]
        if place["cards"] == "any" or card != "empty"
    ]
    return laying if decision["must_lay"] else ["done", *laying]
