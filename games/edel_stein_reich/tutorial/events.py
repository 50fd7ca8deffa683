"""The lessons about event cards: the open card or the top of the stack, and how to use an immediate card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.edel_stein_reich.cards import COLOURS, EVENT_CARDS
from games.edel_stein_reich.tutorial import cards, opponents, prices
from games.rules import Document
from games.tutorial import Lesson, MoveOption, Sentence

ALL: Final = len(EVENT_CARDS)
CERTIFICATES: Final = EVENT_CARDS.count("cert")


def choosing(view: Document, decision: Document, first: bool) -> Lesson:
    """Return the lesson about the card on display and the top of the stack."""
    seat, display = decision["seat"], decision["display"]
    good = prices.of_event(display, view["players"][seat]["gems"]) >= prices.UNSEEN
    values = {"card": cards.name(display)}
    blind = Sentence(
        "This card is unknown. %(certificates)s of the %(all)s event cards are certificates. The face-up card is "
        "discarded.",
        {"all": ALL, "certificates": CERTIFICATES},
    )
    introduction = Sentence(
        "You take an event card. Scoring cards are kept and pay at the scoring. Other cards take effect immediately."
    )
    return Lesson(
        title=Sentence("Take an event card"),
        introduction=(introduction,) if first else (),
        hints=(),
        options=[
            MoveOption("face_up", Sentence('Take "%(card)s"', values), cards.meaning(display, view, seat)),
            MoveOption("blind", Sentence("Draw from the stack"), blind),
        ],
        heaps=(),
        advised="face_up" if good else "blind",
        advice=Sentence('Take "%(card)s". It is worth more than most cards.', values)
        if good
        else Sentence("Draw from the stack. Most cards are worth more to you than the face-up card."),
    )


def using(view: Document, decision: Document, legal: Sequence[object]) -> Lesson:
    """Return the lesson about an immediate card."""
    card, seat = decision["card"], decision["seat"]
    values = {"card": cards.name(card)}
    own = view["players"][seat]["gems"]
    options = [MoveOption("decline", Sentence("Decline card"), Sentence("The card is discarded."))]
    if "apply" in legal:
        options.append(MoveOption("apply", Sentence("Use card"), cards.meaning(card, view, seat)))
    options += [_of_colour(view, seat, at, own[at]) for at in range(4) if {"colour": COLOURS[at]} in legal]
    return Lesson(
        title=Sentence('Use "%(card)s"', values),
        introduction=(cards.meaning(card, view, seat),),
        hints=(),
        options=options,
        heaps=(),
        advised=opponents.choose(decision, view),
        advice=Sentence("Consider the scoring. A gem is worth the most if it gives you a sole majority."),
    )


def _of_colour(view: Document, seat: int, at: int, own: int) -> MoveOption:
    return MoveOption(
        {"colour": COLOURS[at]},
        Sentence("{%(colour)s}", {"colour": COLOURS[at]}),
        Sentence(
            "You have %(own)s, the other players have at most %(most)s, and the supply has %(supply)s.",
            {"own": own, "most": cards.most_of_others(view, seat, at), "supply": view["supply"][at]},
        ),
    )
