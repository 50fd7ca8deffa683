"""What the judge must find in a record of any game, whatever its rules."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests import judge
from tests.judge.games import GAMES
from tests.judge.samples import RECORDS, Record, first_with, one_each, records

every_game = pytest.mark.parametrize("record", one_each())


EVERY = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "new-examples" else 16
"""Alterations are tried at every 16th step, because each trial checks a whole record; in `make nightly` at all."""


def altered(record: Record, change: Callable[[Record], Any]) -> list[str]:
    copied = copy.deepcopy(record)
    change(copied)
    return judge.check(copied)


def steps_of(record: Record, key: str = "decision", value: str | None = None) -> Iterator[int]:
    for ply, step in enumerate(record["steps"]):
        if key in step and value in (None, step[key]):
            yield ply


def with_forfeit() -> Record:
    """The first record with several moves of a seat that had forfeited."""
    return first_with(lambda step: step.get("default") == "forfeit", times=2)


def test_there_are_records_of_every_game_and_number_of_seats_to_judge() -> None:
    there = {path.stem for path in RECORDS}
    assert there == {f"{slug}-{seats}" for slug, game in GAMES.items() for seats in game.seats}


@pytest.mark.parametrize("record", records())
def test_every_shared_record_is_sound(record: Record) -> None:
    assert judge.check(record) == []


@every_game
def test_a_missing_step_is_found_unless_it_only_laid_an_empty_bottle_for_nothing(record: Record) -> None:
    for ply, step in list(enumerate(record["steps"]))[::EVERY]:
        reported = altered(record, lambda r, ply=ply: r["steps"].pop(ply))
        assert reported or step["move"]["card"] == "empty", ply


@every_game
def test_a_doubled_step_is_found_wherever_it_is(record: Record) -> None:
    for ply in range(0, len(record["steps"]), EVERY):
        assert altered(record, lambda r, ply=ply: r["steps"].insert(ply, r["steps"][ply])), ply


@every_game
def test_a_move_of_the_wrong_seat_is_found(record: Record) -> None:
    for ply in list(steps_of(record))[::EVERY]:
        wrong = (record["steps"][ply]["seat"] + 1) % record["seats"]
        reported = altered(record, lambda r, ply=ply, wrong=wrong: r["steps"][ply].update(seat=wrong))
        assert reported[0].startswith(f"step {ply}:")


@every_game
def test_forced_where_there_was_a_choice_and_no_forced_where_there_was_none_are_found(record: Record) -> None:
    def toggle(r: Record, ply: int) -> None:
        if r["steps"][ply].pop("forced", None) is None:
            r["steps"][ply]["forced"] = True

    for ply in list(steps_of(record))[::EVERY]:
        assert f"step {ply}: forced must stand" in altered(record, lambda r, ply=ply: toggle(r, ply))[0]


@every_game
def test_two_cards_exchanged_in_a_deal_are_found(record: Record) -> None:
    def exchange(r: Record, ply: int) -> None:
        deck = r["steps"][ply]["cards"]
        other = next(i for i, card in enumerate(deck) if card != deck[0])
        deck[0], deck[other] = deck[other], deck[0]

    for ply in steps_of(record, "cards"):
        assert altered(record, lambda r, ply=ply: exchange(r, ply))[0].startswith(f"step {ply}:")


@every_game
def test_a_reason_on_a_move_that_is_not_the_first_legal_one_is_found(record: Record) -> None:
    chosen = [
        point.ply
        for point in judge.decisions(record)
        if record["steps"][point.ply]["move"] != point.document["default"]
        and "default" not in record["steps"][point.ply]
    ]
    assert chosen
    for ply in chosen[::EVERY]:
        reported = altered(record, lambda r, ply=ply: r["steps"][ply].update(default="late"))
        assert "first legal move" in reported[0]


@pytest.mark.parametrize("reason", ["lazy", "", None, True, ["late"]])
@every_game
def test_an_unknown_reason_for_a_default_is_found(record: Record, reason: Any) -> None:
    ply = next(steps_of(record, "default"))
    assert "unknown reason" in altered(record, lambda r: r["steps"][ply].update(default=reason))[0]


def test_a_move_that_a_forfeited_seat_made_itself_is_found() -> None:
    record = with_forfeit()
    ply = list(steps_of(record, "default", "forfeit"))[-1]
    assert "has forfeited" in altered(record, lambda r: r["steps"][ply].pop("default"))[0]
    assert "has forfeited" in altered(record, lambda r: r["steps"][ply].update(default="late"))[0]


@every_game
def test_a_default_by_forfeit_binds_every_later_step_of_the_seat_and_its_score(record: Record) -> None:
    gone = {step["seat"] for step in record["steps"] if step.get("default") == "forfeit"}
    for ply in steps_of(record, "default"):
        if record["steps"][ply]["seat"] not in gone:
            reported = altered(record, lambda r, ply=ply: r["steps"][ply].update(default="forfeit"))
            assert "must carry forfeit" in " ".join(reported)


def test_a_score_without_the_forfeit_that_the_steps_show_is_found() -> None:
    record = with_forfeit()
    seat = next(i for i, score in enumerate(record["outcome"]["scores"]) if "forfeit" in score)
    reported = altered(record, lambda r: r["outcome"]["scores"][seat].pop("forfeit"))
    assert any("must carry forfeit" in fault for fault in reported)


@every_game
def test_every_altered_number_of_the_outcome_is_found(record: Record) -> None:
    def number(r: Record, seat: int, key: str) -> None:
        value = r["outcome"]["scores"][seat][key]
        r["outcome"]["scores"][seat][key] = value + 1 if isinstance(value, int) else [value[0] + 1, *value[1:]]

    def place(r: Record, seat: int) -> None:
        r["outcome"]["ranks"][seat] += 1

    for seat, score in enumerate(record["outcome"]["scores"]):
        assert altered(record, lambda r, seat=seat: place(r, seat))[0].startswith("outcome:")
        for key in score.keys() - {"forfeit"}:
            assert altered(record, lambda r, seat=seat, key=key: number(r, seat, key))[0].startswith("outcome:")


@every_game
def test_an_unknown_key_in_a_step_is_found(record: Record) -> None:
    for ply in range(0, len(record["steps"]), EVERY):
        assert altered(record, lambda r, ply=ply: r["steps"][ply].update(note="x"))[0].startswith(f"step {ply}:")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "game-record/2"), ("rules", "2"), ("rules", 1), ("seats", 2), ("seats", True), ("seats", 6),
        ("game", "basari"), ("game", "edel-stein-reich-duel"), ("seed", "0" * 64), ("seed", "0" * 63),
        ("commitment", "A" * 64), ("steps", {}), ("outcome", None), ("outcome", []), ("more", 1),
    ],
)  # fmt: skip
@every_game
def test_an_altered_head_is_found(record: Record, key: str, value: Any) -> None:
    if record.get(key) != value:
        assert altered(record, lambda r: r.update({key: value}))


@every_game
def test_a_running_record_ends_before_a_decision_that_is_asked_and_nowhere_else(record: Record) -> None:
    asked, before = set(), None
    for point in judge.decisions(record):
        if point.turn is not None or point.entries is not before:
            asked.add(point.ply)  # no record ends between simultaneous moves
        before = point.entries
    for length in range(0, len(record["steps"]), EVERY):
        cut = {**record, "steps": record["steps"][:length], "outcome": None}
        assert (judge.check(cut) == []) == (length in asked), length


@every_game
def test_every_recorded_move_was_listed_and_every_default_came_first(record: Record) -> None:
    for point in judge.decisions(record):
        legal = point.document["legal"]
        assert record["steps"][point.ply]["move"] in point.legal
        assert point.document["default"] == point.legal[0]
        assert (legal == point.legal) if len(point.legal) <= 64 else (legal is None)
        assert len(point.legal) >= 2


@every_game
def test_a_log_shows_every_move_once_and_flags_only_of_its_own_seat(record: Record) -> None:
    for seat in (*range(record["seats"]), None):
        entries = judge.logs(record, seat)
        shown = [entry for entry in entries if "decision" in entry.get("step", {})]
        assert sorted(entry["ply"] for entry in shown) == list(steps_of(record))
        for entry in shown:
            step = record["steps"][entry["ply"]]
            own = step["seat"] == seat
            assert entry["step"] == (step if own else {key: step[key] for key in ("seat", "decision", "move")})


@every_game
def test_a_view_between_decisions_is_refused(record: Record) -> None:
    with pytest.raises(ValueError, match="Nobody was asked"):
        judge.views(record, 0, None)
