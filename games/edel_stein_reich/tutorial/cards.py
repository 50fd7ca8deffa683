"""The value of each event card for the newcomer, in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from games.edel_stein_reich.cards import CERTIFICATE_VALUES, COLOURS, HALF_VALUES, SOLE_ANY_BONUS, SOLE_BONUS
from games.edel_stein_reich.story.words import EVENT_NAMES
from games.edel_stein_reich.tutorial import prices
from games.rules import Document
from games.tutorial import Sentence, Term


def name(card: str) -> Term:
    """Return the name of an event card."""
    return Term(EVENT_NAMES[card])


def most_of_others(view: Document, seat: int, colour: int) -> int:
    """Return the maximum number of gems of a color that another seat has."""
    counts: list[int] = [player["gems"][colour] for other, player in enumerate(view["players"]) if other != seat]
    return max(counts)


def meaning(card: str, view: Document, seat: int) -> Sentence:
    """Return what ``card`` would bring ``seat`` in this position."""
    kind, _, colours = card.partition(":")
    return _MEANINGS[kind](card, colours, view, seat)


def _sole(card: str, colour: str, view: Document, seat: int) -> Sentence:
    at = COLOURS.index(colour)
    own, most = view["players"][seat]["gems"][at], most_of_others(view, seat, at)
    return Sentence(
        '"%(card)s" pays %(bonus)s more at the scoring if you alone have the most {%(colour)s}. You have %(own)s, the '
        "other players have at most %(most)s.",
        {"card": name(card), "bonus": SOLE_BONUS[at], "colour": colour, "own": own, "most": most},
    )


def _sole_any(card: str, _colour: str, view: Document, seat: int) -> Sentence:
    alone = sum(view["players"][seat]["gems"][at] > most_of_others(view, seat, at) for at in range(4))
    return Sentence(
        '"%(card)s" pays %(bonus)s more at the scoring for each color in which you alone have the most gems. Current '
        "number of these colors: %(count)s.",
        {"card": name(card), "bonus": SOLE_ANY_BONUS, "count": alone},
    )


def _per(card: str, colour: str, view: Document, seat: int) -> Sentence:
    own = view["players"][seat]["gems"][COLOURS.index(colour)]
    return Sentence(
        '"%(card)s" pays 1 at the scoring for each {%(colour)s} that you have, even without a majority. You have '
        "%(own)s.",
        {"card": name(card), "colour": colour, "own": own},
    )


def _certificate(card: str, _colour: str, view: Document, seat: int) -> Sentence:
    counts = [player["cards"].count("cert") for player in view["players"]]
    first, second = CERTIFICATE_VALUES
    own = counts.pop(seat)
    return Sentence(
        '"%(card)s": at the scoring, the most certificates pay %(first)s and the second most pay %(second)s. You have '
        "%(own)s, the other players have at most %(most)s.",
        {"card": name(card), "first": first, "second": second, "own": own, "most": max(counts)},
    )


def _three(card: str, _colour: str, _view: Document, _seat: int) -> Sentence:
    return Sentence(
        '"%(card)s" gives you three gems of a color of your choice. Three {R} are worth about %(worth)s.',
        {"card": name(card), "worth": prices.millions(prices.THREE)},
    )


def _half(card: str, _colour: str, _view: Document, _seat: int) -> Sentence:
    return Sentence(
        '"%(card)s": a color of your choice is scored immediately at half its value: {R} %(red)s, {Y} %(yellow)s, '
        "{G} %(green)s, {B} %(blue)s. The player with the most gems is paid and returns gems.",
        {"card": name(card), **dict(zip(("red", "yellow", "green", "blue"), HALF_VALUES, strict=True))},
    )


def _adjust(card: str, colours: str, view: Document, seat: int) -> Sentence:
    own = view["players"][seat]["gems"]
    first, second = colours[0], colours[1]
    return Sentence(
        '"%(card)s": you get exactly four gems of both colors. You have %(one)s {%(first)s} and %(two)s {%(second)s} '
        "now.",
        {
            "card": name(card),
            "first": first,
            "second": second,
            "one": own[COLOURS.index(first)],
            "two": own[COLOURS.index(second)],
        },
    )


_MEANINGS: Final[dict[str, Callable[[str, str, Document, int], Sentence]]] = {
    "sole": _sole,
    "sole_any": _sole_any,
    "per": _per,
    "cert": _certificate,
    "three": _three,
    "half": _half,
    "adjust": _adjust,
}
