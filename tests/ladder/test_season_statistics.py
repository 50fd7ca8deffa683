"""Tallies are what the records of ended blocks give, however and however often they are gathered."""

from __future__ import annotations

from collections import Counter
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, connections, transaction

from games.record import replay
from games.registry import GAMES
from ladder import season_statistics
from ladder.exports.documents import unpack
from ladder.ledger.entries import append
from ladder.matches.results import figures_document
from ladder.models import (
    Block,
    Ladder,
    LedgerEntry,
    Match,
    PairTally,
    Result,
    SeasonStatistics,
    SeatResult,
    SeatTally,
    VersionTally,
)
from ladder.season_statistics import gather
from tests.build import finish_game, finished_block, finished_blocks, players_of, scheduled, variety_of

pytestmark = pytest.mark.django_db


def tallies() -> tuple[object, ...]:
    seats = SeatTally.objects.order_by("membership", "version", "seat").values_list(
        "membership", "version", "seat", "games", "win_shares", "points", "forfeits", "figures"
    )
    pairs = PairTally.objects.order_by("membership", "opponent").values_list(
        "membership",
        "opponent",
        "games",
        "points",
        "blocks",
        "share_sum",
        "share_squares",
        "bought",
        "paid",
        "sold",
        "received",
        "seats",
    )
    versions = VersionTally.objects.order_by("membership", "version").values_list(
        "membership", "version", "blocks", "games", "points", "squares", "habits", "seats"
    )
    rounded = [(*pair[:5], round(pair[5], 9), round(pair[6], 9), *pair[7:]) for pair in pairs]
    return list(seats), rounded, list(versions), list(SeasonStatistics.objects.values_list("blocks", "habits"))


def take_back_the_first(ladder: Ladder) -> None:
    """Void the first result of ``ladder``."""
    result = Result.objects.order_by("pk")[0]
    with transaction.atomic():
        locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
        append(locked, LedgerEntry.Kind.VOID, {"match": result.match_id, "reason": "a test"}, result=result)
        SeatResult.objects.filter(result=result).update(rating_before=None, rating_after=None)


def test_a_result_stores_the_figures_of_its_seats(ladder: Ladder) -> None:
    finished_blocks(ladder, 1)
    for result in Result.objects.all():
        assert result.figures == figures_document(replay(unpack(bytes(result.packed_record))))
        money = [sum(seat["money"]) for seat in result.figures["seats"]]
        assert money == [result.score["money"] for result in result.seat_results.order_by("seat__index")]


def test_tallies_add_up_to_the_results(ladder: Ladder) -> None:
    finished_blocks(ladder, 5)
    assert gather() == 5
    results = SeatResult.objects.select_related("seat")
    games, first, money = Counter[object](), Counter[object](), Counter[object]()
    for result in results:
        key = (result.seat.membership_id, result.seat.version_id, result.seat.index)
        games[key] += 1
        first[key] += result.rank == 1
        money[key] += result.score["money"]
    seats = {(tally.membership_id, tally.version_id, tally.seat): tally for tally in SeatTally.objects.all()}
    assert {key: tally.games for key, tally in seats.items()} == games
    assert {key: sum(tally.figures["money"]) for key, tally in seats.items()} == money
    assert sum(tally.win_shares for tally in seats.values()) == 60 * 20
    assert sum(tally.points for tally in seats.values()) == 20 * 4 * 3
    assert sum(first.values()) >= 20


def test_a_pair_is_tallied_from_both_sides(ladder: Ladder) -> None:
    finished_blocks(ladder, 4)
    gather()
    pairs = {(tally.membership_id, tally.opponent_id): tally for tally in PairTally.objects.all()}
    for (member, other), tally in pairs.items():
        mirrored = pairs[other, member]
        assert tally.points + mirrored.points == 2 * tally.games == 2 * mirrored.games
        assert tally.share_sum + mirrored.share_sum == pytest.approx(tally.blocks)
        assert (tally.bought, tally.paid) == (mirrored.sold, mirrored.received)
    assert sum(tally.games for tally in pairs.values()) == 16 * 12
    bought = sum(tally.bought for tally in pairs.values())
    assert bought == sum(sum(tally.figures["barters_won"]) for tally in SeatTally.objects.all()) > 0


