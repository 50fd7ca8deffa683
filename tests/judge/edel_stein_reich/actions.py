"""The actions and the event cards (`rules.md` 2.4, 2.8; "Events" and "Free Choice" in `record.md`)."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

from tests.judge.table import Ask, Procedure

from . import cards
from .barter import barter
from .immediate import immediate
from .table import Table, colours_of, one_gem


def resolve(table: Table, action: str, choosers: list[int]) -> Procedure:
    """One action of a round with 3 to 5 players (`rules.md` 2.3, 4)."""
    if action == "free_choice":
        yield from free_choice(table, choosers)
    elif len(choosers) > 2:
        table.tell("cancelled", action=action, seats=choosers)
    elif choosers:
        actor: int | None = choosers[0]
        if len(choosers) == 2:
            actor = yield from barter(table, action, choosers)
        if actor is not None:
            yield from act(table, actor, action, table.gem_cards[actor])


def act(table: Table, seat: int, action: str, gem_card: str | None) -> Procedure:
    """Money, Event or Gems, carried out by `seat`."""
    assert gem_card is not None
    if action == "money":
        amount = cards.money_on(gem_card)
        table.money[seat] += amount
        table.tell("money", seat=seat, amount=amount)
    elif action == "gems":
        gems = [min(wanted, there) for wanted, there in zip(cards.gems_on(gem_card), table.supply, strict=True)]
        table.move_gems("supply", seat, gems, "gems")
    else:
        yield from take_event(table, seat)


def take_event(table: Table, seat: int) -> Procedure:
    (move,) = yield [Ask(seat, "event_card", ["face_up", "blind"], {"display": table.display})]
    refused = table.display
    assert refused is not None
    if move == "face_up":
        card, table.display = refused, None
    else:
        card = yield from draw_event(table)
        table.tell("drawn", seat=seat, card=card)
        table.tell("discarded", seat=seat, card=refused)
        table.event_discards.append(refused)
        table.display = None
    if cards.is_held(card):
        table.held[seat].append(card)
        table.tell("kept", seat=seat, card=card)
    else:
        yield from immediate(table, seat, card)
        table.tell("discarded", seat=seat, card=card)
        table.event_discards.append(card)


def draw_event(table: Table) -> Procedure:
    """The top of the event stack, after a reshuffle of the discards if it is empty (`rules.md` 2.8)."""
    if not table.event_stack:
        discards = sorted(table.event_discards, key=cards.EVENT_CARDS.index)
        table.event_discards = []
        table.event_stack = yield from table.shuffle("event_deck", "cards", discards)
        table.tell("reshuffle", count=len(discards))
    return table.event_stack.pop(0)


def free_choice(table: Table, choosers: list[int]) -> Procedure:
    """Alone: one gem back for two. Among several: one each, in an order fixed before the first pick (A21 to A24)."""
    order = table.poorest_first(choosers)
    for place, seat in enumerate(order):
        table.picks = {"order": order, "next": place}
        alone = len(order) == 1
        legal = [*exchanges(table.gems[seat], table.supply)] if alone else picks(table.supply)
        (move,) = yield [Ask(seat, "free_choice", ["decline", *legal], bounds(table, seat, alone))]
        if move != "decline":
            if alone:
                table.move_gems(seat, "supply", one_gem(move["give"]), "free_choice")
            table.move_gems("supply", seat, [move["take"].count(colour) for colour in cards.COLOURS], "free_choice")
    table.picks = None


def bounds(table: Table, seat: int, alone: bool) -> dict[str, Any]:
    count = min(2, sum(table.supply) + 1) if alone else 1
    return {
        "alone": alone,
        "give": colours_of(table.gems[seat]) if alone else [],
        "take": {"count": count, "supply": list(table.supply)},
    }


def picks(supply: list[int]) -> list[dict[str, Any]]:
    return [{"take": [colour]} for colour in colours_of(supply)]


def exchanges(own: list[int], supply: list[int]) -> list[dict[str, Any]]:
    """One own gem back, then any two (or what there is) from the supply after that."""
    moves = []
    for give in colours_of(own):
        after = [there + back for there, back in zip(supply, one_gem(give), strict=True)]
        for take in combinations_with_replacement(cards.COLOURS, min(2, sum(after))):
            if all(take.count(colour) <= there for colour, there in zip(cards.COLOURS, after, strict=True)):
                moves.append({"give": give, "take": list(take)})  # noqa: PERF401 - two conditions read better so
    return moves
