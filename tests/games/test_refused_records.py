"""A record that is not the game of its seed and its moves is refused, with the step where it goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from games.chance import commitment
from games.record import RecordError, verify
from games.rules import Document
from tests.games.play import decided_again, played
from tests.games.refusals import SAMPLES, first_step, found_move, refusal


def test_an_illegal_move_is_refused_with_the_rule_and_what_was_legal() -> None:
    record, ply = found_move("answer_offer", having="offer")
    record["steps"][ply]["move"] = {"offer": [0, 0, 0, 0]}
    assert "must be higher" in refusal(record, ply)
    record["steps"][ply]["move"] = "decline"
    assert "cannot decline it. Legal moves: accept, or an offer" in refusal(record, ply)


def test_another_legal_move_is_refused_when_the_rest_of_the_game_does_not_fit() -> None:
    record, ply = found_move("event_card")
    step = record["steps"][ply]
    step["move"] = "blind" if step["move"] == "face_up" else "face_up"
    with pytest.raises(RecordError) as refused:
        verify(record)
    assert refused.value.ply is None or refused.value.ply > ply


@pytest.mark.parametrize("name", ["age_order", "deck", "event_deck", "gem_deck", "starter"])
def test_a_chance_outcome_that_is_not_the_seeds_is_refused(name: str) -> None:
    record, ply = first_step(lambda step: step.get("chance") == name)
    step = record["steps"][ply]
    if name == "starter":
        step["seat"] = (step["seat"] + 1) % record["seats"]
    else:
        key = "seats" if name == "age_order" else "cards"
        other = next(index for index, value in enumerate(step[key]) if value != step[key][0])
        step[key][0], step[key][other] = step[key][other], step[key][0]
    assert refusal(record, ply).startswith("the rules produce ")


def test_the_seed_of_another_game_is_refused() -> None:
    record = deepcopy(SAMPLES[0])
    record["seed"] = "11" * 32
    assert "commitment is not the SHA-256" in refusal(record, None)
    record["commitment"] = commitment(bytes.fromhex(record["seed"]))
    assert "the rules produce " in refusal(record, 0)


def test_a_forced_move_must_be_marked_and_a_free_one_must_not_be() -> None:
    record, ply = first_step(lambda step: "forced" in step)
    del record["steps"][ply]["forced"]
    assert "'forced': True" in refusal(record, ply)
    record, ply = found_move("action")
    record["steps"][ply]["forced"] = True
    assert "marked as forced" in refusal(record, ply)


@pytest.mark.parametrize("value", [False, 1, None, "true"])
def test_forced_is_only_ever_true(value: object) -> None:
    record, ply = first_step(lambda step: "forced" in step)
    record["steps"][ply]["forced"] = value
    assert "forced must be true" in refusal(record, ply)


def test_forced_and_default_exclude_each_other() -> None:
    record, ply = first_step(lambda step: "forced" in step)
    record["steps"][ply]["default"] = "late"
    assert "cannot be combined" in refusal(record, ply)


def test_a_default_must_be_the_first_legal_move_for_a_known_reason() -> None:
    record, ply = found_move("answer_offer", having="offer")
    record["steps"][ply]["default"] = "late"
    assert "first legal move" in refusal(record, ply)
    for reason in ("tired", "", True, None):
        record["steps"][ply]["default"] = reason
        assert "default must be one of late" in refusal(record, ply)


def test_a_seat_that_forfeited_does_not_move_and_the_outcome_has_the_forfeit() -> None:
    state = played("edel-stein-reich", 4, number=3, moves=60)
    random = Random(3)
    for seat in iter(lambda: state.pending[0] if state.pending else None, None):
        gone = seat == 0
        move = state.default_move(seat) if gone else state.random_move(seat, random)
        state.play(seat, move, default="forfeit" if gone else None)
    state.forfeit(0, "exit")
    record = verify(state.record).record
    left, again, *_ = (ply for ply, step in enumerate(record["steps"]) if step.get("default") == "forfeit")
    del record["steps"][again]["default"]
    assert "moves after its forfeit" in refusal(record, again)
    record["steps"][again]["default"] = "late"
    assert "moves after its forfeit" in refusal(record, again)
    del record["outcome"]["scores"][0]["forfeit"]
    assert "the outcome does not contain the forfeit" in refusal(record, left)


def took(step: Document) -> list[str]:
    """The colors that a single chooser of Free Choice took."""
    alone = step.get("decision") == "free_choice" and "give" in step["move"]
    return step["move"]["take"] if alone else []


def test_gems_to_take_are_in_the_order_of_the_colours() -> None:
    record, ply = first_step(lambda step: len(set(took(step))) == 2)
    record["steps"][ply]["move"]["take"].reverse()
    assert refusal(record, ply).startswith("the rules produce ")


def test_simultaneous_moves_are_in_seat_order() -> None:
    record, ply = first_step(lambda step: step.get("decision") == "action" and step["seat"] == 0)
    steps = record["steps"]
    steps[ply], steps[ply + 1] = steps[ply + 1], steps[ply]
    assert "the rules produce " in refusal(record, ply)


def test_a_seat_that_is_not_asked_or_asked_for_something_else_is_refused() -> None:
    record, ply = found_move("answer_offer")
    step = record["steps"][ply]
    asked, step["seat"] = step["seat"], (step["seat"] + 1) % record["seats"]
    assert f"pending seats: [{asked}]" in refusal(record, ply)
    step["seat"], step["decision"] = asked, "open_barter"
    assert "is 'answer_offer', not 'open_barter'" in refusal(record, ply)


def test_a_record_that_ends_early_goes_on_too_long_or_names_no_outcome_is_refused() -> None:
    record = deepcopy(next(record for record in SAMPLES if "forced" not in record["steps"][-1]))
    last = record["steps"].pop()
    assert "the outcome is None" in refusal(record, None)
    record["steps"] += [last, last]
    assert "pending seats: []" in refusal(record, len(record["steps"]) - 1)
    record["steps"][-1] = record["steps"][0]
    assert f"unexpected chance step {record['steps'][0]['chance']!r}" in refusal(record, len(record["steps"]) - 1)
    record["steps"].pop()
    record["outcome"] = None
    assert "the record has None" in refusal(record, None)


def test_the_record_of_a_running_game_ends_at_the_open_decision() -> None:
    running = played("edel-stein-reich", 3, number=5, moves=30)
    assert verify(running.record).record == running.record
    record = running.record
    record["steps"].pop()
    while record["steps"][-1].get("decision") != "action" or record["steps"][-1]["seat"] == 2:
        record["steps"].pop()
    with pytest.raises(RecordError, match="incomplete simultaneous moves"):
        verify(record)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda outcome: outcome["ranks"].reverse(), "the outcome is"),
        (lambda outcome: outcome["scores"][0].update(money=outcome["scores"][0]["money"] + 1), "the outcome is"),
        (lambda outcome: outcome["scores"][0].update(money=float(outcome["scores"][0]["money"])), "the outcome is"),
        (lambda outcome: outcome["scores"][0].update(gems=[0, 0, 0, 0]), "the outcome is"),
        (lambda outcome: outcome["scores"][0].update(bonus=0), "the outcome is"),
        (lambda outcome: outcome["scores"][0].update(forfeit="tired"), "forfeit must be one of"),
        (lambda outcome: outcome["scores"].pop(), "one object per seat"),
        (lambda outcome: outcome.update(winner=0), "exactly the keys ranks and scores"),
        (lambda outcome: outcome.pop("ranks"), "exactly the keys ranks and scores"),
    ],
)
def test_an_outcome_that_is_not_the_rules_is_refused(change: Callable[[Document], Any], sentence: str) -> None:
    record, _ = first_step(lambda step: step.get("chance") == "gem_deck")
    change(record["outcome"])
    assert sentence in refusal(record, None)


def test_a_forfeit_in_the_scores_changes_the_ranks() -> None:
    record = deepcopy(SAMPLES[0])
    assert not any("forfeit" in score for score in record["outcome"]["scores"])
    winner = record["outcome"]["ranks"].index(1)
    record["outcome"]["scores"][winner]["forfeit"] = "resign"
    assert "the outcome is" in refusal(record, None)
    state = decided_again(record)
    assert state.outcome is not None
    assert state.outcome["ranks"][winner] == record["seats"]
    record["outcome"] = state.outcome
    assert verify(record).outcome == state.outcome
