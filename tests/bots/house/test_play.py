"""House bots at the table: they play by the rules, the same way every time, and the best of each game wins."""

from __future__ import annotations

from hashlib import sha256
from itertools import cycle, islice

import pytest

from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from bots.runner import HouseProgram, SeatSpec
from bots.sandbox import PlainLauncher
from bots.series import Series, play_series, wilson
from games.registry import GAMES
from games.rules import Document

PLAYED = {name: bot for name, bot in HOUSE.items() if name not in ("level-2", "level-3", "level-4", "level-5")}
"""The house bots; of the levels, which differ in one number only, the lowest and the highest."""

MAKERS = {name: load(bot) for name, bot in PLAYED.items()}
TABLES = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]
STRONGEST = {
    "edel-stein-reich": ("kontor", ("greedy", "haggler", "random")),
    "edel-stein-reich-duel": ("kontor", ("greedy", "haggler", "random")),
    "die-weinhaendler": ("sommelier", ("vintner", "gleaner", "cellarman", "random")),
}
"""Whose game it is, and the others at the table. A game for which the house has no bot of its own has no line."""
CONTESTS = [(game, seats) for game, seats in TABLES if game in STRONGEST]


def players(game: str, seats: int) -> list[str]:
    """Return the house bots that play this format, in the order of ``PLAYED``."""
    return [name for name, bot in PLAYED.items() if bot.plays(game, seats)]


def play(game: str, names: list[str], seed: str) -> Document:
    bots = [(HOUSE[name], MAKERS[name]) for name in names]
    return play_inside(game, bots, sha256(seed.encode()).digest())


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_every_house_bot_plays_a_whole_game_without_an_illegal_move(game: str, seats: int) -> None:
    names = players(game, seats)
    for first in range(0, len(names), seats):
        line_up = list(islice(cycle(names), first, first + seats))
        assert len(play(game, line_up, f"legal/{first}")["ranks"]) == seats


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_house_bots_never_play_an_illegal_move_in_many_games(game: str, seats: int) -> None:
    for number in range(100):
        play(game, list(islice(cycle(players(game, seats)), number, number + seats)), f"many/{number}")


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_house_bots_as_processes_get_neither_strikes_nor_forfeits(game: str, seats: int) -> None:
    names = players(game, seats)
    bots = tuple(SeatSpec(name, HouseProgram(name)) for name in islice(cycle(reversed(names)), seats))
    for played in play_series(Series(game, bots, f"processes/{game}/{seats}", 1), PlainLauncher()):
        assert not played.report.forfeits
        assert not any(seat.strikes for seat in played.report.seats)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_same_seeds_give_the_same_game(game: str, seats: int) -> None:
    names = list(islice(cycle(reversed(players(game, seats))), seats))
    assert play(game, names, "again") == play(game, names, "again")


@pytest.mark.parametrize("moves", [["stay", "go"], None])
def test_random_plays_a_kind_of_decision_it_does_not_know(moves: list[str] | None) -> None:
    hello = {"type": "hello", "seed": "5" * 64, "seat": 0, "seats": 2}
    decision = {"kind": "wander", "seat": 0, "default": "stay", "legal": moves}
    assert MAKERS["random"](hello, []).choose(decision, {}, []) in ("stay", "go")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize(("game", "seats"), CONTESTS)
def test_the_strongest_house_bot_wins_clearly_more_than_its_share_of_200_games(game: str, seats: int) -> None:
    strongest, others = STRONGEST[game]
    wins = 0.0
    for number in range(200):
        rivals = islice(cycle(others), number % len(others), number % len(others) + seats - 1)
        ranks = play(game, [strongest, *rivals], f"strength/{number}")["ranks"]
        wins += (ranks[0] == 1) / ranks.count(1)
    assert wilson(wins / 200, 200)[0] > 1 / seats
