from __future__ import annotations

import gzip
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from pytest_django import DjangoAssertNumQueries

from games.record import verify
from ladder.exports import json_lines
from ladder.exports.json_lines import game_pieces, is_in_file
from ladder.models import Block, Ladder, Match

pytestmark = pytest.mark.django_db


@pytest.fixture
def settled(played: Ladder) -> Ladder:
    """The ladder on which everything was played, ten minutes later."""
    Block.objects.filter(ladder=played).update(ended=F("ended") - timedelta(minutes=10))
    return played


def read(ladder: Ladder, after: int | None = None, most: int = 10_000, asked: list[bool] | None = None) -> list[Any]:
    packed = b"".join(game_pieces(ladder, after, most, lambda: asked is None or asked.pop(0)))
    return [json.loads(line) for line in gzip.decompress(packed).splitlines()]


def test_every_game_whose_deal_is_open_is_there_once_with_a_record_that_verifies(settled: Ladder) -> None:
    Block.objects.filter(pk=Block.objects.order_by("pk")[0].pk).update(ended=None)
    lines = read(settled)
    opened = Match.objects.filter(ladder=settled, status="finished", block__ended__isnull=False)
    assert sorted(line["match"] for line in lines) == sorted(opened.values_list("pk", flat=True))
    for line in lines:
        verify(line["record"])
        assert [player["rank"] for player in line["players"]] == line["record"]["outcome"]["ranks"]
        assert line["ledger"]["result"] >= 1
        assert line["ledger"]["void"] is None


def test_a_deal_that_opened_a_moment_ago_waits_until_none_can_come_before_it(played: Ladder) -> None:
    assert read(played) == []


def test_reading_on_after_any_line_gives_exactly_the_rest(settled: Ladder) -> None:
    lines = read(settled)
    for number, line in enumerate(lines):
        assert read(settled, line["match"]) == lines[number + 1 :]


def test_deals_that_open_later_come_after_all_others(settled: Ladder) -> None:
    late = Block.objects.order_by("pk")[0]
    Block.objects.filter(pk=late.pk).update(ended=None)
    first = read(settled)
    Block.objects.filter(pk=late.pk).update(ended=Block.objects.exclude(ended=None).latest("ended").ended)
    Block.objects.filter(pk=late.pk).update(ended=F("ended") + timedelta(milliseconds=1))
    rest = read(settled, first[-1]["match"])
    assert {line["match"] for line in rest} == set(late.matches.values_list("pk", flat=True))
    assert first + rest == read(settled)


def test_a_file_ends_where_it_may_not_go_on_and_is_whole(settled: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "GAMES_AT_ONCE", 2)
    everything = read(settled)
    assert read(settled, asked=[True, False]) == everything[:4]
    assert read(settled, most=3) == everything[:3]
    assert len(everything) > 4


def test_a_piece_costs_the_same_however_many_games_are_in_it(
    settled: Ladder, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(3):
        read(settled)


def test_a_game_that_is_not_in_the_file_is_no_place_to_go_on_from(settled: Ladder) -> None:
    lines = read(settled)
    assert is_in_file(settled, lines[0]["match"])
    Block.objects.update(ended=None)
    assert not is_in_file(settled, lines[0]["match"])
    assert not is_in_file(settled, 0)
