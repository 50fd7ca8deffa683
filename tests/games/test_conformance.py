"""The contract of ``games/rules.py``, held against every registered game at every number of seats.

Nothing here knows a rule: a new game is under test as soon as it is registered.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from games import strict
from games.record import from_json, replay, to_json, verify
from games.registry import GAMES
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, IllegalMove, State
from tests.games.play import TABLES, move_once, played, positions, seed_of

every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)
FAR = 10**6


def everybody(state: State) -> list[int | None]:
    """The seats, and a spectator."""
    return [None, *range(state.seats)]


def finish(state: State, random: Random) -> State:
    while state.pending:
        move_once(state, random)
    return state


def test_the_registry_lists_games_by_their_slugs() -> None:
    assert GAMES
    for slug, game in GAMES.items():
        assert game.slug == slug
        assert game.name
        assert type(game.rules.version) is str
        assert list(game.seat_counts) == sorted(set(game.seat_counts))


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_refuses_another_number_of_seats_and_another_length_of_seed(slug: str) -> None:
    game = GAMES[slug]
    for seats in {-1, 0, 1, *range(12)} - set(game.seat_counts):
        with pytest.raises(ValueError, match="seats"):
            game.new(seats, seed_of(0))
    for length in (0, 31, 33, 64):
        with pytest.raises(ValueError, match="32 bytes"):
            game.new(game.seat_counts[0], bytes(length))


@every_table
def test_a_new_state_knows_its_game_and_its_seats(slug: str, seats: int) -> None:
    state = GAMES[slug].new(seats, seed_of(1))
    assert state.rules is GAMES[slug].rules
    assert state.seats == seats
    assert state.outcome is None
    assert state.pending


@every_table
def test_one_seed_and_the_same_moves_give_the_same_game_and_another_seed_another(slug: str, seats: int) -> None:
    first, second = (played(slug, seats, number=4) for _ in range(2))
    assert strict.same(first.record, second.record)
    assert GAMES[slug].new(seats, seed_of(5)).record["steps"] != GAMES[slug].new(seats, seed_of(6)).record["steps"]


@every_table
def test_pending_seats_are_ascending_have_a_choice_and_are_empty_only_at_the_end(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 2):
        pending = state.pending
        assert list(pending) == sorted(set(pending))
        assert set(pending) <= set(range(seats))
        assert (not pending) is (state.decision_kind is None) is (state.outcome is not None)
        for seat in pending:
            assert len(state.legal_moves(seat)) > 1


@every_table
def test_a_seat_that_owes_nothing_cannot_be_asked(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 3):
        for seat in {-1, *range(seats), seats, FAR} - set(state.pending):
            for ask in (state.decision, state.legal_moves, state.default_move):
                with pytest.raises(LookupError):
                    ask(seat)
            with pytest.raises(LookupError):
                state.random_move(seat, Random(0))
            for tell in (state.check, state.play):
                with pytest.raises(LookupError):
                    tell(seat, "decline")


@every_table
def test_a_decision_names_its_kind_its_seat_its_default_and_up_to_64_moves(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 4):
        for seat in state.pending:
            decision, legal = state.decision(seat), list(state.legal_moves(seat))
            assert decision["kind"] == state.decision_kind
            assert decision["seat"] == seat
            assert strict.same(decision["default"], legal[0])
            assert strict.same(state.default_move(seat), legal[0])
            assert strict.same(decision["legal"], legal if len(legal) <= 64 else None)
            assert strict.same(json.loads(json.dumps(decision)), decision)


@every_table
def test_every_legal_move_is_found_by_its_place_and_no_other_move_has_one(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 3):
        for seat in state.pending:
            legal, numbered = list(state.legal_moves(seat)), state.numbered_moves(seat)
            assert len(numbered) == len(legal)
            assert strict.same([numbered[place] for place in range(len(legal))], legal)
            assert [numbered.index(move) for move in legal] == list(range(len(legal)))
            for other in ("no such move", {"offer": [99, 0, 0, 0]}, {"cards": ["P99"]}):
                with pytest.raises(ValueError):  # noqa: PT011 - which move it is, the caller knows
                    numbered.index(other)


@every_table
def test_every_seat_and_a_spectator_has_a_view_in_json_and_nobody_else(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 5):
        for seat in everybody(state):
            view = state.view(seat)
            assert strict.same(json.loads(json.dumps(view)), view)
            assert (view["game"], view["seats"], view["seat"]) == (slug, seats, seat)
            assert (view["you"] is None) is (seat is None)
            assert view["turn"] in (None, *state.pending)
    for seat in (-1, seats, FAR):
        with pytest.raises(LookupError):
            state.view(seat)


@every_table
def test_an_illegal_move_is_refused_and_changes_nothing(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 6):
        seat = next(iter(state.pending), None)
        if seat is None:
            break
        before = state.record
        for nonsense in ("", "no such move", None, True, 1, [], {}, {"no": "such"}, state.pending):
            with pytest.raises(IllegalMove) as refused:
                state.play(seat, nonsense)
            assert refused.value.rule
            assert refused.value.legal
        assert state.record == before


@every_table
def test_simultaneous_choices_enter_the_record_when_the_last_one_is_in(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 7):
        if len(state.pending) < 2:
            continue
        twin, random = state.copy(), Random(7)
        before, asked = twin.record, twin.pending
        for seat in asked[::-1][:-1]:
            twin.play(seat, twin.random_move(seat, random))
            assert twin.record == before
        twin.play(asked[0], twin.random_move(asked[0], random))
        added = twin.steps_since(len(before["steps"]))
        assert [step["seat"] for step in added[: len(asked)]] == list(asked)
        return


@every_table
def test_a_default_is_the_first_legal_move_for_a_known_reason(slug: str, seats: int) -> None:
    state = GAMES[slug].new(seats, seed_of(8))
    before = state.record
    seat = state.pending[0]
    default, other, *_ = state.legal_moves(seat)
    with pytest.raises(ValueError, match="reason"):
        state.play(seat, default, default="tired")
    with pytest.raises(IllegalMove):
        state.play(seat, other, default="late")
    assert state.record == before
    assert state.pending[0] == seat
    for reason in DEFAULT_REASONS:
        twin = state.copy()
        while len(twin.record["steps"]) == len(before["steps"]):
            twin.play(twin.pending[0], twin.default_move(twin.pending[0]), default=reason)
        assert twin.steps_since(len(before["steps"]))[0]["default"] == reason


@every_table
def test_a_record_is_json_that_verifies_and_replays_to_the_same_game(slug: str, seats: int) -> None:
    for number in range(3):
        state = played(slug, seats, number, defaults=0.1 * number)
        record = from_json(to_json(state.record))
        assert strict.same(record, state.record)
        assert strict.same(verify(record).record, record)
        assert strict.same(replay(record).record, record)
        assert strict.same(state.steps_since(5), record["steps"][5:])


@every_table
def test_a_running_game_verifies_up_to_every_decision(slug: str, seats: int) -> None:
    for state in positions(slug, seats, 9, defaults=0.2):
        record = state.record
        assert strict.same(verify(record).record, record)
        assert record["outcome"] == state.outcome


@every_table
def test_forfeits_change_the_outcome_and_not_the_play(slug: str, seats: int) -> None:
    state, twin = (played(slug, seats, 10, moves=20) for _ in range(2))
    with pytest.raises(ValueError, match="reason"):
        state.forfeit(0, "tired")
    for seat in (-1, seats):
        with pytest.raises(LookupError):
            state.forfeit(seat, "exit")
    for seat, reason in zip(range(1, seats), FORFEIT_REASONS, strict=False):
        state.forfeit(seat, reason)
        state.forfeit(seat, "resign")
        finish(state.copy(), Random(1))
    for game in (state, twin):
        finish(game, Random(1))
    assert state.outcome is not None
    assert twin.outcome is not None
    assert state.record["steps"] == twin.record["steps"]
    assert state.outcome["ranks"] == [1] + [2] * (seats - 1)
    for seat, score in enumerate(state.outcome["scores"]):
        expected: dict[str, Any] = dict(twin.outcome["scores"][seat])
        if seat:
            expected["forfeit"] = FORFEIT_REASONS[seat - 1]
        assert strict.same(score, expected)
    assert strict.same(verify(state.record).record, state.record)


@every_table
def test_a_copy_is_independent_and_deterministic(slug: str, seats: int) -> None:
    for moves in (0, 1, 15, 40):
        state = played(slug, seats, 11, moves=moves)
        before, copy = state.record, state.copy()
        assert strict.same(copy.record, before)
        finish(copy, Random(1))
        assert strict.same(state.record, before)
        assert [state.view(seat) for seat in everybody(state)] == [state.copy().view(seat) for seat in everybody(state)]
        assert strict.same(finish(state, Random(1)).record, copy.record)


@every_table
def test_ranks_are_competition_ranks_of_every_seat(slug: str, seats: int) -> None:
    for number in range(5):
        outcome = played(slug, seats, number).outcome
        assert outcome is not None
        assert len(outcome["scores"]) == seats
        assert [1 + sum(other < rank for other in outcome["ranks"]) for rank in outcome["ranks"]] == outcome["ranks"]


@every_table
def test_a_finished_game_has_a_story_and_scores_for_every_seat(slug: str, seats: int) -> None:
    state = played(slug, seats, 12)
    names = [f"Player {letter}" for letter in "VWXYZ"[:seats]]
    assert state.outcome is not None
    for seat in everybody(state):
        chapters = GAMES[slug].presentation.story(state.log(seat), names)
        plies = [chapter.ply for chapter in chapters]
        assert plies == sorted(plies)
        assert all(chapter.title and chapter.sentences for chapter in chapters)
        text = " ".join(sentence for chapter in chapters for sentence in chapter.sentences)
        assert all(name in text for name in names)
    for column in GAMES[slug].presentation.score_columns:
        assert column.heading
        assert all(column.text(score) for score in state.outcome["scores"])


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_has_a_guide_in_markdown(slug: str) -> None:
    guide = GAMES[slug].presentation.guide
    assert "\n## " in guide
