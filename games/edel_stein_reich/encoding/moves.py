"""The moves of Edel, Stein & Reich as sequences of actions.

| actions | meaning | moves |
|---|---|---|
| nine words | as in a record | a complete move |
| ``give R`` … | one of your gems | a counter-gift; the first action of a swap and of Free Choice alone |
| ``name R`` … | a color | half and three |
| ``take R`` … | a gem of the supply | Free Choice, colors in order |
| ``offer 0 R`` … | a number of gems of a color | an offer: red, yellow, green, blue |
| ``take R of 1`` … | a gem of a seat, by distance clockwise | a swap, after the gem given; a rob, seat by seat |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from games.edel_stein_reich.cards import COLOURS, GEMS_PER_COLOUR
from games.edel_stein_reich.offers import Key, key
from games.learning import Chosen
from games.rules import Document, Move

WORDS: Final = ("money", "event", "gems", "free_choice", "decline", "accept", "face_up", "blind", "apply")
GIVE: Final = len(WORDS)
NAME: Final = GIVE + 4
TAKE: Final = NAME + 4
OFFER: Final = TAKE + 4
FROM: Final = OFFER + 4 * (GEMS_PER_COLOUR + 1)

_WORD: Final = {word: number for number, word in enumerate(WORDS)}
_NO_OFFER: Final = (0, 0, 0, 0)

Options = Callable[["Moves", Document, Chosen], list[int]]


def offered(chosen: Chosen) -> list[int]:
    """Return the chosen numbers of gems of an offer, red first."""
    return [(action - OFFER) % (GEMS_PER_COLOUR + 1) for action in chosen if OFFER <= action < FROM]


def _offer(counts: Sequence[int]) -> Chosen:
    return tuple(OFFER + colour * (GEMS_PER_COLOUR + 1) + count for colour, count in enumerate(counts))


def _key(counts: Sequence[int]) -> Key:
    red, yellow, green, blue = counts
    return key((red, yellow, green, blue))


def _colours(base: int, colours: Sequence[str]) -> list[int]:
    return [base + COLOURS.index(colour) for colour in colours]


class Moves:
    """The actions with a number of ``seats``. Only the last block depends on it."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.names: tuple[str, ...] = (
            *WORDS,
            *(f"{verb} {colour}" for verb in ("give", "name", "take") for colour in COLOURS),
            *(f"offer {count} {colour}" for colour in COLOURS for count in range(GEMS_PER_COLOUR + 1)),
            *(f"take {colour} of {distance}" for distance in range(1, seats) for colour in COLOURS),
        )

    # --- what may come next ---------------------------------------------------------------------

    def options(self, decision: Document, chosen: Chosen) -> list[int]:
        """Return the actions that can follow ``chosen``; none after a complete move."""
        if chosen and chosen[0] < GIVE:
            return []
        return _OPTIONS[decision["kind"]](self, decision, chosen)

    def _words(self, decision: Document, chosen: Chosen) -> list[int]:  # noqa: ARG002
        return [_WORD[word] for word in decision["options"]]

    def _event_card(self, decision: Document, chosen: Chosen) -> list[int]:  # noqa: ARG002
        return [_WORD["face_up"], _WORD["blind"]]

    def _barter(self, decision: Document, chosen: Chosen) -> list[int]:
        """Return the numbers that lead to a legal offer: those for which all gems of the later colors make it legal."""
        word = _WORD["accept" if decision["kind"] == "answer_offer" else "decline"]
        if decision.get("offers_made", 0) >= decision.get("offers_limit", 1):
            return [word]
        if len(chosen) == len(COLOURS):
            return []
        colour, counts, held = len(chosen), offered(chosen), decision["holdings"]
        standing = _key(decision.get("standing", _NO_OFFER))
        rest = held[colour + 1 :]
        base = OFFER + colour * (GEMS_PER_COLOUR + 1)
        offers = [base + count for count in range(held[colour] + 1) if _key((*counts, count, *rest)) > standing]
        return offers if chosen else [word, *offers]

    def _counter_gift(self, decision: Document, chosen: Chosen) -> list[int]:
        return [] if chosen else [_WORD["decline"], *_colours(GIVE, decision["colours"])]

    def _immediate(self, decision: Document, chosen: Chosen) -> list[int]:
        follow: list[int]
        if decision["card"] in ("half", "three"):
            follow = [] if chosen else _colours(NAME, decision["colours"])
        elif decision["card"] == "swap":
            follow = self._swap(decision, chosen)
        elif decision["card"] == "rob":
            follow = self._rob(decision, chosen)
        else:
            follow = [_WORD["apply"]]
        return follow if chosen else [_WORD["decline"], *follow]

    def _swap(self, decision: Document, chosen: Chosen) -> list[int]:
        if not chosen:
            return _colours(GIVE, decision["give"]) if decision["take"] else []
        if len(chosen) > 1:
            return []
        victims = self._victims(decision)
        return [action for distance in sorted(victims) for action in self._from(distance, victims[distance])]

    def _rob(self, decision: Document, chosen: Chosen) -> list[int]:
        victims = self._victims(decision)
        return [] if len(chosen) == len(victims) else self._from(*sorted(victims.items())[len(chosen)])

    def _victims(self, decision: Document) -> dict[int, list[str]]:
        """Return the colors of the opponents by their distance clockwise."""
        return {self.distance(decision, int(other)): held for other, held in decision["take"].items()}

    def distance(self, decision: Document, other: int) -> int:
        """Return the distance clockwise from the seat that is asked to ``other``."""
        return int((other - decision["seat"]) % self.seats)

    def _from(self, distance: int, colours: Sequence[str]) -> list[int]:
        return _colours(FROM + 4 * (distance - 1), colours)

    def _free_choice(self, decision: Document, chosen: Chosen) -> list[int]:
        if not chosen:
            first = _colours(GIVE, decision["give"]) if decision["alone"] else _takes(decision, [], None)
            return [_WORD["decline"], *first]
        if not decision["alone"]:
            return []
        return _takes(decision, [action - TAKE for action in chosen[1:]], chosen[0] - GIVE)

    # --- there and back -------------------------------------------------------------------------

    def compose(self, decision: Document, actions: Chosen) -> Move:
        """Return the move of a complete sequence of ``actions``."""
        first = actions[0]
        if first < GIVE:
            return WORDS[first]
        if decision["kind"] in ("open_barter", "answer_offer"):
            return {"offer": offered(actions)}
        if decision["kind"] == "counter_gift":
            return {"gift": COLOURS[first - GIVE]}
        if decision["kind"] == "free_choice":
            taken = [COLOURS[action - TAKE] for action in actions if action >= TAKE]
            return {"give": COLOURS[first - GIVE], "take": taken} if decision["alone"] else {"take": taken}
        if decision["card"] == "swap":
            other, colour = self._taken(decision, actions[1])
            return {"give": COLOURS[first - GIVE], "seat": other, "take": colour}
        if decision["card"] == "rob":
            robbed = dict(self._taken(decision, action) for action in actions)
            return {"take": {other: robbed[int(other)] for other in decision["take"]}}
        return {"colour": COLOURS[first - NAME]}

    def _taken(self, decision: Document, action: int) -> tuple[int, str]:
        """Return the seat and the color of an action that takes a gem of an opponent."""
        distance, colour = divmod(action - FROM, 4)
        return (decision["seat"] + 1 + distance) % self.seats, COLOURS[colour]

    def sequence(self, decision: Document, move: Any) -> Chosen:
        """Return the actions that compose a legal move."""
        if type(move) is str:
            return (_WORD[move],)
        if "offer" in move:
            return _offer(move["offer"])
        if "gift" in move:
            return tuple(_colours(GIVE, move["gift"]))
        if "colour" in move:
            return tuple(_colours(NAME, move["colour"]))
        given = _colours(GIVE, move.get("give", ""))
        if decision["kind"] == "free_choice":
            return (*given, *sorted(_colours(TAKE, move["take"])))
        taken = {move["seat"]: move["take"]} if "seat" in move else move["take"]
        distances = {self.distance(decision, int(other)): colour for other, colour in taken.items()}
        return (*given, *(self._from(distance, distances[distance])[0] for distance in sorted(distances)))


def _takes(decision: Document, taken: list[int], given: int | None) -> list[int]:
    """Return the colors that Free Choice can take next, in order, so that enough gems remain for the rest."""
    left = [*decision["take"]["supply"]]
    if given is not None:
        left[given] += 1
    for colour in taken:
        left[colour] -= 1
    missing = decision["take"]["count"] - len(taken)
    first = taken[-1] if taken else 0
    return [TAKE + colour for colour in range(first, 4) if missing and left[colour] and sum(left[colour:]) >= missing]


_OPTIONS: Final[dict[str, Options]] = {
    "action": Moves._words,
    "guess": Moves._words,
    "event_card": Moves._event_card,
    "open_barter": Moves._barter,
    "answer_offer": Moves._barter,
    "counter_gift": Moves._counter_gift,
    "immediate": Moves._immediate,
    "free_choice": Moves._free_choice,
}
