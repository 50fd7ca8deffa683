from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.tournaments.rounds import Entrants, History, PairingError, Round, bye_points
from bots.tournaments.swiss import is_least, least_rematches, pairing_cost, swiss_round
from tests.bots.tournaments.cups import before, entrant_lists, everyone_once, play


@st.composite
def swiss_cups(draw: st.DrawFn, seats: tuple[int, int] = (2, 5), most: int = 64) -> History:
    count = draw(st.integers(*seats))
    entrants = draw(entrant_lists(count, most))
    return play(entrants, count, swiss_round, draw(st.integers(1, 7)), Random(draw(st.integers(0, 2**32))))


def pairings(entrants: list[int]) -> Iterator[list[tuple[int, int]]]:
    """All ways to pair an even number of entrants."""
    if not entrants:
        yield []
        return
    first, *rest = entrants
    for other in rest:
        for more in pairings([entrant for entrant in rest if entrant != other]):
            yield [(first, other), *more]


def costs(history: History, pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """The rematches, and the pairs of one owner beyond the limit."""
    return sum(map(history.rematches, pairs)), sum(map(history.entrants.clashes, pairs))


@settings(deadline=None, max_examples=60)
@given(swiss_cups())
def test_everyone_plays_in_every_round_or_has_a_bye_and_byes_are_shared_evenly(history: History) -> None:
    size = len(history.entrants)
    for number, played in enumerate(history.played):
        counts = [before(history, number + 1).byes[entrant] for entrant in range(size)]
        assert max(counts) - min(counts) <= 1
        assert everyone_once(played.round, range(size))
        assert all(len(table) == history.seats for table in played.round.tables)
        assert len(played.round.byes) == size % history.seats


@settings(deadline=None, max_examples=50)
@given(swiss_cups((2, 2), most=9))
def test_two_meet_again_only_if_every_pairing_of_the_round_has_a_rematch(history: History) -> None:
    """Compared with all pairings. Entrants of one owner meet only if that would cost a rematch."""
    for number, played in enumerate(history.played):
        past = before(history, number)
        everyone, byes = range(len(history.entrants)), past.byes
        fewest = min(byes[entrant] for entrant in everyone)
        eligible = [(entrant,) for entrant in everyone if byes[entrant] == fewest] if len(everyone) % 2 else [()]
        fields = [[entrant for entrant in everyone if entrant not in bye] for bye in eligible]
        best = min(costs(past, pairs) for field in fields for pairs in pairings(field))
        assert costs(past, [(entrant, other) for entrant, other in played.round.tables]) == best


@settings(deadline=None, max_examples=30)
@given(swiss_cups((3, 5)))
def test_rematches_at_more_seats_are_no_fewer_than_the_bound(history: History) -> None:
    for number, played in enumerate(history.played):
        past = before(history, number)
        playing = [entrant for table in played.round.tables for entrant in table]
        assert sum(map(past.rematches, played.round.tables)) >= least_rematches(past, playing)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_large_cup_at_more_seats_has_no_rematch_in_five_rounds(seats: int) -> None:
    history = play(Entrants(tuple(range(120))), seats, swiss_round, 5, Random(3))
    assert [sum(map(before(history, n).rematches, past.round.tables)) for n, past in enumerate(history.played)] == [
        0
    ] * 5


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_entrants_of_one_owner_do_not_meet_in_the_first_round(seats: int) -> None:
    owners = tuple(number // 3 for number in range(60))
    history = play(Entrants(owners), seats, swiss_round, 1, Random(1))
    assert sum(map(history.entrants.clashes, history.played[0].round.tables)) == 0


@settings(deadline=None, max_examples=20)
@given(swiss_cups(most=24))
def test_the_same_history_gives_the_same_round(history: History) -> None:
    assert swiss_round(history) == swiss_round(before(history, len(history.played)))


@settings(deadline=None, max_examples=25)
@given(swiss_cups((2, 2), most=8))
def test_a_round_at_two_seats_has_the_least_cost_of_all_pairings(history: History) -> None:
    for number, played in enumerate(history.played):
        past = before(history, number)
        rows = {row.entrant: row for row in past.standings()}
        fewest = min(past.byes[entrant] for entrant in rows)
        byes = [(entrant,) for entrant in rows if past.byes[entrant] == fewest] if len(rows) % 2 else [()]
        rounds = [
            Round(tuple(sorted((tuple(sorted(pair, key=lambda entrant: rows[entrant].rank)) for pair in pairs),
                               key=lambda pair: rows[pair[0]].rank)), bye)
            for bye in byes for pairs in pairings([entrant for entrant in rows if entrant not in bye])
        ]  # fmt: skip
        least = min(pairing_cost(past, round_) for round_ in rounds)
        assert pairing_cost(past, played.round) == least
        for round_ in rounds:
            assert is_least(past, round_, played.round) == (pairing_cost(past, round_) == least)
        first = played.round.tables[0]
        turned = Round(((first[1], first[0]), *played.round.tables[1:]), played.round.byes)
        assert not is_least(past, turned, played.round)


def test_a_bye_is_worth_a_win_at_two_seats() -> None:
    history = play(Entrants((1, 2, 3)), 2, swiss_round, 1, Random(1))
    (bye,) = history.played[0].round.byes
    (row,) = [row for row in history.standings() if row.entrant == bye]
    assert (row.match_points, row.byes, bye_points(2)) == (2, 1, 2)


def test_too_few_entrants_are_refused() -> None:
    with pytest.raises(PairingError) as refused:
        swiss_round(History(Entrants((1, 2)), 3, [], (0, 1)))
    assert refused.value.code == "too_few_entrants"


def test_only_remaining_entrants_are_paired() -> None:
    history = History(Entrants(tuple(range(9))), 2, [], range(9))
    drawn: Round = swiss_round(history, among=[1, 3, 5, 7])
    assert everyone_once(drawn, [1, 3, 5, 7])
