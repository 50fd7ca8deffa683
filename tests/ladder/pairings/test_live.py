from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from ladder.live.notify import SEAT_PAUSE_S
from ladder.pairings.candidates import Candidate
from ladder.pairings.live import PATIENCE_S, LiveLadder, OnlineBot, SeatedTable, seated


def ladder(key: int, seats: int, bots: Sequence[int], hosted: int = 0, since: Sequence[int] = ()) -> LiveLadder:
    """A ladder on which every bot has an owner of its own; memberships are ``100 key + bot``, hosted ones from 50
    on.
    """
    waits = dict(zip(bots, since, strict=False))
    online = {bot: Candidate(100 * key + bot, 1_500_000, owner=bot, since=waits.get(bot, 0)) for bot in bots}
    house = [Candidate(100 * key + 50 + number, 1_500_000) for number in range(hosted)]
    return LiveLadder(key, seats, len(bots), online, house)


def free(*bots: int, waited_s: float = 0.0) -> list[OnlineBot]:
    return [OnlineBot(bot, 1, waited_s) for bot in bots]


def tables(ladders: Sequence[LiveLadder], online: Sequence[OnlineBot], room: int = 99) -> list[SeatedTable]:
    return seated(ladders, online, room, Random(3)).tables


def test_free_bots_are_seated_together() -> None:
    (table,) = tables([ladder(1, 2, [1, 2])], free(1, 2))
    assert sorted(table.memberships) == [101, 102]


def test_busy_ones_are_left_alone() -> None:
    assert tables([ladder(1, 2, [1, 2, 3])], free(1)) == []


def test_code_fills_up_where_the_ladder_has_it() -> None:
    (table,) = tables([ladder(1, 4, [1], hosted=6)], free(1))
    assert (len(set(table.memberships)), 101 in table.memberships) == (4, True)


def test_no_table_is_code_alone() -> None:
    assert tables([ladder(1, 2, [], hosted=6)], []) == []


def test_code_sits_down_only_while_there_is_room_for_it() -> None:
    here = ladder(1, 3, [1, 2, 3], hosted=1)
    mine = [table for table in tables([here], free(1, 2, 3), room=2) if 150 in table.memberships]
    assert len(mine) <= 1
    assert tables([ladder(1, 3, [1], hosted=6)], free(1), room=1) == []


def test_bots_of_one_owner_never_sit_together() -> None:
    online = {1: Candidate(101, 0, owner=9), 2: Candidate(102, 0, owner=9), 3: Candidate(103, 0, owner=8)}
    for table in tables([LiveLadder(1, 2, 2, online)], free(1, 2, 3)):
        assert 103 in table.memberships


def test_a_bot_plays_as_many_games_as_it_has_room_for_and_no_more() -> None:
    open_ladder = ladder(1, 2, [1], hosted=3)
    assert len(tables([open_ladder], [OnlineBot(1, 5)])) == 5
    assert tables([open_ladder], [OnlineBot(1, 0)]) == []


def test_a_bots_ladders_take_turns() -> None:
    ladders = [ladder(key, 2, [1], hosted=3) for key in (1, 2, 3)]
    played = Counter(table.ladder for table in tables(ladders, [OnlineBot(1, 9)]))
    assert played == {1: 3, 2: 3, 3: 3}


def test_its_turn_is_where_it_was_seated_longest_ago() -> None:
    ladders = [ladder(1, 2, [1], hosted=3, since=[7]), ladder(2, 2, [1], hosted=3, since=[5])]
    assert [table.ladder for table in tables(ladders, free(1))] == [2]


def test_the_longest_waiting_bot_is_seated_first() -> None:
    online = [OnlineBot(1, 1, 3.0), OnlineBot(2, 1, 9.0), OnlineBot(3, 1, 5.0)]
    (table,) = tables([ladder(1, 2, [1, 2, 3])], online)
    assert table.first == 102


