"""The actions of Die Weinhändler against every set of cards, also for hands that no game has dealt yet."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from games.die_weinhaendler.cards import CODES, EMPTIES, NUMBERS, TENTHS
from games.die_weinhaendler.encoding.moves import CARD, PLACES
from games.die_weinhaendler.grid import place_of
from games.learning import Encoding
from games.registry import GAMES
from games.rules import Document
from tests.games.test_encoding import sequences

ENCODING: Encoding = GAMES["die-weinhaendler"].encoding(5)

cheap = st.sampled_from(["empty", "empty", "Y5", "Y5", "R6", "G7", "Y12", "R13", "S10"])
"""Few different bottles, so that many sets of them are worth the same."""


def value(cards: list[str]) -> int:
    return sum(TENTHS[NUMBERS[code]] for code in cards)


def subsets(hand: list[str]) -> set[tuple[str, ...]]:
    """Every set of cards out of ``hand`` but none at all, highest first, equal ones once."""
    highest_first = sorted(hand, key=NUMBERS.__getitem__, reverse=True)
    ways = product([False, True], repeat=len(hand))
    return {tuple(card for card, taken in zip(highest_first, way, strict=True) if taken) for way in ways} - {()}


def names(encoding: Encoding, sequence: tuple[int, ...]) -> list[str]:
    return [encoding.actions[action] for action in sequence]


@settings(max_examples=200, deadline=None)
@given(st.lists(cheap, min_size=1, max_size=8), st.data())
def test_bids_are_composed_card_by_card_for_every_free_total(hand: list[str], data: st.DataObject) -> None:
    bid = data.draw(st.lists(cheap, max_size=2))
    totals = sorted({value(bid) + value(list(cards)) for cards in subsets(hand)})
    taken = sorted(data.draw(st.sets(st.sampled_from(totals), max_size=4)))
    decision: Document = {"kind": "bid", "seat": 0, "hand": hand, "bid": bid, "taken": taken}
    decision["total"] = value(bid) if bid else None
    legal = {cards for cards in subsets(hand) if value(bid) + value(list(cards)) not in taken}
    encoded = list(sequences(ENCODING, decision))
    moves: list[Any] = [ENCODING.move(decision, sequence) for sequence in encoded]
    assert moves[0] == "pass"
    assert sorted(tuple(move["cards"]) for move in moves[1:]) == sorted(legal)
    assert all(ENCODING.sequence(decision, move) == way for move, way in zip(moves, encoded, strict=True))


def test_a_hand_of_the_whole_deck_is_bid_without_listing_its_sets() -> None:
    hand = [code for code in CODES if code != "empty" for _ in range(3)] + ["empty"] * EMPTIES
    decision: Document = {"kind": "bid", "seat": 0, "hand": hand, "bid": [], "total": None, "taken": [2, 4, 50, 60]}
    chosen: tuple[int, ...] = ()
    for code in sorted(hand, key=NUMBERS.__getitem__, reverse=True):
        options = ENCODING.options(decision, chosen)
        assert ENCODING.actions.index(code) in options
        chosen = (*chosen, ENCODING.actions.index(code))
    assert names(ENCODING, tuple(ENCODING.options(decision, chosen))) == ["stop"]


def test_a_bid_does_not_begin_with_a_card_that_leads_nowhere() -> None:
    decision: Document = {"kind": "bid", "seat": 0, "hand": ["G7", "empty"], "bid": [], "total": None, "taken": [2, 72]}
    assert names(ENCODING, tuple(ENCODING.options(decision, ()))) == ["pass", "G7"]
    decision["taken"] = [2, 70]
    assert names(ENCODING, tuple(ENCODING.options(decision, ()))) == ["pass", "G7"]
    assert names(ENCODING, tuple(ENCODING.options(decision, (ENCODING.actions.index("G7"),)))) == ["empty"]


def test_every_cell_of_a_cellar_has_its_action() -> None:
    cells = [[level, x] for level in range(5) for x in range(-4, 5 - level)]
    assert [[*place] for place in PLACES] == cells
    assert set(map(str, cells)) < set(ENCODING.actions)


def test_an_empty_bottle_is_laid_where_any_bottle_goes_and_done_only_where_it_is_legal() -> None:
    cells = [{"cell": [0, -1], "cards": "any"}, {"cell": [0, 0], "cards": "full"}]
    decision: Document = {"kind": "lay", "seat": 0, "hand": ["B9", "empty"], "must_lay": 0, "cells": cells}
    encoded = [names(ENCODING, sequence) for sequence in sequences(ENCODING, decision)]
    assert encoded == [["done"], ["empty", "[0, -1]"], ["B9", "[0, -1]"], ["B9", "[0, 0]"]]
    decision.update(must_lay=1, cells=cells[1:])
    assert [names(ENCODING, sequence) for sequence in sequences(ENCODING, decision)] == [["B9", "[0, 0]"]]


def numbers_of(name: str, observation: list[float]) -> list[float]:
    """The numbers of the section ``name``."""
    start = 0
    for section in ENCODING.sections:
        if section.name == name:
            return observation[start : start + section.size]
        start += section.size
    raise LookupError(name)


def test_an_observation_shows_what_each_bottle_would_bring_for_trios() -> None:
    random = Random(1)
    seen = 0
    for number in range(6):
        state: Any = GAMES["die-weinhaendler"].new(5, bytes([number]) * 32)
        while state.pending:
            seat = state.pending[0]
            decision, view = state.decision(seat), state.view(seat)
            best = numbers_of("trios", ENCODING.observation(view, decision))
            for place in range(5):
                cellar = state.open_cellar((seat + place) % 5)
                expected = [
                    max((cellar.bonus(card, cell) for cell in cellar.cells_for(card)), default=0)
                    for card in range(len(CODES))
                ]
                assert best[place * len(CODES) : (place + 1) * len(CODES)] == [points / 4 for points in expected]
                seen += any(expected)
            for action in ENCODING.options(decision, ()) if decision["kind"] == "lay" else ():
                cells = numbers_of("trios of chosen", ENCODING.observation(view, decision, (action,)))
                card, cellar = action - CARD, state.open_cellar(seat)
                allowed = cellar.cells_for(card) if card >= 0 else ()
                bonuses = {tuple(place_of(cell)): cellar.bonus(card, cell) / 4 for cell in allowed}
                assert (
                    dict(zip(map(tuple, PLACES), cells, strict=True)) == dict.fromkeys(map(tuple, PLACES), 0) | bonuses
                )
            state.play(seat, state.random_move(seat, random))
    assert seen > 100
