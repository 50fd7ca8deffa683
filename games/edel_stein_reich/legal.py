"""What the seat that is asked may do: list the legal moves, or draw one.

Moves have one order everywhere: the default first, then as the sections below go.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, islice, product
from math import prod
from operator import ge
from random import Random
from typing import TYPE_CHECKING, Final

from games.edel_stein_reich.cards import COLOURS, NO_GEMS, ONE, Gems, letters, vector
from games.edel_stein_reich.offers import above, drawn_above, surely_above
from games.edel_stein_reich.resolving import FREE_CHOICE_TAKES
from games.edel_stein_reich.rulings import OFFER_LIMIT
from games.edel_stein_reich.table import together
from games.rules import Move

if TYPE_CHECKING:
    from games.edel_stein_reich.procedure import Procedure

_FACES = ("face_up", "blind")


def options(state: Procedure) -> list[str]:
    """The words that answer an ``action`` or a ``guess``."""
    shown = state.shown()
    return [action for action in state.actions if action not in shown] if shown else list(state.actions)


def victims(state: Procedure, seat: int) -> dict[str, str]:
    """The colours each opponent with a gem holds, by the opponent's number as a string."""
    return {str(other): letters(gems) for other, gems in enumerate(state.gems) if other != seat and gems != NO_GEMS}


def _ways(supply: Gems) -> tuple[str, ...]:
    """What can be taken of a supply, with the colours in order."""
    pairs = combinations_with_replacement(letters(supply), min(FREE_CHOICE_TAKES, sum(supply)))
    ways = ["".join(pair) for pair in pairs]
    return tuple([way for way in ways if all(map(ge, supply, vector(way)))])


_COUNTS = range(FREE_CHOICE_TAKES + 1)
_TAKES: Final = {supply: _ways(supply) for supply in product(_COUNTS, _COUNTS, _COUNTS, _COUNTS)}
"""What can be taken alone on Free Choice, by the supply, of which more than can be taken makes no difference."""


def takes(state: Procedure, give: str) -> tuple[str, ...]:
    """Alone on Free Choice: what can be taken once ``give`` is back in the supply."""
    red, yellow, green, blue = together(state.supply, ONE[give])
    most = FREE_CHOICE_TAKES
    return _TAKES[min(red, most), min(yellow, most), min(green, most), min(blue, most)]


def offers(state: Procedure, seat: int) -> Iterator[Move]:
    """The legal offers, ascending."""
    if len(state.offers) < OFFER_LIMIT:
        for offer in above(state.gems[seat], state.standing):
            yield {"offer": list(offer)}


def immediates(state: Procedure, seat: int) -> Iterator[Move]:
    """The ways of carrying out the card in hand."""
    card = state.immediate
    if card in ("half", "three"):
        for colour in COLOURS:
            yield {"colour": colour}
    elif card == "swap":
        for give in letters(state.gems[seat]):
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


def free_choices(state: Procedure, seat: int) -> Iterator[Move]:
    """Gems to give and take, alone or among several."""
    if len(state.free_order) > 1:
        for colour in letters(state.supply):
            yield {"take": [colour]}
        return
    for give in letters(state.gems[seat]):
        for taken in takes(state, give):
            yield {"give": give, "take": list(taken)}


def every(state: Procedure, seat: int) -> Iterator[Move]:
    """All legal moves of the seat that is asked, in order."""
    stage = state.stage
    if stage in ("action", "guess"):
        yield from options(state)
    elif stage == "event_card":
        yield from _FACES
    elif stage == "answer_offer":
        yield "accept"
        yield from offers(state, seat)
    else:
        yield "decline"
        if stage == "open_barter":
            yield from offers(state, seat)
        elif stage == "counter_gift":
            yield from ({"gift": colour} for colour in letters(state.gems[seat]))
        elif stage == "immediate":
            yield from immediates(state, seat)
        else:
            yield from free_choices(state, seat)


def moves(state: Procedure, seat: int) -> list[Move]:
    """Every legal move, in order."""
    return list(every(state, seat))


def offering(state: Procedure) -> bool:
    """Whether the legal moves are one word and then offers, of which there may be thousands."""
    return state.stage in ("open_barter", "answer_offer") and len(state.offers) < OFFER_LIMIT


def few(state: Procedure, seat: int, limit: int) -> list[Move] | None:
    """Every legal move if there are at most ``limit``, otherwise ``None``."""
    if offering(state) and surely_above(state.gems[seat], state.standing) >= limit:
        return None
    found = list(islice(every(state, seat), limit + 1))
    return None if len(found) > limit else found


def default(state: Procedure) -> Move:
    """The first legal move."""
    stage = state.stage
    if stage in ("action", "guess"):
        return options(state)[0]
    return {"answer_offer": "accept", "event_card": "face_up"}.get(stage, "decline")


def draw(state: Procedure, seat: int, random: Random) -> Move:
    """One legal move, all equally likely; nothing is listed where there may be many."""
    stage = state.stage
    if stage == "action":
        return state.actions[int(random.random() * len(state.actions))]
    if stage in ("answer_offer", "open_barter"):
        offer = drawn_above(state.gems[seat], state.standing, random)
        if offer is None:
            return "accept" if state.offers else "decline"
        return {"offer": list(offer)}
    if stage == "event_card":
        return _FACES[int(random.random() * 2)]
    if stage == "guess":
        left = options(state)
        return left[int(random.random() * len(left))]
    if stage == "counter_gift":
        gift = _drawn_colour(letters(state.gems[seat]), random)
        return {"gift": gift} if gift else "decline"
    if stage == "immediate":
        return _drawn_immediate(state, seat, random)
    if len(state.free_order) == 1:
        return _drawn_exchange(state, seat, random)
    colour = _drawn_colour(letters(state.supply), random)
    return {"take": [colour]} if colour else "decline"


def _drawn_colour(colours: str, random: Random) -> str:
    """One of the colours, or ``""`` for declining."""
    index = int(random.random() * (1 + len(colours)))
    return colours[index - 1] if index else ""


def _drawn_immediate(state: Procedure, seat: int, random: Random) -> Move:
    if state.immediate == "rob":
        return _drawn_robbery(state, seat, random)
    if state.immediate in ("half", "three"):
        colour = _drawn_colour(COLOURS, random)
        return {"colour": colour} if colour else "decline"
    legal = moves(state, seat)
    return legal[int(random.random() * len(legal))]


def _drawn_robbery(state: Procedure, seat: int, random: Random) -> Move:
    targets = victims(state, seat)
    index = int(random.random() * (1 + prod(map(len, targets.values()))))
    if index == 0:
        return "decline"
    index -= 1
    taken = {}
    for other, held in targets.items():
        taken[other] = held[index % len(held)]
        index //= len(held)
    return {"take": taken}


def _drawn_exchange(state: Procedure, seat: int, random: Random) -> Move:
    ways = [(give, takes(state, give)) for give in letters(state.gems[seat])]
    index = int(random.random() * (1 + sum([len(taken) for _, taken in ways])))
    for give, taken in ways:
        if index < len(taken):
            return {"give": give, "take": list(taken[index])}
        index -= len(taken)
    return "decline"
