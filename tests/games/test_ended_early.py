"""Games that end early, because at most one seat is left: played out for the record, shown as they were then."""

from __future__ import annotations

from random import Random

import pytest

from games.outcomes import has_score, played_steps, shown_outcome, when_left
from games.record import replay, verify
from games.registry import GAMES
from games.replays import replay_document
from games.rules import State
from tests.games.play import TABLES, move_once, played, seed_of


def leave(state: State, stays: tuple[int, ...] = (0,)) -> None:
    """Let all seats but ``stays`` leave. The game is then played out as in ``ladder.live.game``."""
    while state.pending:
        for seat in state.pending:
            reason = "absent" if seat in stays else "forfeit"
            state.play(seat, state.default_move(seat), default=reason)
    for seat in range(state.seats):
        if seat not in stays:
            state.forfeit(seat, "resign")


@pytest.mark.parametrize("moves", [0, 1, 2, 7, 30])
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_game_that_ends_early_is_shown_as_it_was_then(game: str, seats: int, moves: int) -> None:
    state = GAMES[game].new(seats, seed_of(5))
    random = Random(moves)
    for _ in range(moves):
        move_once(state, random)
    then = state.view(None), len(state.steps_since(0))
    leave(state)
    shown = when_left(state)
    assert shown is not None
    assert (shown.view(None), len(shown.steps_since(0))) == then or moves, "the deal alone"
    steps = state.steps_since(0)[: played_steps(state)]
    assert not any("default" in step for step in steps)
    assert verify(state.record).outcome == state.outcome, "the record has the whole game"


def test_choices_that_lay_face_down_are_not_shown() -> None:
    state = GAMES["edel-stein-reich"].new(4, seed_of(6))
    for seat, action in ((0, "money"), (1, "event"), (3, "gems")):
        state.play(seat, action)
    leave(state)
    assert not any("move" in step for step in state.steps_since(0)[: played_steps(state)])


def test_default_moves_of_a_seat_that_had_left_before_were_played() -> None:
    state = GAMES["edel-stein-reich"].new(3, seed_of(7))
    random = Random(7)
    while state.rounds_begun < 3 or len(state.pending) < 3:
        for seat in state.pending:
            move = state.default_move(seat) if seat == 2 else state.random_move(seat, random)
            state.play(seat, move, default="forfeit" if seat == 2 else None)
    before = len(state.steps_since(0))
    leave(state)
    assert played_steps(state) == before


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_replay_of_a_game_that_ended_early_stops_there_without_scores(game: str, seats: int) -> None:
    state = played(game, seats, 3, 12)
    leave(state)
    shown = when_left(state)
    assert shown is not None
    document = replay_document(state.record)
    assert document["steps"] == played_steps(state) == len(shown.steps_since(0)) < len(state.record["steps"])
    assert len(document["changes"]) == len(document["entries"]) == len(document["sentences"]) == document["steps"]
    assert document["outcome"] == shown_outcome(state)
    assert document["outcome"]["ranks"] == [1, *[2] * (seats - 1)]
    assert not any(map(has_score, document["outcome"]["scores"]))
    assert document["turning_point"] is None
    assert document["sentences"][-1][-seats] == "{0} wins because all other players left."
    assert sum(chapter["sentences"] for chapter in document["chapters"]) == sum(map(len, document["sentences"]))


def test_a_game_that_others_played_to_its_end_keeps_its_scores() -> None:
    state = GAMES["edel-stein-reich"].new(3, seed_of(8))
    random = Random(8)
    while state.pending:
        for seat in state.pending:
            move = state.default_move(seat) if seat else state.random_move(seat, random)
            state.play(seat, move, default="forfeit" if seat else None)
    for seat in (1, 2):
        state.forfeit(seat, "exit")
    assert when_left(state) is None
    assert shown_outcome(state) == state.outcome == replay(state.record).outcome


def test_a_game_that_all_seats_forfeited_has_no_scores() -> None:
    state = played("die-weinhaendler", 3, 4, 10)
    leave(state, stays=())
    assert when_left(state) is not None
    assert "All players left." in [text for some in replay_document(state.record)["sentences"] for text in some]
