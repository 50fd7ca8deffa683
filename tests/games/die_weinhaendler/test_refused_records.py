"""Records of Die Weinhändler that are not the game of their seed and their moves."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from games import strict
from games.record import RecordError, verify
from games.rules import Document
from tests.games.play import sample_records
from tests.games.refusals import first_step, refusal

SAMPLES = {name: record for name, record in sample_records().items() if record["game"] == "die-weinhaendler"}


def bid_of(step: Document) -> list[str]:
    """The cards that a step added to a bid."""
    adds = step.get("decision") == "bid" and step["move"] != "pass"
    return step["move"]["cards"] if adds else []


def test_the_cards_of_a_bid_stand_highest_first() -> None:
    record, ply = first_step(lambda step: len(set(bid_of(step))) > 1)
    record["steps"][ply]["move"]["cards"].reverse()
    assert refusal(record, ply).startswith("the rules produce ")


@pytest.mark.parametrize("cards", [[], ["Y5"], ["B16", 7], [True], "B16", None, ["empty"] * 9])
def test_a_bid_of_anything_but_cards_of_the_hand_is_refused(cards: Any) -> None:
    record, ply = first_step(lambda step: "G21" in bid_of(step))
    record["steps"][ply]["move"] = {"cards": cards}
    refusal(record, ply)


@pytest.mark.parametrize("cell", [[True, 0], [0, 0.0], [0], [0, 0, 0], "00", [-1, 0], [5, 0], [0, 9], None, {"x": 0}])
def test_an_unknown_or_unreachable_cell_is_refused(cell: Any) -> None:
    record, ply = first_step(lambda step: step.get("decision") == "lay" and step["move"] != "done")
    record["steps"][ply]["move"]["cell"] = cell
    refusal(record, ply)


def test_a_pass_of_a_seat_that_had_a_choice_is_not_forced_and_the_last_done_with_an_empty_hand_is() -> None:
    record, ply = first_step(lambda step: step.get("move") == "pass" and "forced" not in step)
    record["steps"][ply]["forced"] = True
    assert "marked as forced" in refusal(record, ply)
    record, ply = first_step(lambda step: step.get("move") == "done" and "forced" in step)
    del record["steps"][ply]["forced"]
    assert "'forced': True" in refusal(record, ply)


def test_a_record_that_ends_before_a_forced_move_is_refused_where_it_ends() -> None:
    record = deepcopy(next(record for record in SAMPLES.values() if "forced" in record["steps"][-1]))
    record["steps"].pop()
    refusal(record, len(record["steps"]))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_record_without_one_of_its_steps_is_refused_unless_that_only_laid_an_empty_bottle(name: str) -> None:
    for ply, step in enumerate(SAMPLES[name]["steps"]):
        record = deepcopy(SAMPLES[name])
        del record["steps"][ply]
        try:
            state = verify(record)
        except RecordError:
            continue
        assert step["move"]["card"] == "empty"
        assert strict.same(state.record, record)


@pytest.mark.parametrize("name", SAMPLES)
def test_an_outcome_that_is_not_the_rules_is_refused(name: str) -> None:
    for seat, score in enumerate(SAMPLES[name]["outcome"]["scores"]):
        for points in (score["points"] + 1, -score["points"], float(score["points"]), str(score["points"]), None):
            record = deepcopy(SAMPLES[name])
            record["outcome"]["scores"][seat]["points"] = points
            assert "the outcome is" in refusal(record, None)
