"""Sentences for events, which follow from the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from games.edel_stein_reich.cards import GEMS_ON_CARD, PHASES
from games.edel_stein_reich.story.results import tell_half, tell_phase
from games.edel_stein_reich.story.teller import Story
from games.edel_stein_reich.story.words import ACTION_NAMES, COLOUR_NAMES, event_card, gem_card, gems
from games.words import listing

Event = Mapping[str, Any]
_TOLD_BY_STEP: Final = ("barter", "counter_gift", "swap", "rob", "free_choice")
_SHORT: Final = "the supply has no more"


def tell_event(story: Story, event: Event, ply: int) -> None:
    """Add a sentence for one event, or extend the sentence of the step that caused it."""
    kind = event["type"]
    if kind == "deal" or (kind == "discarded" and event["seat"] is None):
        story.settle_gems()
    if kind in _CHAPTERS:
        _CHAPTERS[kind](story, event, ply)
    else:
        _EVENTS[kind](story, event)


def _phase(story: Story, event: Event, ply: int) -> None:
    story.table.phase = event["phase"]
    story.begin(_title(story, 1), ply)
    story.say(f"Phase {event['phase']} of {PHASES} begins")


def _title(story: Story, number: int) -> str:
    return f"Phase {story.table.phase}, {'turn' if story.duel else 'round'} {number}"


def _deal(story: Story, event: Event, ply: int) -> None:
    if event["round"] > 1:
        story.begin(_title(story, event["round"]), ply)
    if story.duel:
        seat = event["seat"]
        story.table.begin_round({seat: event["gem_card"]})
        story.table.active = seat
        story.say(f"{story.names[seat]} reveals a gem card: {gem_card(event['gem_card'])}")
    else:
        story.table.begin_round(dict(enumerate(event["gem_cards"])))
        cards = [f"{story.names[seat]} has {gem_card(card)}" for seat, card in enumerate(event["gem_cards"])]
        story.say(f"Gem cards: {'; '.join(cards)}")


def _scored(story: Story, event: Event, ply: int) -> None:
    if event["phase"] is None:
        tell_half(story, event["rows"][0])
    else:
        story.settle_gems()
        story.begin(f"Scoring of phase {event['phase']}", ply)
        tell_phase(story, event["rows"])


def _aside(story: Story, event: Event) -> None:
    story.say(f"{event['count']} gem cards are set aside; the top card shows {gem_card(event['top'])}")


def _supply_rule(story: Story, event: Event) -> None:
    returned = event["returned"]
    low = [name for colour, name in enumerate(COLOUR_NAMES.values()) if any(back[colour] for back in returned)]
    parts = []
    for kind in dict.fromkeys(gems(back) for back in returned if any(back)):
        seats = [seat for seat, back in enumerate(returned) if gems(back) == kind]
        parts.append(f"{story.named(seats)} {'return' if len(seats) > 1 else 'returns'} {kind}")
    story.say(f"The supply is low on {listing(low)}: {'; '.join(parts)}")
    for seat, back in enumerate(returned):
        story.table.move_gems(seat, "supply", back)


def _event_up(story: Story, event: Event) -> None:
    story.table.display = event["card"]
    story.say(f"The event card is {event_card(event['card'])}")


def _reshuffle(story: Story, event: Event) -> None:
    story.say(f"The event stack is used up; its {event['count']} discarded cards are shuffled to form a new stack")


def _cancelled(story: Story, event: Event) -> None:
    if event["action"] == "gems":
        story.table.owed_gems = None
    story.say(f"{story.named(event['seats'])} block each other: {ACTION_NAMES[event['action']]} is canceled")


def _money(story: Story, event: Event) -> None:
    story.act(event["seat"], f"takes {event['amount']} million")
    story.table.money[event["seat"]] += event["amount"]


def _void(story: Story, event: Event) -> None:
    story.table.end_barter()
    story.add(f"{ACTION_NAMES[event['action']]} is void")


def _gems_moved(story: Story, event: Event) -> None:
    table = story.table
    giver, receiver, moved, why = event["from"], event["to"], event["gems"], event["why"]
    table.move_gems(giver, receiver, moved)
    table.idle = False
    if why == "gems":
        table.owed_gems = None
        story.act(receiver, f"takes {gems(moved)}")
        card = next(iter(table.gem_cards.values())) if story.duel else table.gem_cards[receiver]
        if list(moved) != list(GEMS_ON_CARD[card]):
            story.add(_SHORT)
    elif why == "three":
        story.also(story.names[receiver], f"takes {gems(moved)}")
        if sum(moved) < 3:
            story.add(_SHORT)
    elif why == "adjust":
        seat, verb = (giver, "returns") if receiver == "supply" else (receiver, "takes")
        story.also(story.names[seat], f"{verb} {gems(moved)}")
    elif why == "halve_all":
        story.add(f"{story.names[giver]} returns {gems(moved)}")
    elif why not in _TOLD_BY_STEP:
        raise ValueError(f"unknown reason for moving gems: {why!r}")


def _drawn(story: Story, event: Event) -> None:
    story.table.immediate = event["card"]
    story.table.drew = True
    story.go_on(f": {event_card(event['card'])}")


def _kept(story: Story, event: Event) -> None:
    table = story.table
    table.cards[event["seat"]].append(event["card"])
    if table.drew:
        story.go_on(" (kept for the scoring)")
    table.immediate = None


def _discarded(story: Story, event: Event) -> None:
    table = story.table
    if event["seat"] is None:
        story.say(f"No one takes {event_card(event['card'])}; it is discarded")
        table.display = None
    elif table.refusing:
        table.refusing = False
        table.display = None
    else:
        if table.idle:
            story.add("nothing changes")
        table.idle = False
        table.immediate = None


def _missed(story: Story, _event: Event) -> None:
    story.go_on(", which is wrong")


def _caught(story: Story, _event: Event) -> None:
    if len(story.table.guesses) > 1:
        story.go_on(", which is right on the second guess")
    else:
        assert story.table.active is not None
        story.go_on(f", which is right on the first guess, so {story.names[story.table.active]} loses the action")


_CHAPTERS: Final[dict[str, Callable[[Story, Event, int], None]]] = {
    "phase": _phase,
    "deal": _deal,
    "scored": _scored,
}
_EVENTS: Final[dict[str, Callable[[Story, Event], None]]] = {
    "aside": _aside,
    "supply_rule": _supply_rule,
    "event_up": _event_up,
    "reshuffle": _reshuffle,
    "cancelled": _cancelled,
    "money": _money,
    "void": _void,
    "gems_moved": _gems_moved,
    "drawn": _drawn,
    "kept": _kept,
    "discarded": _discarded,
    "missed": _missed,
    "caught": _caught,
}
