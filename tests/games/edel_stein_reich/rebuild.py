"""The legal moves as a bot finds them: from the bounds of a decision alone, in the one order they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product
from typing import Any

from hypothesis import strategies as st

from games.rules import Document, Move

COLOURS = "RYGB"


def moves(decision: Document) -> list[Move]:
    """Every legal move; ``legal`` is not looked at."""
    return list(LISTS[decision["kind"]](decision))


def _options(decision: Document) -> Iterator[Move]:
    yield from decision["options"]


def _event_card(decision: Document) -> Iterator[Move]:
    yield from ("face_up", "blind")


def _offers(decision: Document) -> Iterator[Move]:
    """Return all offers from the holdings that are higher than the standing offer, sorted."""
    answering = decision["kind"] == "answer_offer"
    yield "accept" if answering else "decline"
    if answering and decision["offers_made"] >= decision["offers_limit"]:
        return
    standing = decision["standing"] if answering else [0, 0, 0, 0]
    vectors = product(*(range(own + 1) for own in decision["holdings"]))
    for total, *offer in sorted((sum(vector), *vector) for vector in vectors):
        if [total, *offer] > [sum(standing), *standing]:
            yield {"offer": offer}


def _counter_gift(decision: Document) -> Iterator[Move]:
    yield "decline"
    yield from ({"gift": colour} for colour in decision["colours"])


def _immediate(decision: Document) -> Iterator[Move]:
    yield "decline"
    card, take = decision["card"], decision.get("take", {})
    if card in ("half", "three"):
        yield from ({"colour": colour} for colour in decision["colours"])
    elif card == "swap":
        for give, seat in product(decision["give"], sorted(take, key=int)):
            yield from ({"give": give, "seat": int(seat), "take": colour} for colour in take[seat])
    elif card == "rob":
        seats = sorted(take, key=int)
        for colours in product(*(take[seat] for seat in seats)):
            yield {"take": dict(zip(seats, colours, strict=True))}
    else:
        yield "apply"


def _free_choice(decision: Document) -> Iterator[Move]:
    yield "decline"
    count, supply = decision["take"]["count"], dict(zip(COLOURS, decision["take"]["supply"], strict=True))
    if not decision["alone"]:
        yield from ({"take": [colour]} for colour in COLOURS if supply[colour])
    for give in decision["give"]:
        there = supply | {give: supply[give] + 1}
        for taken in combinations_with_replacement(COLOURS, count):
            if all(taken.count(colour) <= there[colour] for colour in taken):
                yield {"give": give, "take": list(taken)}


LISTS: dict[str, Callable[[Any], Iterator[Move]]] = {
    "action": _options,
    "guess": _options,
    "event_card": _event_card,
    "open_barter": _offers,
    "answer_offer": _offers,
    "counter_gift": _counter_gift,
    "immediate": _immediate,
    "free_choice": _free_choice,
}

WORDS = ["money", "gems", "decline", "accept", "apply", "blind", "R", "", "free_choice", "pass"]
COLOUR = st.sampled_from([*"RYGB", "X", "RR", 0, None])
GARBAGE = st.one_of(
    st.sampled_from(WORDS),
    st.fixed_dictionaries({"offer": st.lists(st.integers(-1, 6), min_size=3, max_size=5)}),
    st.fixed_dictionaries({"gift": COLOUR}),
    st.fixed_dictionaries({"colour": COLOUR}),
    st.fixed_dictionaries({"give": COLOUR, "seat": st.integers(-1, 5), "take": COLOUR}),
    st.fixed_dictionaries({"take": st.dictionaries(st.sampled_from([*"01234", 1]), COLOUR, max_size=5)}),
    st.fixed_dictionaries({"take": st.lists(COLOUR, max_size=3)}, optional={"give": COLOUR}),
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), st.lists, max_leaves=5),
)
"""Values that look like moves."""
