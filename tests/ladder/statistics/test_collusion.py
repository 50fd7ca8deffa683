from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.tournaments.seatings import seatings
from games.statistics import Exchange
from ladder.statistics.blocks import PlayedBlock, PlayedGame
from ladder.statistics.chances import adjusted
from ladder.statistics.collusion import Transfer, transfers
from ladder.statistics.gains import going_prices, weighted_median
from ladder.statistics.limits import LEAST_BLOCKS

PLAYERS = range(10)


def bartered(table: tuple[int, ...], random: Random, gifts: dict[tuple[int, int], int]) -> PlayedBlock:
    """A block in which pairs barter at chance prices; ``gifts`` are what a buyer (first) adds for a seller (second).

    Players differ: the higher the number, the more it pays everybody.
    """
    games = []
    for seating in seatings(len(table)):
        players = tuple(table[player] for player in seating)
        exchanges = []
        for first, second in combinations(range(len(players)), 2):
            buyer, seller = random.sample((first, second), 2)
            price = 1 + random.randrange(4) + players[buyer] // 4 + gifts.get((players[buyer], players[seller]), 0)
            exchanges.append(Exchange(buyer, seller, price, random.choice(("money", "event"))))
        games.append(PlayedGame(players, (1, 2, 3, 4), exchanges))
    return PlayedBlock(games)


def season(seed: int, blocks: int, gifts: dict[tuple[int, int], int]) -> list[PlayedBlock]:
    random = Random(seed)
    return [bartered(tuple(random.sample(PLAYERS, 4)), random, gifts) for _ in range(blocks)]


def test_a_planted_pair_is_first_and_no_other_pair_stands_out() -> None:
    transfers_found = transfers(season(1, 200, {(3, 7): 9}))
    assert (transfers_found[0].taker, transfers_found[0].giver) == (7, 3)
    assert [transfer for transfer in transfers_found if transfer.stands_out] == [transfers_found[0]]


@pytest.mark.slow
def test_honest_players_rarely_stand_out() -> None:
    alarms = [any(transfer.stands_out for transfer in transfers(season(seed, 150, {}))) for seed in range(100)]
    assert sum(alarms) <= 3


@pytest.mark.slow
def test_gifts_in_one_direction_are_found_in_most_seasons() -> None:
    transfers_found = [transfers(season(seed, 200, {(3, 7): 9}))[0] for seed in range(20)]
    assert sum((transfer.taker, transfer.giver) == (7, 3) and transfer.stands_out for transfer in transfers_found) >= 19


def test_a_player_generous_to_all_does_not_stand_out() -> None:
    generous = {(5, other): 6 for other in PLAYERS if other != 5}
    transfers_found = transfers(season(2, 200, generous))
    assert not [transfer for transfer in transfers_found if transfer.stands_out]
    assert next(transfer for transfer in transfers_found if transfer.giver == 5).gain > 2


def test_a_pair_is_reported_from_both_sides() -> None:
    transfers_found = {
        (transfer.taker, transfer.giver): transfer for transfer in transfers(season(3, 120, {(3, 7): 9}))
    }
    for (taker, giver), transfer in transfers_found.items():
        other = transfers_found[giver, taker]
        assert transfer.gain == pytest.approx(-other.gain)
        assert transfer.excess == pytest.approx(-other.excess)
        assert (transfer.paid, transfer.goods) == pytest.approx((-other.paid, -other.goods))
        assert (transfer.blocks, transfer.games) == (other.blocks, other.games)


def test_a_gift_shows_in_what_was_paid_and_in_what_is_gained_elsewhere() -> None:
    top: Transfer = transfers(season(4, 300, {(3, 7): 9}))[0]
    assert top.paid > 1
    assert top.excess == pytest.approx(4.5, abs=1)
    assert top.elsewhere is not None and top.elsewhere < 1
    assert top.given_elsewhere is not None and top.given_elsewhere < 1


def test_pairs_with_few_common_blocks_are_not_looked_at() -> None:
    few = season(5, 200, {})[: LEAST_BLOCKS - 1]
    assert transfers(few) == []


def test_a_game_without_exchanges_has_no_transfers() -> None:
    silent = [
        replace(block, games=[replace(game, exchanges=()) for game in block.games]) for block in season(6, 60, {})
    ]
    assert transfers(silent) == []
    assert transfers([]) == []


def test_the_order_of_blocks_does_not_matter() -> None:
    blocks = season(7, 100, {(3, 7): 9})
    forwards, backwards = transfers(blocks), transfers(blocks[::-1])
    assert [(transfer.taker, transfer.giver) for transfer in forwards[:3]] == [
        (transfer.taker, transfer.giver) for transfer in backwards[:3]
    ]
    assert forwards[0].chance == pytest.approx(backwards[0].chance)


def test_the_games_of_a_block_count_as_one_value() -> None:
    blocks = season(8, 100, {(3, 7): 9})
    doubled = [replace(block, games=[*block.games, *block.games]) for block in blocks]
    assert transfers(doubled)[0].chance == pytest.approx(transfers(blocks)[0].chance)


def test_the_price_of_a_good_is_the_mean_payment() -> None:
    game = PlayedGame(
        (1, 2), (1, 2), [Exchange(0, 1, 2, "money"), Exchange(1, 0, 5, "money"), Exchange(0, 1, 9, "event")]
    )
    assert going_prices([PlayedBlock([game])]) == {"money": 3.5, "event": 9}


@given(values=st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 5)), min_size=1, max_size=12))
def test_half_of_the_weight_is_on_either_side_of_a_weighted_median(values: list[tuple[int, int]]) -> None:
    middle = weighted_median([(float(value), weight) for value, weight in values])
    half = sum(weight for _, weight in values) / 2
    assert sum(weight for value, weight in values if value < middle) <= half
    assert sum(weight for value, weight in values if value > middle) <= half


def test_the_false_discovery_rate_of_the_example_of_benjamini_and_hochberg() -> None:
    chances = (
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1.0,
    )
    adjusted_chances = adjusted({(0, number): chance for number, chance in enumerate(chances)})
    assert [number for (_, number), chance in adjusted_chances.items() if chance <= 0.05] == [3, 2, 1, 0]
    assert adjusted_chances[0, 3] == pytest.approx(0.0095 * 15 / 4)


@given(chances=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_corrected_chance_is_never_less_than_it_was_and_keeps_the_order(chances: list[float]) -> None:
    named = {(0, number): chance for number, chance in enumerate(chances)}
    adjusted_chances = adjusted(named)
    assert all(named[pair] - 1e-12 <= chance <= 1 for pair, chance in adjusted_chances.items())
    in_order = [adjusted_chances[pair] for pair in sorted(named, key=lambda pair: (named[pair], pair))]
    assert in_order == sorted(in_order)