def test_a_block_is_tallied_after_its_last_game(ladder: Ladder) -> None:
    block = scheduled(ladder, players_of(ladder.memberships.select_related("bot")[:4]))
    matches = list(block.matches.select_related("ladder", "block").order_by("seating"))
    for match in matches[:-1]:
        finish_game(match, variety_of(match))
        assert gather() == 0
        assert not SeatTally.objects.exists()
    finish_game(matches[-1], variety_of(matches[-1]))
    assert gather() == 1
    assert SeatTally.objects.exists()


def test_gathering_again_changes_nothing(ladder: Ladder) -> None:
    finished_blocks(ladder, 2)
    gather()
    before = tallies()
    assert gather() == 0
    assert tallies() == before


def test_gathering_piece_by_piece_gives_what_gathering_at_once_gives(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished_blocks(ladder, 5)
    gather()
    at_once = tallies()
    for model in (SeatTally, PairTally, VersionTally):
        model._default_manager.all().delete()
    SeasonStatistics.objects.all().delete()
    Block.objects.update(gathered=False)
    monkeypatch.setattr(season_statistics, "BLOCKS_PER_TRANSACTION", 2)
    assert gather() == 5
    assert tallies() == at_once


def test_a_block_with_a_void_game_drops_out(ladder: Ladder) -> None:
    block = finished_block(ladder, list(ladder.memberships.select_related("bot")[:4]))
    match = block.matches.get(seating=2)
    SeatResult.objects.filter(result__match=match).update(rating_before=None, rating_after=None)
    assert gather() == 1
    assert not SeatTally.objects.exists()
    assert SeasonStatistics.objects.get().blocks == 0


def test_a_correction_of_the_ledger_restarts_the_tallies(ladder: Ladder) -> None:
    finished_blocks(ladder, 3)
    gather()
    take_back_the_first(ladder)
    gather()
    statistics = SeasonStatistics.objects.get()
    assert (statistics.corrections, statistics.blocks) == (1, 2)
    assert sum(tally.games for tally in SeatTally.objects.all()) == 2 * 4 * 4


def test_forfeits_are_counted(ladder: Ladder) -> None:
    from tests.build import report_of

    finished_blocks(ladder, 1, lambda match: report_of(match, forfeits={0: "exit"}))
    gather()
    by_seat = Counter[int]()
    for tally in SeatTally.objects.all():
        by_seat[tally.seat] += tally.forfeits
    assert by_seat == {0: 4, 1: 0, 2: 0, 3: 0}


@pytest.mark.django_db(transaction=True)
def test_two_gatherers_at_once_count_every_block_once(ladder: Ladder) -> None:
    finished_blocks(ladder, 4)
    start = Barrier(2)

    def gather_too() -> None:
        start.wait()
        try:
            gather()
        finally:
            connections.close_all()

    threads = [Thread(target=gather_too) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert SeasonStatistics.objects.get().blocks == 4
    assert sum(tally.games for tally in SeatTally.objects.all()) == 4 * 4 * 4
    assert Match.objects.filter(block__gathered=True).count() == 16


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_while_records_are_played_again(ladder: Ladder) -> None:
    finished_blocks(ladder, 2)
    for result in Result.objects.all():
        del result.figures["habits"]
        result.save(update_fields=["figures"])
    held: list[bool] = []

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        if '"packed_record"' in sql:
            held.append(connection.in_atomic_block)
        return execute(sql, *rest)

    with connection.execute_wrapper(watch):
        assert gather() == 2
    assert held
    assert not any(held), "SQLite has one writer: no match could be claimed or brought"


def test_a_record_that_nobody_can_read_keeps_no_other_season_from_its_statistics(ladder: Ladder) -> None:
    finished_blocks(ladder, 1)
    match = Match.objects.filter(ladder=ladder).order_by("pk")[0]
    Result.objects.filter(match=match).update(figures={}, packed_record=b"worn out")
    other = Ladder.objects.get(slug="edel-stein-reich-5")
    finished_blocks(other, 1)
    gather()
    assert SeatTally.objects.filter(season__ladder=other).exists()
    assert not Block.objects.get(ladder=ladder).gathered


def test_tallies_continue_in_the_next_run_after_a_timeout(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    finished_blocks(ladder, 5)
    monkeypatch.setattr(season_statistics, "BLOCKS_PER_TRANSACTION", 2)
    assert [gather(seconds=0) for _ in range(4)] == [2, 2, 1, 0]
    assert SeasonStatistics.objects.get().blocks == 5


def counted(ladder: Ladder) -> dict[tuple[int, int], dict[str, list[int]]]:
    """By membership and version, amounts and occasions of its habits, from the records themselves."""
    by_version: dict[tuple[int, int], dict[str, list[int]]] = {}
    for result in Result.objects.select_related("match"):
        state = replay(unpack(bytes(result.packed_record)))
        habits = GAMES[state.rules.slug].statistics.habits(state)
        for seat in result.match.seats.order_by("index"):
            own = by_version.setdefault((seat.membership_id or 0, seat.version_id), {})
            for key, (amount, occasions) in habits[seat.index].items():
                known = own.setdefault(key, [0, 0])
                known[0] += amount
                known[1] += occasions
    return by_version


def test_habits_of_a_version_are_the_sums_of_its_records(ladder: Ladder) -> None:
    finished_blocks(ladder, 5)
    gather()
    expected = counted(ladder)
    tallies = {(tally.membership_id, tally.version_id): tally for tally in VersionTally.objects.all()}
    assert {key: {name: sums[:2] for name, sums in tally.habits.items()} for key, tally in tallies.items()} == expected
    assert (
        sum(tally.games for tally in tallies.values())
        == 5 * 4 * 4
        == 4 * sum(tally.blocks for tally in tallies.values())
    )


def test_the_habits_of_a_ladder_are_those_of_all_its_versions(ladder: Ladder) -> None:
    finished_blocks(ladder, 4)
    gather()
    habits = SeasonStatistics.objects.get().habits
    assert habits["money"][5] == 4
    for key, sums in habits.items():
        everybody = [tally.habits[key] for tally in VersionTally.objects.all() if key in tally.habits]
        assert sums[:2] == [
            sum(sums_of_version[0] for sums_of_version in everybody),
            sum(sums_of_version[1] for sums_of_version in everybody),
        ]


def test_results_without_stored_habits_are_read_from_their_records(ladder: Ladder) -> None:
    finished_blocks(ladder, 2)
    expected = counted(ladder)
    for result in Result.objects.all():
        del result.figures["habits"]
        result.save(update_fields=["figures"])
    gather()
    habits_by_version = {(tally.membership_id, tally.version_id): tally.habits for tally in VersionTally.objects.all()}
    assert {
        key: {name: sums[:2] for name, sums in habits.items()} for key, habits in habits_by_version.items()
    } == expected


def test_a_voided_result_is_removed_from_the_habits(ladder: Ladder) -> None:
    finished_blocks(ladder, 3)
    gather()
    take_back_the_first(ladder)
    gather()
    assert SeasonStatistics.objects.get().habits["money"][5] == 2
    assert sum(tally.blocks for tally in VersionTally.objects.all()) == 2 * 4


def test_points_by_seat_are_those_against_all_and_of_each_opponent(ladder: Ladder) -> None:
    finished_blocks(ladder, 4)
    gather()
    for tally in PairTally.objects.all():
        assert sum(games for games, *_ in tally.seats) == tally.games
        assert sum(points for _, points, _ in tally.seats) == tally.points
        assert all(games == tally.blocks and 0 <= squares <= 4 * games for games, _, squares in tally.seats)
    points = {
        (tally.membership_id, tally.version_id, tally.seat): [tally.games, tally.points]
        for tally in SeatTally.objects.all()
    }
    for tally in VersionTally.objects.all():
        assert all(squares <= 36 * games for games, _, squares in tally.seats)
        assert tally.points == sum(points for _, points, _ in tally.seats)
        assert tally.points**2 <= tally.squares * tally.blocks
        for seat, sums in enumerate(tally.seats):
            assert sums[:2] == points[tally.membership_id, tally.version_id, seat]
