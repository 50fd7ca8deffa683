"""The lesson of choosing an action: what each would bring, and who else could want it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.edel_stein_reich.cards import GEMS_ON_CARD, MONEY_ON_CARD
from games.edel_stein_reich.story.words import ACTION_NAMES
from games.edel_stein_reich.tutorial import cards, prices
from games.rules import Document
from games.tutorial import Lesson, Option, Sentence, Term, Value

INTRODUCTIONS: Final[dict[int, tuple[Sentence, ...]]] = {
    1: (
        Sentence(
            "Everybody chooses an action in secret, then all are shown at once. Alone on an action, you carry it out. "
            "Two who want the same barter for it in gems. Three or more block each other: nobody gets it."
        ),
        Sentence("So ask two things of an action: what it brings, and how many others want it."),
    ),
    2: (
        Sentence(
            "Money stays, gems must pay off: at the end of the phase only whoever has most of a colour is paid for it, "
            "{R} 14, {Y} 12, {G} 10, {B} 8. So a gem is worth about a quarter of that: 3½, 3, 2½, 2."
        ),
    ),
    3: (
        Sentence(
            "Cards may pay as much as gems. Scoring cards lie before you until the end of the phase and cost no gems; "
            "most certificates pay 10."
        ),
    ),
    4: (
        Sentence(
            "Think one step further: the gem cards lie open, so the others see the same as you. What is best for all "
            "of them is blocked."
        ),
    ),
    5: (
        Sentence(
            "More than half of the phase is over. Now it counts of which colour you can have most, alone: one gem more "
            "than everybody else is worth all of its value."
        ),
    ),
    6: (
        Sentence(
            "Whoever does not act in a barter is paid, and the right gem can be worth more than the action: it may "
            "make a majority, or break one."
        ),
    ),
    7: (Sentence("The last round before the scoring: count what each action would change in it."),),
}
"""What is new in a round."""

ONE_RIVAL: Final = 0.6
"""What an action is worth that one other wants as well, beside having it alone."""


def lesson(view: Document, decision: Document, names: Sequence[str]) -> Lesson:
    """Which action to take in this round."""
    seat, options = decision["seat"], decision["options"]
    wanted = {other: prices.dearest(view, other, options) for other in range(view["seats"]) if other != seat}
    advised = max(options, key=lambda action: _prospect(view, seat, action, list(wanted.values())))
    return Lesson(
        title=Sentence("Choose an action"),
        introduction=INTRODUCTIONS[view["round"]],
        hints=[
            *(_wish(view, other, action, names) for other, action in wanted.items()),
            *_leads(view, seat),
        ],
        options=[Option(action, _label(action), _meaning(view, seat, action)) for action in options],
        heaps=(),
        advised=advised,
        advice=_advice(view, seat, advised, list(wanted.values()).count(advised)),
    )


def _prospect(view: Document, seat: int, action: str, wanted: Sequence[str]) -> float:
    rivals = wanted.count(action)
    return prices.of_action(view, seat, action) * (1, ONE_RIVAL)[rivals] if rivals < 2 else 0


def _label(action: str) -> Sentence:
    return Sentence("%(action)s", {"action": Term(ACTION_NAMES[action])})


def _wish(view: Document, other: int, action: str, names: Sequence[str]) -> Sentence:
    card = view["players"][other]["gem_card"]
    return Sentence(
        "%(name)s could have %(money)s millions or %(gems)s; %(action)s would be worth most to %(name)s.",
        {
            "name": names[other],
            "money": MONEY_ON_CARD[card],
            "gems": prices.drawn(GEMS_ON_CARD[card]),
            "action": Term(ACTION_NAMES[action]),
        },
    )


def _leads(view: Document, seat: int) -> list[Sentence]:
    """The colours in which the newcomer has gained and nobody has more."""
    own = view["players"][seat]["gems"]
    return [
        Sentence(
            "Of {%(colour)s} you have %(own)s, the others %(most)s at most.",
            {"colour": "RYGB"[at], "own": own[at], "most": cards.most_of_others(view, seat, at)},
        )
        for at in leading(view, seat)
    ]


def leading(view: Document, seat: int) -> list[int]:
    """The colours of which ``seat`` has more than at the start, and nobody has more."""
    own = view["players"][seat]["gems"]
    return [at for at in range(4) if own[at] > 3 and own[at] >= cards.most_of_others(view, seat, at)]


def _meaning(view: Document, seat: int, action: str) -> Sentence:
    card = view["players"][seat]["gem_card"]
    if action == "money":
        return Sentence("Your gem card shows %(money)s: so many millions, at once.", {"money": MONEY_ON_CARD[card]})
    if action == "gems":
        gems = GEMS_ON_CARD[card]
        return Sentence(
            "Your gem card shows %(gems)s: worth about %(worth)s at the scoring, if they make a majority.",
            {"gems": prices.drawn(gems), "worth": prices.millions(prices.price(gems))},
        )
    return cards.meaning(view["event"]["display"], view, seat)


def _advice(view: Document, seat: int, action: str, rivals: int) -> Sentence:
    said: dict[str, Value] = {
        "action": Term(ACTION_NAMES[action]),
        "worth": prices.millions(prices.of_action(view, seat, action)),
    }
    if not rivals:
        return Sentence("%(action)s: worth about %(worth)s, and nobody else seems to want it.", said)
    return Sentence(
        "%(action)s: worth about %(worth)s. One other seems to want it, too; then you barter, and whoever does not act "
        "is paid. Everything else is worth less or wanted by more.",
        said,
    )
