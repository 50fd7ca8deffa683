from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from bots.models import Bot
from ladder.live import decisions
from ladder.live.end import void
from ladder.live.position import MoveRow, Position
from ladder.live.rows import position_at, position_of
from ladder.models import Match, PlayedMove
from tests.ladder.live.play import at_random, bot_at, game_of, play_on

pytestmark = pytest.mark.django_db(transaction=True)

GAME, SEATS = "edel-stein-reich", 3


def known(match: Match) -> Position:
    there = position_at(match.pk)
    assert there is not None
    return there


def rows_of(match: Match) -> list[MoveRow]:
    columns = [name if name != "seat" else "seat__index" for name in MoveRow._fields]
    return [MoveRow(*row) for row in PlayedMove.objects.filter(match=match).order_by("number").values_list(*columns)]


def test_a_running_table_is_read_in_one_question_with_all_that_was_played_here() -> None:
    match = game_of(GAME, SEATS)
    known(match)
    play_on(match, at_random(1), moves=9)
    with CaptureQueriesContext(connection) as asked:
        rows = known(match).rows
    assert len(asked) == 1
    assert list(rows) == rows_of(match)


def test_a_move_that_was_rolled_back_was_never_there() -> None:
    match = game_of(GAME, SEATS)
    before = known(match)
    with transaction.atomic():
        play_on(match, at_random(1), moves=1)
        assert len(known(match).rows) == 1
        transaction.set_rollback(True)
    assert known(match).rows == before.rows == ()
    play_on(match, at_random(2), moves=1)
    assert list(known(match).rows) == rows_of(match)


def test_a_known_table_is_the_same_as_one_that_is_read_whole() -> None:
    match = game_of(GAME, SEATS)
    play_on(match, at_random(1), moves=5)
    whole = position_of(Match.objects.select_related("ladder", "block").get(pk=match.pk))
    known(match)
    assert known(match).state().view(0) == whole.state().view(0)
    for live_seat, other in zip(known(match).live_seats, whole.live_seats, strict=True):
        assert live_seat.seat == other.seat
        fields = [field.attname for field in live_seat._meta.concrete_fields]
        assert [getattr(live_seat, name) for name in fields] == [getattr(other, name) for name in fields]


def test_the_end_of_a_known_game_is_seen_at_once() -> None:
    match = game_of(GAME, SEATS)
    known(match)
    void(match.pk, "It was broken.")
    ended = known(match)
    assert (ended.match.status, ended.match.reason) == (Match.Status.VOID, "It was broken.")
    assert not any(live_seat.owes for live_seat in ended.live_seats)


def test_players_of_a_known_game_are_named_as_they_are_called_now() -> None:
    match = game_of(GAME, SEATS)
    known(match)
    Bot.objects.filter(pk=bot_at(match, 1)).update(name="Another", slug="another")
    begun = decisions.game_start(known(match), 0, resumed=True)
    assert begun["players"][1] == {
        "name": "Another",
        "bot": "another",
        "version": 1,
        "label": begun["players"][0]["label"],
    }


def test_a_match_that_is_not_a_live_game_has_no_table() -> None:
    assert position_at(1) is None
