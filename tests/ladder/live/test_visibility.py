from __future__ import annotations

from dataclasses import replace

import pytest

from games.registry import GAMES
from ladder.exports.documents import record_of
from ladder.live.end import finish
from ladder.live.visibility import cut, public_cut
from ladder.models import Match
from tests.ladder.live.play import asked, at_random, game_of, owing, pass_time, play_on, play_out, position, post

pytestmark = pytest.mark.django_db

TABLES = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]


def again(match: Match) -> Match:
    return Match.objects.select_related("ladder", "block").get(pk=match.pk)


@pytest.mark.parametrize(("game", "seats"), TABLES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_public_is_one_round_behind_at_every_ply(game: str, seats: int, seed: int) -> None:
    """The cut of a whole game, move by move: exactly the state that there was when the round before had just begun."""
    state = GAMES[game].new(seats, bytes([seed]) * 32)
    choose = at_random(seed)
    begun = {1: (state.view(None), state.entries(None))}
    while state.pending:
        seat = state.pending[-1]
        state.play(seat, choose(state, seat))
        shown = cut(state)
        if state.rounds_begun == 1:
            assert shown is None
            continue
        assert shown is not None
        assert shown.rounds_begun == state.rounds_begun - 1
        assert shown.view(None)["round"] == begun_round(game, shown.rounds_begun, state)
        entries = state.entries(None)
        entries_shown = shown.entries(None)
        assert entries[: len(entries_shown)] == entries_shown
        view = begun.setdefault(shown.rounds_begun, (shown.view(None), entries_shown))
        assert (shown.view(None), entries_shown) == view


def begun_round(game: str, rounds: int, state: object) -> int:
    """The round of a view, which counts from 1 in each phase of a game that has phases."""
    per_phase = getattr(state, "rounds", None)
    return rounds if per_phase is None else (rounds - 1) % per_phase + 1


def test_nothing_of_the_first_round_is_public() -> None:
    match = game_of("edel-stein-reich-duel", 2)
    assert public_cut(again(match)) is None
    seat = owing(match)[0]
    post(match, seat, 1, "gems")
    assert public_cut(again(match)) is None


def test_the_public_view_is_not_that_of_a_seat_and_has_no_secret() -> None:
    match = game_of("die-weinhaendler", 3)
    while position(match).table.round < 3:
        play_on(match, at_random(2), 1)
    pass_time(match)
    shown = public_cut(again(match))
    assert shown is not None
    assert (shown.round, shown.view["round"], shown.view["seat"], shown.view["you"]) == (2, 2, None, None)
    assert (shown.log["seat"], shown.log["outcome"]) == (None, None)
    assert "seed" not in shown.log
    assert "hand" not in {entry["event"]["type"] for entry in shown.log["entries"] if "event" in entry}


def test_a_round_that_began_by_a_forced_move_is_public_no_sooner_than_that_is_shown() -> None:
    match = game_of("die-weinhaendler", 3)
    choose = at_random(4)
    while True:
        pass_time(match)
        before, seat = position(match), owing(match)[0]
        post(match, seat, asked(match, seat)["id"], choose(before.state(), seat))
        table = position(match)
        if table.rows[-1].delays and table.table.round > before.table.round > 1:
            break
    early = cut(replace(table, now=table.rows[-1].visible_at).shown_to(None))
    assert early is not None and early.rounds_begun == before.table.round - 1
    pass_time(match)
    shown = public_cut(again(match))
    assert shown is not None and shown.round == table.table.round - 1


def test_a_finished_game_is_fully_public() -> None:
    match = game_of("edel-stein-reich-duel", 2)
    play_out(match, at_random(1))
    assert finish(match.pk)
    assert public_cut(again(match)) is None
    assert record_of(again(match)) == position(match).state().record
