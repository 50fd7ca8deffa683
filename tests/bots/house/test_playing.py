"""House bots at the table: they play by the rules, the same way every time, and Kontor plays best."""

from __future__ import annotations

from hashlib import sha256
from itertools import cycle, islice

import pytest

from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from bots.local.tallies import wilson
from games.base import Document

NAMES = list(HOUSE)
MAKERS = {name: load(bot) for name, bot in HOUSE.items()}


def play(names: list[str], seed: str) -> Document:
    game = "edel-stein-reich-duel" if len(names) == 2 else "edel-stein-reich"
    bots = [(HOUSE[name], MAKERS[name]) for name in names]
    return play_inside(game, bots, sha256(seed.encode()).digest())


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("name", NAMES)
def test_a_house_bot_plays_whole_games_without_an_illegal_move(name: str, seats: int) -> None:
    others = islice(cycle(NAMES), NAMES.index(name) + 1, NAMES.index(name) + seats)
    outcome = play([name, *others], f"legal/{name}/{seats}")
    assert len(outcome["ranks"]) == seats


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_house_bots_never_play_an_illegal_move_in_many_games(seats: int) -> None:
    for number in range(60):
        play(list(islice(cycle(NAMES), number, number + seats)), f"many/{number}")


@pytest.mark.parametrize("seats", [2, 4])
def test_the_same_seeds_give_the_same_game(seats: int) -> None:
    names = ["kontor", "random", "haggler", "greedy"][:seats]
    assert play(names, "again") == play(names, "again")


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_kontor_wins_clearly_more_than_its_share_of_200_games(seats: int) -> None:
    wins = 0.0
    for number in range(200):
        others = islice(cycle(["greedy", "haggler", "random"]), number % 3, number % 3 + seats - 1)
        ranks = play(["kontor", *others], f"strength/{number}")["ranks"]
        wins += (ranks[0] == 1) / ranks.count(1)
    assert wilson(wins / 200, 200)[0] > 1 / seats
