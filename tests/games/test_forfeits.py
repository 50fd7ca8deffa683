"""Seats that gave up: ranked by when they did, in every game, and the same after every way through a document."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from games import strict
from games.compact import CompactError, pack, unpack
from games.outcomes import has_score, outcome, shown_outcome
from games.record import RecordError, forfeits_of, from_json, replay, to_json, verify
from games.registry import GAMES
from games.replays import replay_document
from games.rules import FORFEIT_REASONS, Document, Forfeit
from tests.games.play import TABLES, played, seed_of
from tests.judge.verdicts import check

every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)


def given_up(slug: str, seats: int, at: list[int | None], number: int = 7) -> Document:
    """The record of a random game in which the first seats forfeit after as many steps as ``at`` says."""
    state = played(slug, seats, number)
    for seat, time in enumerate(at):
        state.forfeit(seat, FORFEIT_REASONS[seat], time)
    return state.record


# --- ranks ---------------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 4)), min_size=2, max_size=5))
def test_earlier_forfeits_rank_below_later_ones_and_all_below_finishers(seats: list[tuple[int, int | None]]) -> None:
    merits = [merit for merit, _ in seats]
    forfeits = {seat: Forfeit("exit", at) for seat, (_, at) in enumerate(seats) if at is not None}
    result = outcome(merits, [{} for _ in seats], forfeits)
    for seat, (merit, at) in enumerate(seats):
        ahead = [
            other
            for other, (others_merit, others_at) in enumerate(seats)
            if (others_at is None and (at is not None or others_merit > merit))
            or (at is not None and others_at is not None and others_at > at)
        ]
        assert result["ranks"][seat] == 1 + len(ahead)
        assert result["scores"][seat] == ({} if at is None else {"forfeit": "exit", "forfeit_at": at})


@pytest.mark.parametrize("times", [(None, None, None), (3, None, 9), (None, 3, 3)])
def test_if_it_is_unknown_when_one_seat_gave_up_all_of_them_tie(times: tuple[int | None, ...]) -> None:
    forfeits = {seat: Forfeit("resign", at) for seat, at in enumerate(times)}
    result = outcome([5, 6, 7, 8], [{} for _ in range(4)], forfeits)
    assert result == {"ranks": [2, 2, 2, 1], "scores": [{"forfeit": "resign"}] * 3 + [{}]}


@every_table
def test_every_game_ranks_by_when_seats_gave_up(slug: str, seats: int) -> None:
    record = given_up(slug, seats, list(range(20, 20 - seats, -1)))
    assert record["outcome"]["ranks"] == list(range(1, seats + 1))
    assert given_up(slug, seats, [8] * seats)["outcome"]["ranks"] == [1] * seats


@every_table
def test_records_with_times_verify_by_themselves_by_report_and_by_the_judge(slug: str, seats: int) -> None:
    record = given_up(slug, seats, [12, 30][:seats])
    reported = {0: Forfeit("strikes", 12), 1: Forfeit("exit", 30)}
    assert forfeits_of(record) == reported
    again = from_json(to_json(record))
    assert strict.same(verify(again).record, record)
    assert strict.same(verify(again, reported).record, record)
    assert strict.same(replay(again, reported).record, record)
    assert check(record) == []
    assert replay_document(record)["outcome"] == record["outcome"]


@every_table
def test_records_from_before_the_rule_verify_as_before(slug: str, seats: int) -> None:
    record = given_up(slug, seats, [None, None])
    assert record["outcome"]["ranks"][:2] == [seats - 1] * 2
    assert not any("forfeit_at" in score for score in record["outcome"]["scores"])
    assert strict.same(verify(record).record, record)
    assert check(record) == []


def test_a_seat_cannot_give_up_before_the_game() -> None:
    state = GAMES["edel-stein-reich"].new(3, seed_of(1))
    with pytest.raises(ValueError, match="at least 0"):
        state.forfeit(0, "exit", -1)


# --- records that are refused --------------------------------------------------------------------------------------


def changed(times: dict[int, Any], ranks: list[int] | None = None) -> Document:
    """A sound record whose seats 0 and 1 gave up after 12 and 30 steps, with other times or without (``None``)."""
    record = deepcopy(given_up("edel-stein-reich", 4, [12, 30]))
    for seat, time in times.items():
        record["outcome"]["scores"][seat].pop("forfeit_at", None)
        if time is not None:
            record["outcome"]["scores"][seat]["forfeit_at"] = time
    record["outcome"]["ranks"] = ranks or record["outcome"]["ranks"]
    return record


STEPS = len(given_up("edel-stein-reich", 4, [12, 30])["steps"])


@pytest.mark.parametrize("times", [{0: None}, {1: None}, {2: 5}, {0: None, 2: 5}])
def test_all_forfeits_have_a_time_or_none_has(times: dict[int, Any]) -> None:
    for record in (changed(times), changed(times, [3, 3, 1, 2])):
        with pytest.raises(RecordError, match="forfeit_at must be in the scores of all seats with forfeit, or of none"):
            verify(record)
        assert check(record) != []


@pytest.mark.parametrize("time", [-1, True, 1.0, "12", [12], STEPS + 1, 2**40])
def test_the_time_is_a_number_of_steps_of_the_record(time: Any) -> None:
    with pytest.raises(RecordError, match=f"from 0 to {STEPS}"):
        verify(changed({0: time}))
    assert check(changed({0: time})) != []


@pytest.mark.parametrize("times", [{0: 31}, {0: 30}, {1: 12}, {1: 5}])
def test_ranks_that_do_not_follow_from_the_times_are_refused(times: dict[int, Any]) -> None:
    with pytest.raises(RecordError, match="the outcome is"):
        verify(changed(times))
    assert check(changed(times)) != []


def test_a_record_whose_times_are_not_those_that_were_reported_is_refused() -> None:
    record = changed({})
    for reported in ({0: Forfeit("strikes", 11), 1: Forfeit("exit", 30)}, {0: Forfeit("strikes"), 1: Forfeit("exit")}):
        with pytest.raises(RecordError, match="the outcome is"):
            verify(record, reported)


def test_a_seat_does_not_give_up_after_the_platform_has_played_for_it() -> None:
    state = GAMES["die-weinhaendler"].new(3, seed_of(4))
    while state.pending:
        seat = state.pending[0]
        state.play(seat, state.default_move(seat), default="forfeit" if seat == 1 else None)
    first = next(ply for ply, step in enumerate(state.steps_since(0)) if step.get("default") == "forfeit")
    for time in (0, first, first + 1):
        gone = state.copy()
        gone.forfeit(1, "exit", time)
        if time <= first:
            assert verify(gone.record).outcome == gone.outcome
            continue
        with pytest.raises(RecordError) as refused:
            verify(gone.record)
        assert refused.value.ply == first
        assert check(gone.record) != []


# --- schemas -------------------------------------------------------------------------------------------------------


@every_table
def test_the_schemas_accept_times_of_all_forfeits_or_of_none(slug: str, seats: int) -> None:
    validator = Draft202012Validator(GAMES[slug].schema("record"))
    for at in ([], [5], [5, 9], [None, None]):
        assert list(validator.iter_errors(given_up(slug, seats, at))) == []
    for seat, key in ((0, "forfeit_at"), (0, "forfeit")):
        record = deepcopy(given_up(slug, seats, [5, 9]))
        del record["outcome"]["scores"][seat][key]
        assert list(validator.iter_errors(record)) != []
    record = deepcopy(given_up(slug, seats, [5, 9]))
    record["outcome"]["scores"][0]["forfeit_at"] = -1
    assert list(validator.iter_errors(record)) != []


# --- the compact form ----------------------------------------------------------------------------------------------


@every_table
def test_the_compact_form_keeps_when_seats_gave_up(slug: str, seats: int) -> None:
    for at in ([0, 88], [3, 3], [None, None], []):
        record = given_up(slug, seats, at)
        packed = pack(record)
        assert packed[0] == (2 if None not in at and at else 1)
        assert strict.same(unpack(packed), record)


def test_a_compact_form_that_is_cut_or_changed_in_a_time_is_refused() -> None:
    packed = pack(given_up("edel-stein-reich", 3, [97, 98]))
    place = packed.index((97).to_bytes(4, "big"))
    for wrong in (packed[: place + 2], packed[:place] + b"\xff" * 4 + packed[place + 4 :], b"\x01" + packed[1:]):
        with pytest.raises(CompactError):
            unpack(wrong)


def test_a_time_beyond_the_record_is_not_packed() -> None:
    with pytest.raises(CompactError, match="forfeit_at"):
        pack(changed({0: 2**40}))


# --- what is shown -------------------------------------------------------------------------------------------------


def test_a_time_is_not_a_score() -> None:
    assert not has_score({"forfeit": "exit", "forfeit_at": 12})
    assert has_score({"points": 0, "forfeit": "exit", "forfeit_at": 12})


@every_table
def test_a_game_that_all_players_left_is_won_by_the_last_one_on_every_page(slug: str, seats: int) -> None:
    state = played(slug, seats, 5, moves=12)
    last = len(state.steps_since(0))
    while state.pending:
        for seat in state.pending:
            state.play(seat, state.default_move(seat), default="forfeit")
    for seat in range(seats):
        state.forfeit(seat, "abandoned", last - seat)
    shown = shown_outcome(state)
    ranks = list(range(1, seats + 1))
    assert shown is not None and shown["ranks"] == ranks
    assert shown["scores"] == [{"forfeit": "abandoned", "forfeit_at": last - seat} for seat in range(seats)]
    document = replay_document(state.record)
    assert document["outcome"] == shown
    sentences = [sentence for step in document["sentences"] for sentence in step][-seats - 1 :]
    assert sentences[0].endswith("{0} forfeited last and wins.")
    assert [f"{{{seat}}}" in sentences[1 + seat] for seat in range(seats)] == [True] * seats


@every_table
def test_the_story_of_a_game_that_nobody_finished_names_the_tie(slug: str, seats: int) -> None:
    document = replay_document(given_up(slug, seats, [9] * seats))
    assert document["outcome"]["ranks"] == [1] * seats
    sentences = [sentence for step in document["sentences"] for sentence in step]
    assert any("forfeited last and tied for first place" in sentence for sentence in sentences)
