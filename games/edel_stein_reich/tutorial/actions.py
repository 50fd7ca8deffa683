"""The lesson about choosing an action: the value of each action, and who else could want it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.edel_stein_reich.cards import GEMS_ON_CARD, MONEY_ON_CARD
from games.edel_stein_reich.story.words import ACTION_NAMES
from games.edel_stein_reich.tutorial import cards, prices
from games.rules import Document
from games.tutorial import Lesson, MoveOption, Sentence, Term, Value

INTRODUCTIONS: Final[dict[int, tuple[Sentence, ...]]] = {
    1: (
        Sentence(
            "All players choose an action in secret, then all choices are revealed. If you are alone on an action, you "
            "carry it out. Two players with the same action barter for it with gems. Three or more block each other."
        ),
        Sentence("Before you choose, consider what the action brings and how many other players want it."),
    ),
    2: (
        Sentence(
            "You keep money, but gems pay only at the end of the phase, and only the player with the most gems of a "
            "color is paid: {R} 14, {Y} 12, {G} 10, {B} 8. As a rule of thumb, one gem is worth about a quarter of "
            "that: 3½, 3, 2½, 2."
        ),
    ),
    3: (
        Sentence(
            "Cards can pay as much as gems. You keep scoring cards until the end of the phase, and they cost no gems. "
            "The player with the most certificates gets 10."
        ),
    ),
    4: (
        Sentence(
            "Think one step ahead: the gem cards are face up, so the other players see the same as you. An action that "
            "is best for all of them is blocked."
        ),
    ),
    5: (
        Sentence(
            "More than half of the phase is over. Decide in which color you can have the sole majority: one more gem "
            "than every other player earns the full value."
        ),
    ),
    6: (
        Sentence(
            "The player who does not act in a barter is paid. The right gem can be worth more than the action because "
            "it can make or break a majority."
        ),
    ),
    7: (Sentence("This is the last round before the scoring. Count what each action would change."),),
}
"""What is new in a round, by round."""

ONE_RIVAL: Final = 0.6
"""The value of an action that one other player also wants, as a share of its full value."""


def lesson(view: Document, decision: Document, names: Sequence[str]) -> Lesson:
    """Return the lesson about the action of this round."""
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
        options=[MoveOption(action, _label(action), _meaning(view, seat, action)) for action in options],
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
        "%(name)s can get %(money)s million or %(gems)s. %(action)s is worth the most to %(name)s.",
        {
            "name": names[other],
            "money": MONEY_ON_CARD[card],
            "gems": prices.drawn(GEMS_ON_CARD[card]),
            "action": Term(ACTION_NAMES[action]),
        },
    )


def _leads(view: Document, seat: int) -> list[Sentence]:
    """Return sentences about the colors in which the newcomer has gained and leads."""
    own = view["players"][seat]["gems"]
    return [
        Sentence(
            "You have %(own)s {%(colour)s}. The other players have at most %(most)s.",
            {"colour": "RYGB"[at], "own": own[at], "most": cards.most_of_others(view, seat, at)},
        )
        for at in leading(view, seat)
    ]


def leading(view: Document, seat: int) -> list[int]:
    """Return the colors of which ``seat`` has more than at the start, and no other seat has more."""
    own = view["players"][seat]["gems"]
    return [at for at in range(4) if own[at] > 3 and own[at] >= cards.most_of_others(view, seat, at)]


def _meaning(view: Document, seat: int, action: str) -> Sentence:
    card = view["players"][seat]["gem_card"]
    if action == "money":
        return Sentence("Your gem card gives you %(money)s million immediately.", {"money": MONEY_ON_CARD[card]})
    if action == "gems":
        gems = GEMS_ON_CARD[card]
        return Sentence(
            "Your gem card gives you %(gems)s, worth about %(worth)s at the scoring if they make a majority.",
            {"gems": prices.drawn(gems), "worth": prices.millions(prices.price(gems))},
        )
    return cards.meaning(view["event"]["display"], view, seat)


def _advice(view: Document, seat: int, action: str, rivals: int) -> Sentence:
    values: dict[str, Value] = {
        "action": Term(ACTION_NAMES[action]),
        "worth": prices.millions(prices.of_action(view, seat, action)),
    }
    if not rivals:
        return Sentence("%(action)s is worth about %(worth)s, and no other player seems to want it.", values)
    return Sentence(
        "%(action)s is worth about %(worth)s. One other player also seems to want it. In that case you barter, and the "
        "player who does not act is paid. All other actions are worth less or wanted by more players.",
        values,
    )
