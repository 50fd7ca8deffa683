"""What the judge must find in a record of Die Weinhändler, and what its documents must hold."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests import judge
from tests.judge import shuffling
from tests.judge.die_weinhaendler import cards
from tests.judge.samples import Record, of_game

RECORDS = of_game("die-weinhaendler")
every_record = pytest.mark.parametrize("record", RECORDS)
Moves = Iterator[tuple[int, Any]]


def moves(record: Record, kind: str, word: str) -> Moves:
    """The plies and moves of a kind of decision, those that are only the word left out."""
    for ply, step in enumerate(record["steps"]):
        if step.get("decision") == kind and step["move"] != word:
            yield ply, step["move"]


def altered_move(record: Record, ply: int, move: Any) -> str:
    """The first fault that the judge finds with another move at `ply`."""
    changed = copy.deepcopy(record)
    changed["steps"][ply]["move"] = move
    faults = judge.check(changed)
    assert faults
    return faults[0]


def test_the_published_vector_of_the_zero_seed_is_met() -> None:
    deck = shuffling.shuffled(shuffling.words(bytes(32), "deck", 0), cards.deck(4))
    assert deck[:5] == ["P18", "R13", "G7", "R6", "S24"]


@pytest.mark.parametrize(("seats", "size"), [(3, 48), (4, 57), (5, 66)])
def test_a_deck_has_three_copies_of_every_value_and_the_mean_of_the_rules(seats: int, size: int) -> None:
    deck = cards.deck(seats)
    assert len(deck) == size
    assert set(Counter(deck).values()) == {3}
    full = [cards.value(card) for card in deck if card != "empty"]
    assert sum(full) == 150 * len(full)
    assert [cards.stars(card) for card in ("Y5", "Y12", "P25", "G14", "empty")] == [1, 2, 3, 2, 0]


@every_record
def test_a_bid_with_a_card_that_is_not_in_the_hand_or_not_highest_first_is_found(record: Record) -> None:
    for ply, move in moves(record, "bid", "pass"):
        for wrong in ([], [*move["cards"], *["empty"] * 4], "pass", ["Y6"], move["cards"][0]):
            assert altered_move(record, ply, {"cards": wrong}).startswith(f"step {ply}: bid")
        if move["cards"][::-1] != move["cards"]:
            assert "not canonical" in altered_move(record, ply, {"cards": move["cards"][::-1]})


def test_a_bid_of_cards_that_another_seats_bid_equals_is_found() -> None:
    tried = 0
    for record in RECORDS:
        for point in judge.decisions(record):
            if point.document["kind"] == "bid":
                lying = point.document["total"] or 0
                for card in set(point.document["hand"]):
                    if lying + cards.value(card) in point.document["taken"]:
                        tried += 1
                        assert "not legal" in altered_move(record, point.ply, {"cards": [card]})
    assert tried


@pytest.mark.parametrize(
    "cell", [[True, 0], [0, 0.0], [0], [0, 0, 0], "00", [-1, 0], [5, 0], [0, 9], [4, 0], None, {"level": 0, "x": 0}]
)
def test_an_unknown_or_unreachable_cell_is_a_fault(cell: Any) -> None:
    record = RECORDS[0]
    for ply, move in moves(record, "lay", "done"):
        assert altered_move(record, ply, {**move, "cell": cell}).startswith(f"step {ply}: lay")


@pytest.mark.parametrize("record", RECORDS[4::5])
def test_done_with_more_than_six_cards_is_found(record: Record) -> None:
    held = [point for point in judge.decisions(record) if point.document.get("must_lay")]
    assert held
    for point in held:
        assert len(point.document["hand"]) == 6 + point.document["must_lay"]
        assert "not legal" in altered_move(record, point.ply, "done")


@every_record
def test_every_card_is_on_the_table_in_a_hand_or_in_the_stack_exactly_once(record: Record) -> None:
    deck = Counter(record["steps"][1]["cards"])
    for point in judge.walked(record, points=True).points:
        view = point.view(None)
        hands = [card for seat in range(record["seats"]) for card in point.view(seat)["you"]["hand"]]
        assert len(hands) == sum(player["hand"] for player in view["players"])
        open_cards = [*view["display"], *(card for player in view["players"] for card in player["bid"])]
        laid = [cell for player in view["players"] for cellar in player["cellars"] for cell in cellar]
        open_cards += [cell[key] for cell in laid for key in ("card", "under") if cell[key]]
        seen = Counter([*hands, *open_cards])
        assert seen <= deck
        assert (deck - seen).total() == view["stack"]
        assert Counter(view["stack_bottom"]) <= deck - seen


@every_record
def test_what_is_known_of_a_hand_is_in_it_and_hands_show_to_their_own_seats_only(record: Record) -> None:
    for point in judge.decisions(record):
        views = {seat: point.view(seat) for seat in (None, *range(record["seats"]))}
        for seat in range(record["seats"]):
            own = views[seat]["you"]["hand"]
            assert Counter(views[None]["players"][seat]["known"]) <= Counter(own)
            assert {**views[seat], "seat": None, "you": None} == views[None]


@every_record
def test_only_the_hand_dealt_stands_in_one_log_alone(record: Record) -> None:
    spectators = judge.logs(record, None)
    for seat in range(record["seats"]):
        bare = [
            {**entry, "step": {key: value for key, value in entry["step"].items() if key not in ("forced", "default")}}
            if "step" in entry
            else entry
            for entry in judge.logs(record, seat)
        ]
        assert [entry for entry in bare if entry not in spectators] == [bare[1]]
        assert bare[1]["ply"] == 2
        assert bare[1]["event"]["type"] == "hand"
        assert len(bare[1]["event"]["cards"]) == 5
        assert bare[2] == spectators[1]
        assert bare[2]["event"]["type"] == "refill"


@every_record
def test_points_of_the_log_add_up_to_the_outcome(record: Record) -> None:
    points = [0] * record["seats"]
    for entry in judge.logs(record, None):
        event = entry.get("event", {})
        if event.get("type") == "laid":
            points[event["seat"]] += event["points"]
    assert [{"points": own} for own in points] == [{"points": s["points"]} for s in record["outcome"]["scores"]]
