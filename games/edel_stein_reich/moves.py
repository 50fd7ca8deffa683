"""Legal moves: list, draw and check them, or find one by its position.

Moves have one order everywhere: the default first, then the order of the sections below.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, islice, product
from math import prod
from operator import ge
from random import Random
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from games.edel_stein_reich.actions import FREE_CHOICE_TAKES
from games.edel_stein_reich.cards import COLOURS, NO_GEMS, ONE, Gems, letters, vector
from games.edel_stein_reich.offers import (
    NOTHING,
    above,
    can_be_topped,
    count_above,
    drawn_above,
    key,
    nth_above,
    surely_above,
)
from games.edel_stein_reich.rulings import OFFER_LIMIT
from games.edel_stein_reich.table import together
from games.rules import IllegalMove, Move

if TYPE_CHECKING:
    from games.edel_stein_reich.procedure import Procedure

# --- List and draw ---------------------------------------------------------------------------------------------------

_FACES = ("face_up", "blind")


def options(state: Procedure) -> list[str]:
    """Return the legal words for an ``action`` or a ``guess``."""
    shown = state.shown()
    return [action for action in state.actions if action not in shown] if shown else list(state.actions)


def victims(state: Procedure, seat: int) -> dict[str, str]:
    """Return the colors of each opponent with a gem, by the number of its seat as a string."""
    return {str(other): letters(gems) for other, gems in enumerate(state.gems) if other != seat and gems != NO_GEMS}


def _ways(supply: Gems) -> tuple[str, ...]:
    """Return the selections of gems from a supply, each in the order of the colors."""
    pairs = combinations_with_replacement(letters(supply), min(FREE_CHOICE_TAKES, sum(supply)))
    ways = ["".join(pair) for pair in pairs]
    return tuple([way for way in ways if all(map(ge, supply, vector(way)))])


_COUNTS = range(FREE_CHOICE_TAKES + 1)
_TAKES: Final = {supply: _ways(supply) for supply in product(_COUNTS, _COUNTS, _COUNTS, _COUNTS)}
"""The selections of a single chooser of Free Choice, by supply. Larger supplies have the same selections."""


def takes(state: Procedure, give: str) -> tuple[str, ...]:
    """Return the selections of a single chooser of Free Choice after ``give`` was returned."""
    red, yellow, green, blue = together(state.supply, ONE[give])
    most = FREE_CHOICE_TAKES
    return _TAKES[min(red, most), min(yellow, most), min(green, most), min(blue, most)]


def offers(state: Procedure, seat: int) -> Iterator[Move]:
    """Yield the legal offers, ascending."""
    if len(state.offers) < OFFER_LIMIT:
        for offer in above(state.gems[seat], state.standing):
            yield {"offer": list(offer)}


def immediates(state: Procedure, seat: int) -> Iterator[Move]:
    """Yield the ways to carry out the current immediate card."""
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
    """Yield the moves of Free Choice, for a single chooser or one of several."""
    if len(state.free_order) > 1:
        for colour in letters(state.supply):
            yield {"take": [colour]}
        return
    for give in letters(state.gems[seat]):
        for taken in takes(state, give):
            yield {"give": give, "take": list(taken)}


def every(state: Procedure, seat: int) -> Iterator[Move]:
    """Yield all legal moves of the seat that is asked, in order."""
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


def every_move(state: Procedure, seat: int) -> list[Move]:
    """Return all legal moves in order."""
    return list(every(state, seat))


def offering(state: Procedure) -> bool:
    """Return whether the legal moves are one word and then offers, which can be thousands."""
    return state.stage in ("open_barter", "answer_offer") and len(state.offers) < OFFER_LIMIT


def few(state: Procedure, seat: int, limit: int) -> list[Move] | None:
    """Return all legal moves if there are at most ``limit``, else ``None``."""
    if offering(state) and surely_above(state.gems[seat], state.standing) >= limit:
        return None
    moves = list(islice(every(state, seat), limit + 1))
    return None if len(moves) > limit else moves


def default(state: Procedure) -> Move:
    """Return the first legal move."""
    stage = state.stage
    if stage in ("action", "guess"):
        return options(state)[0]
    return {"answer_offer": "accept", "event_card": "face_up"}.get(stage, "decline")


def draw(state: Procedure, seat: int, random: Random) -> Move:
    """Return a random legal move; all have the same probability. Does not list moves if there can be many."""
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
    """Return a random color, or ``""`` for declining."""
    index = int(random.random() * (1 + len(colours)))
    return colours[index - 1] if index else ""


def _drawn_immediate(state: Procedure, seat: int, random: Random) -> Move:
    if state.immediate == "rob":
        return _drawn_robbery(state, seat, random)
    if state.immediate in ("half", "three"):
        colour = _drawn_colour(COLOURS, random)
        return {"colour": colour} if colour else "decline"
    legal = every_move(state, seat)
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


# --- Check -----------------------------------------------------------------------------------------------------------

NO_OFFER: Final = "Barter: An opening offer must contain at least one gem."
NOT_HIGHER: Final = (
    "Barter: A new offer must be higher: more gems, or the same number with more red, then yellow, green, blue."
)
NOT_OWN: Final = "Barter: You can offer only gems that you have, in whole numbers from 0."
_LISTED_IN_WORDS = 12

_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "guess": (),
    "open_barter": ("decline",),
    "answer_offer": ("accept",),
    "counter_gift": ("decline",),
    "event_card": ("face_up", "blind"),
    "immediate": ("decline",),
    "free_choice": ("decline",),
}
"""The words that are always legal for a kind of decision. Those of an action depend on the table."""


def check(state: Procedure, seat: int, move: object) -> Move:
    """Return the canonical form of ``move``. Raises ``IllegalMove`` with the broken rule and the legal moves."""
    stage = state.stage
    if type(move) is str:
        if move in (state.actions if stage == "action" else _WORDS[stage]):
            return move
        return _check_word(state, seat, stage, move)
    if type(move) is dict:
        if stage in ("answer_offer", "open_barter"):
            return _check_offer(state, seat, move)
        if stage == "counter_gift":
            return _check_gift(state, seat, move)
        if stage == "immediate":
            return _check_immediate(state, seat, move)
        if stage == "free_choice":
            return _check_free_choice(state, seat, move)
    raise _illegal(state, seat, "A move must be a string or an object that fits the decision.")


def _check_word(state: Procedure, seat: int, stage: str, move: str) -> Move:
    if stage == "guess" and move in state.actions and move not in state.shown():
        return move
    if stage == "immediate" and move == "apply" and state.immediate in ("adjust:RB", "adjust:YG", "halve_all"):
        return move
    raise _illegal(state, seat, _why_not(state, stage, move))


def _why_not(state: Procedure, stage: str, move: str) -> str:
    """Return the rule that a word breaks."""
    if move == "free_choice" and stage == "action":
        return "Free Choice: This action exists only in games of five players."
    if stage == "guess" and move in state.actions:
        return "Guess: The second guess must be one of the two other actions."
    if stage == "answer_offer" and move == "decline":
        return "Barter: You must accept the current offer or make a higher one. You cannot decline it."
    if stage == "open_barter" and move == "accept":
        return "Barter: There is no offer to accept yet."
    if stage == "event_card":
        return "Event: Take the face-up card or draw from the stack."
    return f"{shortened(move)} is not a valid move for the decision {stage}."


def _check_offer(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    named = move.get("offer")
    if len(move) != 1 or type(named) is not list or len(named) != 4:
        raise _illegal(state, seat, "Barter: An offer must contain exactly four gem counts: red, yellow, green, blue.")
    offer: list[Any] = named
    red, yellow, green, blue = offer
    reds, yellows, greens, blues = state.gems[seat]
    if not (
        type(red) is type(yellow) is type(green) is type(blue) is int
        and 0 <= red <= reds
        and 0 <= yellow <= yellows
        and 0 <= green <= greens
        and 0 <= blue <= blues
    ):
        raise _illegal(state, seat, NOT_OWN)
    if (red + yellow + green + blue, red, yellow, green, blue) <= state.standing:
        raise _illegal(state, seat, _too_low(state))
    if len(state.offers) >= OFFER_LIMIT:
        raise _illegal(state, seat, f"Barter: After {OFFER_LIMIT} offers the current one must be accepted.")
    return {"offer": [red, yellow, green, blue]}


def _too_low(state: Procedure) -> str:
    return NOT_HIGHER if state.offers else NO_OFFER


def _check_gift(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    gift = move.get("gift")
    if len(move) != 1 or not _is_colour(gift) or gift not in letters(state.gems[seat]):
        raise _illegal(state, seat, "Barter: The gift must be exactly one of your gems.")
    return {"gift": gift}


def _check_immediate(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    card = state.immediate
    if card in ("half", "three"):
        if len(move) == 1 and _is_colour(move.get("colour")):
            return {"colour": move["colour"]}
        raise _illegal(state, seat, "Event: Name exactly one color.")
    if card == "swap":
        return _check_swap(state, seat, move)
    if card == "rob":
        return _check_rob(state, seat, move)
    raise _illegal(state, seat, "Event: This card can only be applied or declined.")


def _check_swap(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    give, other, take = move.get("give"), move.get("seat"), move.get("take")
    if len(move) == 3 and _is_colour(give) and _is_colour(take) and type(other) is int:
        held = victims(state, seat).get(str(other), "")
        if give in letters(state.gems[seat]) and take in held:
            return {"give": give, "seat": other, "take": take}
    raise _illegal(state, seat, "Event: A swap gives one of your gems for a gem that the opponent has.")


def _check_rob(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    taken = move.get("take")
    targets = victims(state, seat)
    if (
        len(move) == 1
        and type(taken) is dict
        and targets
        and taken.keys() == targets.keys()
        and all(_is_colour(taken[other]) and taken[other] in held for other, held in targets.items())
    ):
        return {"take": {other: taken[other] for other in targets}}
    raise _illegal(state, seat, "Event: Name one gem of every opponent who has any.")


def _check_free_choice(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    named = move.get("take")
    if type(named) is not list or not all(_is_colour(colour) for colour in named):
        raise _illegal(state, seat, "Free Choice: Name the colors to take.")
    taken = sorted(named, key=COLOURS.index) if len(named) > 1 else list(named)
    if len(state.free_order) > 1:
        if len(move) == 1 and len(taken) == 1 and taken[0] in letters(state.supply):
            return {"take": taken}
        raise _illegal(
            state, seat, "Free Choice: Because several players chose it, take one gem that is in the supply."
        )
    give, own = move.get("give"), letters(state.gems[seat])
    if len(move) == 2 and _is_colour(give) and give in own and "".join(taken) in takes(state, give):
        return {"give": give, "take": taken}
    raise _illegal(
        state, seat, "Free Choice: Because you are alone, return one gem and take two, or as many as the supply has."
    )


def _is_colour(value: object) -> TypeGuard[str]:
    return type(value) is str and len(value) == 1 and value in COLOURS


def _illegal(state: Procedure, seat: int, rule: str) -> IllegalMove:
    return IllegalMove(rule, _in_words(state, seat))


def _in_words(state: Procedure, seat: int) -> str:
    """Return the legal moves in words: a list if it is short, otherwise the bounds."""
    if state.stage not in ("open_barter", "answer_offer"):
        return " · ".join(
            map(str, few(state, seat, _LISTED_IN_WORDS) or [*islice(every(state, seat), _LISTED_IN_WORDS), "…"])
        )
    word = "accept" if state.offers else "decline"
    if len(state.offers) >= OFFER_LIMIT or not can_be_topped(state.gems[seat], state.standing):
        return word
    bound = "" if state.standing == NOTHING else f" above {list(state.offers[-1][1])}"
    return f"{word}, or an offer{bound} out of {list(state.gems[seat])}"


# --- Positions -------------------------------------------------------------------------------------------------------


class Offers:
    """The legal moves of a barter in the current state: a word at position 0, then every offer, ascending."""

    def __init__(self, state: Procedure, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.gems = state.gems[seat]
        self.count = count_above(self.gems, state.standing)

    def __len__(self) -> int:
        return 1 + self.count

    def __getitem__(self, place: int, /) -> Move:
        if place == 0:
            return default(self.state)
        return {"offer": list(nth_above(self.gems, self.state.standing, place - 1))}

    def index(self, move: Move, /) -> int:
        legal = check(self.state, self.seat, move)
        if legal != move:
            raise ValueError(f"move {move!r} is not in canonical form")
        if type(legal) is not dict:
            return 0
        red, yellow, green, blue = legal["offer"]
        return self.count - count_above(self.gems, key((red, yellow, green, blue)))