def test_a_bot_waits_for_others_when_its_turn_is_among_them() -> None:
    ladders = [ladder(1, 2, [1, 2]), ladder(2, 2, [1, 2], hosted=3, since=[1, 1])]
    assert tables(ladders, free(1, waited_s=0.9 * PATIENCE_S)) == []


def test_a_bot_that_becomes_free_is_kept_for_a_waiting_bot() -> None:
    ladders = [ladder(1, 3, [1, 2, 3]), ladder(2, 2, [1, 2, 3], hosted=3, since=[1, 1, 1])]
    assert tables(ladders, [*free(1, waited_s=0.5 * PATIENCE_S), *free(2)]) == []
    (table,) = tables(ladders, [*free(1, waited_s=0.9 * PATIENCE_S), *free(2, waited_s=0.4 * PATIENCE_S), *free(3)])
    assert table.ladder == 1


def test_seating_returns_when_the_patience_of_the_first_bot_ends() -> None:
    ladders = [ladder(1, 2, [1, 2, 3]), ladder(2, 2, [1, 2, 3], hosted=3, since=[1, 1, 1])]
    seating = seated(ladders, free(1, waited_s=0.25 * PATIENCE_S), 99, Random(1))
    assert seating.again_s == pytest.approx(0.75 * PATIENCE_S)
    assert seated([ladder(1, 2, [1, 2])], free(1, waited_s=PATIENCE_S), 99, Random(1)).again_s is None


def test_a_bot_with_free_opponents_waits_at_most_two_seconds() -> None:
    assert SEAT_PAUSE_S + PATIENCE_S <= 1.5, "the rest is for the queue and the database"


def test_no_bot_waits_beyond_its_patience() -> None:
    ladders = [ladder(1, 2, [1, 2]), ladder(2, 2, [1, 2], hosted=3, since=[1, 1])]
    seating = seated(ladders, free(1, waited_s=PATIENCE_S), 99, Random(1))
    assert [table.ladder for table in seating.tables] == [2]
    assert seating.passed == [101]


def test_nobody_waits_where_too_few_are_here_for_a_table() -> None:
    ladders = [ladder(1, 3, [1, 2]), ladder(2, 2, [1, 2], hosted=3, since=[1, 1])]
    assert [table.ladder for table in tables(ladders, free(1))] == [2]


def test_newcomers_do_not_all_begin_with_the_same_ladder() -> None:
    ladders = [ladder(key, 2, range(1, 13), hosted=3) for key in (1, 2, 3)]
    assert {table.ladder for table in tables(ladders, free(*range(1, 13)))} == {1, 2, 3}


def test_a_turn_has_not_passed_while_nothing_else_is_to_be_had() -> None:
    seating = seated([ladder(1, 2, [1, 2])], free(1, waited_s=99.0), 99, Random(1))
    assert (seating.tables, seating.passed) == ([], [])


@pytest.mark.parametrize("number", range(20))
def test_every_free_bot_has_a_game_within_its_patience(number: int) -> None:
    random = Random(number)
    bots = list(range(1, random.randint(2, 30)))
    ladders = [ladder(key, random.randint(2, 5), bots, hosted=6 * (key % 2)) for key in range(1, 6)]
    online = [OnlineBot(bot, 1, random.uniform(PATIENCE_S, 99)) for bot in bots]
    seating = seated(ladders, online, 999, random)
    sitting = [
        membership % 100 for table in seating.tables for membership in table.memberships if membership % 100 < 50
    ]
    assert sorted(sitting) == bots


def test_near_ratings_meet_more_often() -> None:
    online = {bot: Candidate(bot, 400_000 * bot, owner=bot) for bot in range(1, 7)}
    field = LiveLadder(1, 2, 6, online)
    pairs = Counter(
        abs(table.memberships[0] - table.memberships[1])
        for seed in range(200)
        for table in seated([field], [OnlineBot(1, 1, 9.0), *free(2, 3, 4, 5, 6)], 0, Random(seed)).tables
        if 1 in table.memberships
    )
    assert pairs.most_common(1)[0][0] == 1
