"""What the seat that is asked may do: list the legal moves, or draw one.

Moves have one order everywhere: the default first, then as the sections below go.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, islice, product
from random import Random
from typing import TYPE_CHECKING

from games.base import Move
from games.edel_stein_reich.cards import COLOURS
from games.edel_stein_reich.offers import above, surely_above
from games.edel_stein_reich.resolving import FREE_CHOICE_TAKES
from games.edel_stein_reich.rulings import OFFER_LIMIT
from games.edel_stein_reich.table import Gems

if TYPE_CHECKING:
    from games.edel_stein_reich.state import EdelSteinReichState

_DRAWS = 12
"""So many offers are drawn from all that a hand can make before the legal ones are listed instead."""


def colours_of(gems: Gems) -> list[str]:
    """The letters of the colours that are there."""
    return [COLOURS[colour] for colour in range(4) if gems[colour]]


def options(state: EdelSteinReichState) -> list[str]:
    """The words that answer an ``action`` or a ``guess``."""
    shown = state.shown()
    return [action for action in state.actions if action not in shown] if shown else list(state.actions)


def victims(state: EdelSteinReichState, seat: int) -> dict[str, list[str]]:
    """The colours each opponent with a gem holds, by the opponent's number as a string."""
    return {str(other): colours_of(gems) for other, gems in enumerate(state.gems) if other != seat and any(gems)}


def takes(state: EdelSteinReichState, give: str) -> list[list[str]]:
    """Alone on Free Choice: what can be taken once ``give`` is back in the supply."""
    supply = state.supply[:]
    supply[COLOURS.index(give)] += 1
    count = min(FREE_CHOICE_TAKES, sum(supply))
    return [
        list(taken)
        for taken in combinations_with_replacement(colours_of(supply), count)
        if all(taken.count(colour) <= supply[COLOURS.index(colour)] for colour in taken)
    ]


def offers(state: EdelSteinReichState, seat: int) -> Iterator[Move]:
    """The legal offers, ascending."""
    if len(state.offers) < OFFER_LIMIT:
        for offer in above(state.gems[seat], state.standing):
            yield {"offer": list(offer)}


def immediates(state: EdelSteinReichState, seat: int) -> Iterator[Move]:
    """The ways of carrying out the card in hand."""
    card = state.immediate
    if card in ("half", "three"):
        for colour in COLOURS:
            yield {"colour": colour}
    elif card == "swap":
        for give in colours_of(state.gems[seat]):
            for other, held in victims(state, seat).items():
                for take in held:
                    yield {"give": give, "seat": int(other), "take": take}
    elif card == "rob":
        targets = victims(state, seat)
        if targets:
            for taken in product(*targets.values()):
                yield {"take": dict(zip(targets, taken, strict=True))}
    else:
        yield "apply"


def free_choices(state: EdelSteinReichState, seat: int) -> Iterator[Move]:
    """Gems to give and take, alone or among several."""
    if len(state.free_order) > 1:
        for colour in colours_of(state.supply):
            yield {"take": [colour]}
        return
    for give in colours_of(state.gems[seat]):
        for taken in takes(state, give):
            yield {"give": give, "take": taken}


def every(state: EdelSteinReichState, seat: int) -> Iterator[Move]:
    """All legal moves of the seat that is asked, in order."""
    stage = state.stage
    if stage in ("action", "guess"):
        yield from options(state)
    elif stage == "event_card":
        yield from ("face_up", "blind")
    elif stage == "answer_offer":
        yield "accept"
        yield from offers(state, seat)
    else:
        yield "decline"
        if stage == "open_barter":
            yield from offers(state, seat)
        elif stage == "counter_gift":
            yield from ({"gift": colour} for colour in colours_of(state.gems[seat]))
        elif stage == "immediate":
            yield from immediates(state, seat)
        else:
            yield from free_choices(state, seat)


def moves(state: EdelSteinReichState, seat: int) -> list[Move]:
    """Every legal move, in order."""
    return list(every(state, seat))


def few(state: EdelSteinReichState, seat: int, limit: int) -> list[Move] | None:
    """Every legal move if there are at most ``limit``, otherwise ``None``."""
    bartering = state.stage in ("open_barter", "answer_offer") and len(state.offers) < OFFER_LIMIT
    if bartering and surely_above(state.gems[seat], state.standing) >= limit:
        return None
    found = list(islice(every(state, seat), limit + 1))
    return None if len(found) > limit else found


def default(state: EdelSteinReichState) -> Move:
    """The first legal move."""
    stage = state.stage
    if stage in ("action", "guess"):
        return options(state)[0]
    return {"answer_offer": "accept", "event_card": "face_up"}.get(stage, "decline")


def draw(state: EdelSteinReichState, seat: int, random: Random) -> Move:
    """One legal move, all equally likely.

    An offer is drawn from everything the hand can make, and drawn again until it is legal; the empty one
    stands for accepting or declining.
    """
    stage = state.stage
    if stage == "action":
        return state.actions[int(random.random() * len(state.actions))]
    if stage in ("open_barter", "answer_offer") and len(state.offers) < OFFER_LIMIT:
        drawn = _draw_offer(state, seat, random)
        if drawn is not None:
            return drawn
    legal = moves(state, seat)
    return legal[int(random.random() * len(legal))]


def _draw_offer(state: EdelSteinReichState, seat: int, random: Random) -> Move | None:
    reds, yellows, greens, blues = state.gems[seat]
    total = (reds + 1) * (yellows + 1) * (greens + 1) * (blues + 1)
    standing = state.standing
    for _ in range(_DRAWS):
        index = int(random.random() * total)
        if index == 0:
            return "accept" if state.offers else "decline"
        index, blue = divmod(index, blues + 1)
        index, green = divmod(index, greens + 1)
        red, yellow = divmod(index, yellows + 1)
        count = red + yellow + green + blue
        if count >= standing[0] and (count, red, yellow, green, blue) > standing:
            return {"offer": [red, yellow, green, blue]}
    return None
