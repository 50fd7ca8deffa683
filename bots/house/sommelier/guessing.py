"""What is hidden: the bottles that nobody has shown, and guesses at who holds which."""

from __future__ import annotations

from cellar import EMPTY
from worth import COLOURS, COPIES, KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Dice, Document

NOT_IN_PLAY = {3: "YP", 4: "O", 5: ""}
"""The colours that stay in the box, by the number of seats."""


def laid_bottles(view: Document) -> dict[str, int]:
    """How many bottles of each kind lie in cellars."""
    laid: dict[str, int] = {}
    for player in view["players"]:
        for cellar in player["cellars"]:
            for cell in cellar:
                for card in filter(None, (cell["card"], cell["under"])):
                    laid[card] = laid.get(card, 0) + 1
    return laid


def unseen(view: Document, laid: dict[str, int]) -> list[str]:
    """The bottles that are hidden from the seat of ``view``: in the stack, or in a hand since the deal."""
    left = {EMPTY: COPIES}
    for colour in COLOURS:
        if colour not in NOT_IN_PLAY[view["seats"]]:
            left.update(dict.fromkeys(KINDS[colour], COPIES))
    shown = view["display"] + view["stack_bottom"] + view["you"]["hand"]
    for seat, player in enumerate(view["players"]):
        shown = shown + player["bid"] + (player["known"] if seat != view["seat"] else [])
    for card in shown:
        left[card] -= 1
    return [card for card in sorted(left) for _ in range(left[card] - laid.get(card, 0))]


def guess_hands(view: Document, hidden: list[str], dice: Dice) -> list[list[str]]:
    """A hand for every seat that fits what has been shown: the known bottles, and some of the ``hidden`` ones."""
    pool = list(hidden)
    hands = []
    for seat, player in enumerate(view["players"]):
        hand = list(view["you"]["hand"] if seat == view["seat"] else player["known"])
        while len(hand) < player["hand"]:
            hand.append(pool.pop(dice.below(len(pool))))
        hands.append(hand)
    return hands
