"""The log: what one may see of the record, the same whenever it is asked for (views.md "Log")."""

from __future__ import annotations

from random import Random

import pytest

from games import strict
from games.registry import GAMES
from games.rules import Document, State
from tests.games.play import TABLES, move_once, played, positions, seed_of

every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)
HIDDEN_CHANCE = {"event_deck", "gem_deck", "deck"}


def everybody(state: State) -> list[int | None]:
    return [None, *range(state.seats)]


def without_marks(step: Document) -> Document:
    return {key: value for key, value in step.items() if key not in ("forced", "default")}


@every_table
def test_a_log_has_the_head_of_its_record_and_not_its_seed(slug: str, seats: int) -> None:
    for moves in (0, 25, None):
        state = played(slug, seats, 1, moves=moves)
        for seat in everybody(state):
            log, record = state.log(seat), state.record
            assert log.keys() == {"format", "game", "rules", "seats", "seat", "commitment", "entries", "outcome"}
            assert log["format"] == "game-log/1"
            assert log["seat"] == seat
            for key in ("game", "rules", "seats", "commitment", "outcome"):
                assert strict.same(log[key], record[key])
            assert record["seed"] not in str(log)
            assert strict.same(log["entries"], state.entries(seat))


@every_table
def test_the_log_of_a_finished_game_has_every_move_once_and_no_deck(slug: str, seats: int) -> None:
    state = played(slug, seats, 2, defaults=0.2)
    steps = state.record["steps"]
    for seat in everybody(state):
        seat_steps = {entry["ply"]: entry["step"] for entry in state.entries(seat) if "step" in entry}
        assert len(seat_steps) == sum("step" in entry for entry in state.entries(seat))
        for ply, step in enumerate(steps):
            if step.get("chance") in HIDDEN_CHANCE:
                assert ply not in seat_steps
            elif "chance" in step or step["seat"] == seat:
                assert strict.same(seat_steps[ply], step)
            else:
                assert strict.same(seat_steps[ply], without_marks(step))
        assert seat_steps.keys() <= set(range(len(steps)))
        assert {
            step["chance"] for step in seat_steps.values() if "chance" in step
        } <= state.rules.chance_values.keys() - HIDDEN_CHANCE


@every_table
def test_an_entry_is_a_step_or_an_event_and_an_event_follows_a_step(slug: str, seats: int) -> None:
    state = played(slug, seats, 3)
    for entry in state.entries(None):
        assert set(entry) in ({"ply", "step"}, {"ply", "event"})
        if "event" in entry:
            assert 1 <= entry["ply"] <= len(state.record["steps"])
            assert type(entry["event"]["type"]) is str


@every_table
def test_a_log_grows_at_its_end_only_and_is_read_from_any_position(slug: str, seats: int) -> None:
    before: dict[int | None, list[Document]] = {seat: [] for seat in (None, *range(seats))}
    for state in positions(slug, seats, 4, defaults=0.1):
        for seat, known in before.items():
            known += state.entries(seat, len(known))
            assert strict.same(state.entries(seat), known)
    assert state.entries(0, len(before[0])) == []


@every_table
@pytest.mark.parametrize("asked_after", [0, 1, 17, 44, None])
def test_a_log_is_the_same_whenever_it_is_asked_for(slug: str, seats: int, asked_after: int | None) -> None:
    late = played(slug, seats, 5, defaults=0.1)
    state, random = GAMES[slug].new(seats, seed_of(5)), Random(5)
    count = 0
    while state.pending:
        if count == asked_after:
            state.entries(0)
        move_once(state, random, 0.1)
        count += 1
    assert state.record == late.record
    for seat in everybody(state):
        assert strict.same(state.entries(seat), late.entries(seat))
        assert strict.same(state.copy().entries(seat), late.entries(seat))


@every_table
def test_reading_logs_and_views_changes_nothing(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 6):
        twin = state.copy()
        for seat in everybody(state):
            twin.log(seat)
            twin.view(seat)
        assert twin.record == state.record
        assert twin.pending == state.pending
