"""What has not the shape of a record is refused before anything is played, and nothing is guessed."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from games.record import RecordError, from_json, to_json
from games.rules import Document
from tests.games.refusals import SAMPLES, first_step, found_move, refusal


@pytest.mark.parametrize(
    "change",
    [
        {"format": "game-record/2"},
        {"rules": "2"},
        {"rules": 1},
        {"format": "game-log/1", "rules": "1.1"},
        {"game": "basari"},
        {"game": None},
    ],
)
def test_an_unknown_format_rules_or_game_is_refused_naming_them(change: Document) -> None:
    record = {**SAMPLES[0], **change}
    sentence = refusal(record, None)
    for key in ("format", "rules", "game"):
        assert repr(record[key]) in sentence


@pytest.mark.parametrize(
    "change",
    [
        {"seats": 2},
        {"seats": 3.0},
        {"seats": True},
        {"seed": "ab" * 31},
        {"seed": "AB" * 32},
        {"commitment": 7},
        {"steps": {}},
        {"players": ["a", "b", "c"]},
    ],
)
def test_a_record_of_another_shape_is_refused(change: Document) -> None:
    refusal({**SAMPLES[0], **change}, None)


MOVE = {"seat": 0, "decision": "action", "move": "money"}
WRONG_STEPS = [
    pytest.param({**MOVE, "seat": False}, id="false is not 0"),
    pytest.param({**MOVE, "seat": 0.0}, id="0.0 is not 0"),
    pytest.param({**MOVE, "seat": 3}, id="no such seat"),
    pytest.param({**MOVE, "seat": -1}, id="no seat below 0"),
    pytest.param({**MOVE, "thought": "hm"}, id="a key too many"),
    pytest.param({"seat": 0, "decision": "action"}, id="a key too few"),
    pytest.param({**MOVE, "decision": None}, id="no decision"),
    pytest.param({**MOVE, "move": ["money"]}, id="a list is no move"),
    pytest.param({**MOVE, "move": None}, id="nothing is no move"),
    pytest.param({"chance": "dice", "value": 6}, id="no such chance"),
    pytest.param({"chance": "age_order", "seats": [0, True, 2]}, id="true is not 1"),
    pytest.param({"chance": "age_order", "cards": []}, id="the value of another chance"),
    pytest.param({"chance": ["age_order"], "seats": []}, id="no name of a chance"),
    pytest.param("money", id="not an object"),
]


@pytest.mark.parametrize("step", WRONG_STEPS)
def test_a_step_of_another_shape_is_refused_at_its_ply(step: Any) -> None:
    record, ply = first_step(lambda step: step.get("decision") == "action" and step["seat"] == 0)
    record["steps"][ply] = step
    refusal(record, ply)


@pytest.mark.parametrize("offer", [[True, 0, 0, 0], [1.0, 0, 0, 0], ["1", 0, 0, 0], [1, 0, 0], [1, 0, 0, 0, 0], "R"])
def test_an_offer_of_other_things_than_four_integers_is_refused(offer: Any) -> None:
    record, ply = found_move("open_barter", having="offer")
    record["steps"][ply]["move"] = {"offer": offer}
    refusal(record, ply)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"format": "game-record/1"}',
        to_json(SAMPLES[0])[:-1],
        to_json(SAMPLES[0]) + "{}",
        to_json(SAMPLES[0]).replace('"seats":3,', '"seats":3,"seats":3,', 1),
        to_json(SAMPLES[0]).replace('"seats":3,', '"seats":NaN,', 1),
        "[" * 100_000,
        b"\xff\xfe{",
    ],
    ids=range(11),
)
def test_a_text_that_is_not_a_record_is_refused_before_the_replay(text: str | bytes) -> None:
    with pytest.raises(RecordError) as refused:
        from_json(text)
    assert refused.value.ply is None


def test_a_refused_record_is_not_modified() -> None:
    record = deepcopy(SAMPLES[0])
    record["outcome"]["ranks"][0] += 1
    before = json.dumps(record)
    refusal(record, None)
    assert json.dumps(record) == before
