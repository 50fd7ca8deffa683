"""The actions of Edel, Stein & Reich against what the rules allow, also for holdings that no game has reached yet."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from games.edel_stein_reich.cards import Gems
from games.edel_stein_reich.offers import above, key
from games.registry import GAMES
from games.rules import Document
from tests.games.test_encoding import sequences

ENCODING = GAMES["edel-stein-reich"].encoding(5)

gems = st.tuples(*[st.integers(0, 4)] * 4)
colours = st.lists(st.sampled_from("RYGB"), min_size=1, max_size=4, unique=True).map(
    lambda held: sorted(held, key="RYGB".index)
)


def moves_of(decision: Document) -> list[Any]:
    """Every move that the actions can compose; each survives there and back."""
    encoded = list(sequences(ENCODING, decision))
    moves = [ENCODING.move(decision, sequence) for sequence in encoded]
    assert [ENCODING.sequence(decision, move) for move in moves] == encoded
    return moves


@settings(max_examples=200, deadline=None)
@given(gems, gems)
def test_an_answer_goes_colour_by_colour_to_every_higher_offer(holdings: Gems, standing: Gems) -> None:
    decision = {"kind": "answer_offer", "seat": 1, "holdings": [*holdings], "standing": [*standing]}
    decision.update(offers_made=3, offers_limit=200)
    word, *offers = moves_of(decision)
    assert word == "accept"
    assert sorted(offer["offer"] for offer in offers) == sorted(map(list, above(holdings, key(standing))))


def test_after_the_last_offer_there_is_nothing_but_to_accept() -> None:
    decision = {"kind": "answer_offer", "seat": 1, "holdings": [9, 9, 9, 9], "standing": [0, 0, 0, 1]}
    decision.update(offers_made=200, offers_limit=200)
    assert moves_of(decision) == ["accept"]


def test_twenty_two_gems_of_every_colour_can_be_offered() -> None:
    decision = {"kind": "open_barter", "seat": 1, "holdings": [22] * 4}
    assert ENCODING.move(decision, ENCODING.sequence(decision, {"offer": [22] * 4})) == {"offer": [22] * 4}
    counted = [action for action in ENCODING.actions if action.startswith("offer ")]
    assert len(counted) == 4 * 23


@settings(max_examples=100, deadline=None)
@given(colours, gems)
def test_free_choice_alone_takes_what_the_supply_has_after_the_return(give: list[str], supply: list[int]) -> None:
    count = min(2, sum(supply) + 1)
    decision = {
        "kind": "free_choice",
        "seat": 3,
        "alone": True,
        "give": give,
        "take": {"count": count, "supply": supply},
    }
    expected = []
    for given_back in give:
        left = [have + (colour == given_back) for colour, have in zip("RYGB", supply, strict=True)]
        expected += [
            {"give": given_back, "take": list(taken)}
            for taken in combinations_with_replacement("RYGB", count)
            if all(taken.count(colour) <= have for colour, have in zip("RYGB", left, strict=True))
        ]
    assert moves_of(decision) == ["decline", *expected]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 4), st.dictionaries(st.integers(0, 4), colours, min_size=1), colours)
def test_a_swap_and_a_robbery_reach_every_opponent(seat: int, held: dict[int, list[str]], give: list[str]) -> None:
    held.pop(seat, None)
    take = {str(other): held[other] for other in sorted(held)}
    decision: Document = {"kind": "immediate", "seat": seat, "card": "swap", "give": give, "take": take}
    swaps = moves_of(decision)
    assert swaps[0] == "decline"
    assert len(swaps) == 1 + len(give) * sum(map(len, held.values()))
    if take:
        robberies = moves_of({"kind": "immediate", "seat": seat, "card": "rob", "take": take})
        ways = 1
        for colours_held in held.values():
            ways *= len(colours_held)
        assert len(robberies) == 1 + ways
        assert all([*robbery["take"]] == [*take] for robbery in robberies[1:])


def test_opponents_are_counted_clockwise_from_the_seat_that_is_asked() -> None:
    decision: Document = {
        "kind": "immediate",
        "seat": 3,
        "card": "swap",
        "give": ["R"],
        "take": {"0": ["B"], "4": ["G"]},
    }
    encoded = [[ENCODING.actions[action] for action in way] for way in sequences(ENCODING, decision)]
    assert encoded == [["decline"], ["give R", "take G of 1"], ["give R", "take B of 2"]]


def test_an_observation_shows_how_far_each_seat_is_ahead_in_each_colour() -> None:
    view = GAMES["edel-stein-reich"].new(5, bytes(32)).view(3)
    held = [[3, 0, 5, 2], [3, 1, 0, 2], [0, 4, 0, 2], [22, 0, 0, 2], [1, 0, 2, 2]]
    for player, own in zip(view["players"], held, strict=True):
        player["gems"] = own
    sections = [section.name for section in ENCODING.sections]
    start = sum(section.size for section in ENCODING.sections[: sections.index("leads")])
    leads = [round(44 * number - 22) for number in ENCODING.observation(view, None)[start : start + 20]]
    assert leads == [19, -4, -5, 0, -21, -4, -3, 0, -19, -4, 3, 0, -19, -3, -5, 0, -22, 3, -5, 0]
