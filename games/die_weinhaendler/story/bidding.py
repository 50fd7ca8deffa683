"""The sentences of the bidding and of the exchange that follows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.die_weinhaendler.story.rounds import first_round
from games.die_weinhaendler.story.telling import Story
from games.die_weinhaendler.story.words import bottles, euros, that_bottle

PASSING = ("passes", "pass")
NO_CARD = "without a bid, and the stack has no card for it"
WITHOUT_A_CARD = (f"passes {NO_CARD}", f"pass {NO_CARD}")


def tell_bid(story: Story, step: Mapping[str, Any]) -> None:
    """Bottles are added to a bid, or a seat passes."""
    first_round(story)
    seat, move = step["seat"], step["move"]
    remark = story.remark(step)
    if move != "pass":
        _add(story, seat, move["cards"])
        story.go_on(remark)
    elif story.table.bids[seat]:
        story.say_of(seat, PASSING, remark)
    elif story.table.stack:
        story.say(f"{story.names[seat]} passes without a bid{remark}")
    else:
        story.say_of(seat, WITHOUT_A_CARD, remark)


def _add(story: Story, seat: int, cards: Sequence[str]) -> None:
    """Where the new total stands decides what it may bring, so the sentence says it."""
    table, name = story.table, story.names[seat]
    first, led = not table.bids[seat], not table.above(seat)
    table.bids[seat] += cards
    above, below, total = table.above(seat), table.below(seat), euros(table.total(seat))
    if first and not above and not below:
        story.say(f"{name} opens with {total}: {bottles(cards)}")
    elif first and above:
        story.say(f"{name} underbids {story.names[above[0]]} with {total}: {bottles(cards)}")
    elif first:
        story.say(f"{name} outbids {story.names[below[0]]} with {total}: {bottles(cards)}")
    elif above:
        story.say(f"{name} adds {bottles(cards)}: {total}, below {story.names[above[0]]}")
    elif led or not below:
        story.say(f"{name} adds {bottles(cards)}: {total}")
    else:
        story.say(f"{name} adds {bottles(cards)} and outbids {story.names[below[0]]}: {total}")


def tell_draw(story: Story, event: Mapping[str, Any]) -> None:
    """What a pass without a bid brings; the sentence of the pass goes on."""
    shown, kept, below = event["shown"], event["kept"], event["to_bottom"]
    story.table.stack -= 1
    if below is None:
        story.go_on(f" and keeps the last card of the stack, {bottles([kept])}")
    elif below == kept:
        story.go_on(f", turns up {bottles(shown)} and keeps one; the other goes under the stack")
    else:
        told = f", turns up {bottles(shown)} and keeps {that_bottle(kept)}; {that_bottle(below)} goes under the stack"
        story.go_on(told)


def tell_exchange(story: Story, event: Mapping[str, Any]) -> None:
    """Everybody with a bid takes what lies one place higher."""
    table, moves = story.table, event["moves"]
    table.exchanged = True
    highest, lowest = moves[0], moves[-1]
    name, bid = story.names[highest["to"]], euros(table.total(highest["to"]))
    why = f"has bid most, {bid}, and" if len(moves) > 2 else f"is alone with a bid, {bid}, and"
    story.say(f"{name} {why} takes the display: {bottles(highest['cards'])}")
    for move in moves[1:-1]:
        story.say(f"{story.names[move['to']]} takes {bottles(move['cards'])} from {story.names[move['from']]}")
    story.say(f"The bid of {story.names[lowest['from']]} becomes the display: {bottles(lowest['cards'])}")
    table.display = list(lowest["cards"])
