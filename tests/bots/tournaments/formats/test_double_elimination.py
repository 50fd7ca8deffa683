from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from bots.tournaments.elimination import ranking
from bots.tournaments.formats import Plan
from bots.tournaments.rounds import Entrants, PairingError, PlayedRound, Points, Round


def plan(size: int, owners: tuple[int | None, ...] = ()) -> Plan:
    return Plan("double-elimination", 2, Entrants(owners or (None,) * size), b"k" * 32, "hash")


def play(plan: Plan, result: dict[tuple[int, int], Points] | Random | None = None) -> list[PlayedRound]:
    """A cup in which the better seed wins, except for the tables of ``result``, or with random results."""

    def points(table: tuple[int, ...]) -> Points:
        if isinstance(result, Random):
            return result.choice([(4, 0), (0, 4), (2, 2)])
        return (result or {}).get((table[0], table[1]), (4, 0))

    played = list[PlayedRound]()
    while (following := plan.next_round(played)) is not None:
        played.append(PlayedRound(following, tuple(points(table) for table in following)))
    return played


def losses(played: list[PlayedRound]) -> Counter[int]:
    tables = (pair for past in played for pair in zip(past.round, past.results, strict=True))
    return Counter(ranking(table, points)[-1] for table, points in tables)


@pytest.mark.parametrize("size", range(2, 34))
def test_all_but_the_winner_lose_two_tables_whatever_the_results(size: int) -> None:
    planned = plan(size)
    for seed in range(10):
        played = play(planned, Random(seed))
        winner, *others = (row.entrant for row in planned.standings(played))
        lost = losses(played)
        assert lost[winner] <= 1
        assert all(lost[entrant] == 2 for entrant in others)


@pytest.mark.parametrize("size", range(2, 34))
def test_every_round_has_each_entrant_with_fewer_than_two_losses_once(size: int) -> None:
    played = play(plan(size), Random(size))
    for number, past in enumerate(played):
        lost = losses(played[:number])
        seated = [entrant for table in past.round for entrant in table] + list(past.round.byes)
        assert sorted(seated) == [entrant for entrant in range(size) if lost[entrant] < 2]


def test_the_upper_bracket_is_that_of_a_knockout() -> None:
    planned, knockout = plan(13), Plan("knockout", 2, Entrants((None,) * 13), b"k" * 32, "hash")
    upper = list[PlayedRound]()
    for past in play(planned):
        following = knockout.next_round(upper)
        if following is None:
            break
        tables = dict(zip(past.round, past.results, strict=True))
        assert set(following.tables) <= set(tables)
        upper.append(PlayedRound(following, tuple(tables[table] for table in following)))
    assert len(upper) == 4


def test_the_winner_of_the_upper_bracket_has_to_lose_two_finals() -> None:
    planned = plan(4)
    first = play(planned)
    assert first[-1].round == Round(((0, 1),))
    once = play(planned, {(0, 1): (0, 4)})  # the best seed loses against the second one each time they meet
    assert [row.entrant for row in planned.standings(once)][:2] == [1, 0]
    assert losses(once)[1] <= 1


def test_a_later_second_loss_is_a_better_place() -> None:
    planned = plan(8)
    played = play(planned)
    assert [row.entrant for row in planned.standings(played)][:3] == [0, 1, 2]
    out = {}
    for number in range(1, len(played) + 1):
        for entrant, lost in losses(played[:number]).items():
            if lost == 2:
                out.setdefault(entrant, number)
    rounds = [out.get(row.entrant, len(played) + 1) for row in planned.standings(played)]
    assert rounds == sorted(rounds, reverse=True)


def test_in_the_lower_bracket_rematches_and_duels_of_one_owner_are_avoided() -> None:
    played = play(plan(16), Random(1))
    met = Counter(frozenset(table) for past in played[:4] for table in past.round)
    assert max(met.values()) == 1
    owners = (None,) * 8 + (1, 1, 2, 2, 3, 3, 4, 4)
    first_lower = play(plan(16, owners))[1].round
    lower = [table for table in first_lower if min(table) >= 8]
    assert len(lower) == 4
    assert all(owners[entrant] != owners[other] for entrant, other in lower)


def test_an_odd_number_in_the_lower_bracket_gives_byes_in_turn() -> None:
    played = play(plan(11))
    byes = Counter(entrant for past in played for entrant in past.round.byes if losses(played)[entrant] == 2)
    assert all(abs(byes[entrant] - byes[other]) <= 2 for entrant, other in combinations(byes, 2))


@pytest.mark.parametrize(("size", "seats", "code"), [(1, 2, "too_few_entrants"), (8, 4, "seats")])
def test_it_needs_two_entrants_and_tables_for_two(size: int, seats: int, code: str) -> None:
    planned = Plan("double-elimination", seats, Entrants((None,) * size), b"k" * 32, "hash")
    with pytest.raises(PairingError) as error:
        planned.next_round([])
    assert error.value.code == code
