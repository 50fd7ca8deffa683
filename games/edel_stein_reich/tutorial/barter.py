"""The lessons about a barter: to open it, to answer an offer, and to give a gem if there is no offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.edel_stein_reich.cards import COLOURS
from games.edel_stein_reich.story.words import ACTION_NAMES
from games.edel_stein_reich.tutorial import prices
from games.edel_stein_reich.tutorial.actions import leading
from games.rules import Document
from games.tutorial import Heap, Lesson, MoveOption, Sentence, Term, Value

NOTHING: Final = (0, 0, 0, 0)
HIGHER: Final = Sentence(
    "An offer with more gems is higher, whatever the colors. With the same number of gems, the offer with more {R} is "
    "higher, then more {Y}, {G}, {B}. You can change your offer completely each time."
)


def opening(view: Document, decision: Document, names: Sequence[str], first: bool) -> Lesson:
    """Return the lesson about the first offer of a barter."""
    held = decision["holdings"]
    values = _values(view, decision, names)
    offer = _affordable(view, decision, NOTHING)
    worth_it = offer is not None and 2 * prices.price(offer) <= _brings(view, decision)
    introduction = (
        Sentence(
            "Two players want the same action, so you barter. The player with fewer {R} opens. Ties are broken by "
            "fewer {Y}, {G}, {B}, then by less money, then by age (the younger player). Here you open."
        ),
        Sentence("%(name)s can accept your gems and leave you the action, or make a higher offer.", values),
    )
    return Lesson(
        title=Sentence("Open the barter with %(name)s: %(action)s", values),
        introduction=introduction if first else (),
        hints=[Sentence("The action is worth about %(worth)s to you.", values), *_kept(view, decision)],
        options=[
            MoveOption(
                "decline",
                Sentence("Make no offer"),
                Sentence("%(name)s can then give you one gem of any color and act. Otherwise no one acts.", values),
            )
        ],
        heaps=_heaps(held, NOTHING),
        advised={"offer": offer} if worth_it else "decline",
        advice=_open_low(offer)
        if offer is not None and worth_it
        else Sentence("Make no offer. The action would cost too much."),
    )


def answering(view: Document, decision: Document, names: Sequence[str], first: bool) -> Lesson:
    """Return the lesson about accepting an offer or making a higher one."""
    standing = decision["standing"]
    values = {
        **_values(view, decision, names),
        "gems": prices.drawn(standing),
        "price": prices.millions(prices.price(standing)),
    }
    offer = _affordable(view, decision, standing)
    better = prices.gains(offer, _brings(view, decision), standing)
    return Lesson(
        title=Sentence("%(name)s offers %(gems)s for %(action)s", values),
        introduction=(
            Sentence("You and %(name)s want the same action. One of you acts, the other is paid.", values),
            HIGHER,
        )
        if first
        else (),
        hints=[*_lowest(decision), *_kept(view, decision)],
        options=[
            MoveOption(
                "accept",
                Sentence("Accept %(gems)s", values),
                Sentence("You get gems worth about %(price)s, and %(name)s acts.", values),
            )
        ],
        heaps=_heaps(decision["holdings"], standing),
        advised={"offer": offer} if better else "accept",
        advice=_raise(offer, values) if offer is not None and better else _take(values),
    )


def giving(view: Document, decision: Document, names: Sequence[str]) -> Lesson:
    """Return the lesson about giving one gem for the action if the other player offered none."""
    values = _values(view, decision, names)
    gift = (decision["colours"] or [None])[-1]
    return Lesson(
        title=Sentence("%(name)s makes no offer for %(action)s", values),
        introduction=(
            Sentence("You can give exactly one gem of any color to act. %(name)s must accept it.", values),
            Sentence("If you give no gem, no one acts."),
        ),
        hints=[Sentence("The action is worth about %(worth)s to you.", values)],
        options=[
            MoveOption("decline", Sentence("Give no gem"), Sentence("No one carries out the action.")),
            *(
                MoveOption(
                    {"gift": colour},
                    Sentence("Give 1 {%(colour)s}", {"colour": colour}),
                    Sentence(
                        "Worth about %(price)s.",
                        {"price": prices.millions(prices.GEM[COLOURS.index(colour)])},
                    ),
                )
                for colour in decision["colours"]
            ),
        ],
        heaps=(),
        advised={"gift": gift} if gift else "decline",
        advice=Sentence("Give the cheapest gem. One gem is a good price for an action.")
        if gift
        else Sentence("You have no gem to give."),
    )


def _values(view: Document, decision: Document, names: Sequence[str]) -> dict[str, Value]:
    other = decision["to"] if "to" in decision else decision["other"]
    return {
        "name": names[other],
        "action": Term(ACTION_NAMES[decision["action"]]),
        "worth": prices.millions(_brings(view, decision)),
    }


def _brings(view: Document, decision: Document) -> int:
    return prices.of_action(view, decision["seat"], decision["action"])


def _affordable(view: Document, decision: Document, standing: Sequence[int]) -> list[int] | None:
    """Return the cheapest higher offer without gems of the colors in which the newcomer leads."""
    kept = leading(view, decision["seat"])
    held = [0 if at in kept else count for at, count in enumerate(decision["holdings"])]
    return prices.lowest_offer(held, standing)


def _heaps(held: Sequence[int], standing: Sequence[int]) -> list[Heap]:
    return [Heap(*heap) for heap in zip(COLOURS, held, standing, strict=True)]


def _kept(view: Document, decision: Document) -> list[Sentence]:
    return [
        Sentence(
            "No player has more {%(colour)s} than you. Keep these gems: they can pay at the scoring.",
            {"colour": COLOURS[at]},
        )
        for at in leading(view, decision["seat"])
    ]


def _lowest(decision: Document) -> list[Sentence]:
    """Return hints about the lowest offers above the standing offer."""
    lowest = prices.lowest_offer(decision["holdings"], decision["standing"])
    if lowest is None:
        return [Sentence("You cannot make a higher offer, so you must accept.")]
    count = sum(decision["standing"])
    same = prices.lowest_alike(decision["holdings"], decision["standing"])
    if same is None:
        return [
            Sentence("Only an offer with more gems is higher: at least %(count)s of any color.", {"count": count + 1})
        ]
    return [
        Sentence(
            "With the same number of gems, %(same)s is the lowest higher offer. Any %(count)s gems are also higher.",
            {"same": prices.drawn(same), "count": count + 1},
        )
    ]


def _open_low(offer: Sequence[int]) -> Sentence:
    return Sentence("Start low with %(offer)s. You can raise your offer later.", {"offer": prices.drawn(offer)})


def _raise(offer: Sequence[int], values: dict[str, Value]) -> Sentence:
    return Sentence(
        "Offer %(offer)s. If %(name)s accepts, you get an action worth about %(worth)s for gems worth %(cost)s.",
        {**values, "offer": prices.drawn(offer), "cost": prices.millions(prices.price(offer))},
    )


def _take(values: dict[str, Value]) -> Sentence:
    return Sentence("Accept. A higher offer would cost more than you gain by acting instead of being paid.", values)
