"""Judging one move without listing the legal ones: its canonical form, or why it is illegal."""

from __future__ import annotations

from itertools import islice
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from games.edel_stein_reich.cards import COLOURS, letters
from games.edel_stein_reich.legal import every, few, takes, victims
from games.edel_stein_reich.offers import NOTHING, can_be_topped
from games.edel_stein_reich.rulings import OFFER_LIMIT
from games.rules import IllegalMove, Move

if TYPE_CHECKING:
    from games.edel_stein_reich.procedure import Procedure

NO_OFFER: Final = "Barter: an opening offer has at least one gem."
NOT_HIGHER: Final = "Barter: an answer must be higher: more gems, or as many with more red, then yellow, green, blue."
NOT_OWN: Final = "Barter: an offer is whole gems of one's own, none below 0."
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
"""The words that are legal whenever a decision of a kind is owed; an action's depend on the table."""


def check(state: Procedure, seat: int, move: object) -> Move:
    """The canonical form of ``move``, or ``IllegalMove`` with the rule it breaks and what is legal."""
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
    raise _illegal(state, seat, "A move is a word or an object of the kind that is asked for.")


def _check_word(state: Procedure, seat: int, stage: str, move: str) -> Move:
    if stage == "guess" and move in state.actions and move not in state.shown():
        return move
    if stage == "immediate" and move == "apply" and state.immediate in ("adjust:RB", "adjust:YG", "halve_all"):
        return move
    raise _illegal(state, seat, _why_not(state, stage, move))


def _why_not(state: Procedure, stage: str, move: str) -> str:
    """The rule that a word breaks."""
    if move == "free_choice" and stage == "action":
        return "Free Choice: only a table of five has this card."
    if stage == "guess" and move in state.actions:
        return "Guess: the second card must be one of the two not yet shown."
    if stage == "answer_offer" and move == "decline":
        return "Barter: a standing offer is accepted or topped, it cannot be declined."
    if stage == "open_barter" and move == "accept":
        return "Barter: nothing has been offered yet."
    if stage == "event_card":
        return "Event: take the card on display or the unseen one; there is no way back."
    return f"{shortened(move)} is no answer to {stage}."


def _check_offer(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    named = move.get("offer")
    if len(move) != 1 or type(named) is not list or len(named) != 4:
        raise _illegal(state, seat, "Barter: an offer is four numbers of gems, red, yellow, green, blue, no more.")
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
        raise _illegal(state, seat, f"Barter: after {OFFER_LIMIT} offers the standing one must be accepted.")
    return {"offer": [red, yellow, green, blue]}


def _too_low(state: Procedure) -> str:
    return NOT_HIGHER if state.offers else NO_OFFER


def _check_gift(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    gift = move.get("gift")
    if len(move) != 1 or not _is_colour(gift) or gift not in letters(state.gems[seat]):
        raise _illegal(state, seat, "Barter: the gift is exactly one gem of one's own.")
    return {"gift": gift}


def _check_immediate(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    card = state.immediate
    if card in ("half", "three"):
        if len(move) == 1 and _is_colour(move.get("colour")):
            return {"colour": move["colour"]}
        raise _illegal(state, seat, "Event: name one colour.")
    if card == "swap":
        return _check_swap(state, seat, move)
    if card == "rob":
        return _check_rob(state, seat, move)
    raise _illegal(state, seat, "Event: this card is applied or declined.")


def _check_swap(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    give, other, take = move.get("give"), move.get("seat"), move.get("take")
    if len(move) == 3 and _is_colour(give) and _is_colour(take) and type(other) is int:
        held = victims(state, seat).get(str(other), "")
        if give in letters(state.gems[seat]) and take in held:
            return {"give": give, "seat": other, "take": take}
    raise _illegal(state, seat, "Event: a swap gives one own gem and takes one of an opponent who has it.")


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
    raise _illegal(state, seat, "Event: a robbery names one gem of every opponent who has any.")


def _check_free_choice(state: Procedure, seat: int, move: dict[str, Any]) -> Move:
    named = move.get("take")
    if type(named) is not list or not all(_is_colour(colour) for colour in named):
        raise _illegal(state, seat, "Free Choice: name the colours that are taken.")
    taken = sorted(named, key=COLOURS.index) if len(named) > 1 else list(named)
    if len(state.free_order) > 1:
        if len(move) == 1 and len(taken) == 1 and taken[0] in letters(state.supply):
            return {"take": taken}
        raise _illegal(state, seat, "Free Choice: among several, each takes one gem that is in the supply.")
    give, own = move.get("give"), letters(state.gems[seat])
    if len(move) == 2 and _is_colour(give) and give in own and "".join(taken) in takes(state, give):
        return {"give": give, "take": taken}
    raise _illegal(state, seat, "Free Choice: alone, give one own gem, then take two, or what the supply has.")


def _is_colour(value: object) -> TypeGuard[str]:
    return type(value) is str and len(value) == 1 and value in COLOURS


def _illegal(state: Procedure, seat: int, rule: str) -> IllegalMove:
    return IllegalMove(rule, _in_words(state, seat))


def _in_words(state: Procedure, seat: int) -> str:
    """What was legal: the whole list where it is short, otherwise what bounds it."""
    if state.stage not in ("open_barter", "answer_offer"):
        return " · ".join(
            map(str, few(state, seat, _LISTED_IN_WORDS) or [*islice(every(state, seat), _LISTED_IN_WORDS), "…"])
        )
    word = "accept" if state.offers else "decline"
    if len(state.offers) >= OFFER_LIMIT or not can_be_topped(state.gems[seat], state.standing):
        return word
    bound = "" if state.standing == NOTHING else f" above {list(state.offers[-1][1])}"
    return f"{word}, or an offer{bound} out of {list(state.gems[seat])}"
