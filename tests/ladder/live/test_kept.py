from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from ladder.live import rows
from ladder.live.rows import MOST, GameCache, MoveCache
from tests.ladder.live.play import game_of, owing, post


class Written:
    """Moves as they stand in the database, and which of them were read."""

    def __init__(self, *moves: str) -> None:
        self.moves = list(moves)
        self.reads: list[int] = []

    def read(self, start: int) -> list[str]:
        self.reads.append(start)
        return self.moves[start:]


@pytest.mark.django_db(transaction=True)
def test_a_move_is_read_once() -> None:
    kept, lease, written = MoveCache[str](), uuid4(), Written("a", "b")
    assert kept.upto(lease, 2, written.read) == ("a", "b")
    written.moves.append("c")
    assert kept.upto(lease, 3, written.read) == ("a", "b", "c")
    assert kept.upto(lease, 2, written.read) == ("a", "b"), "as it was when it had two"
    assert written.reads == [0, 2]


@pytest.mark.django_db(transaction=True)
def test_moves_read_in_a_transaction_are_not_cached() -> None:
    kept, lease, written = MoveCache[str](), uuid4(), Written("a")
    with transaction.atomic():
        assert kept.upto(lease, 1, written.read) == ("a",)
    written.moves = ["b"]
    assert kept.upto(lease, 1, written.read) == ("b",)


@pytest.mark.django_db(transaction=True)
def test_the_writer_of_moves_reads_the_game_once(broker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A web process whose streams are in another process reads games in transactions only."""
    match = game_of("edel-stein-reich-duel", 2)
    (seat,) = owing(match)
    monkeypatch.setattr(rows, "_GAMES", GameCache[Any]())
    with CaptureQueriesContext(connection) as first:
        post(match, seat, 1, "gems")
    with CaptureQueriesContext(connection) as second:
        post(match, 1 - seat, 1, "gems")
    assert len(second) <= len(first) - len(("match", "seats", "their state again"))


@pytest.mark.django_db(transaction=True)
def test_ended_games_are_read_again_and_the_cache_is_limited() -> None:
    kept, written = MoveCache[str](), Written("a")
    assert kept.upto(None, 1, written.read) == kept.upto(None, 1, written.read) == ("a",)
    first = uuid4()
    for lease in (first, *(uuid4() for _ in range(MOST))):
        kept.upto(lease, 1, written.read)
    written.reads.clear()
    kept.upto(first, 1, written.read)
    assert written.reads == [0]


@pytest.mark.django_db(transaction=True)
def test_a_game_of_which_nothing_new_is_read_makes_way() -> None:
    over, running = uuid4(), uuid4()
    long, short = GameCache[str](idle_s=60), GameCache[str](idle_s=0)
    for kept in (long, short):
        kept.put(over, "over")
        kept.put(running, "running")
    assert (long.get(over), long.get(running)) == ("over", "running")
    assert (short.get(over), short.get(running)) == (None, "running")
