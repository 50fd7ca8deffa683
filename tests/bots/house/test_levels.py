"""Levels: house bots that play with a trained network."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from bots.environments.training.levels import known_temperatures
from bots.house import catalogue
from bots.house.catalogue import HERE, HOUSE, LEVELS
from bots.house.inside import load, play_inside
from games.registry import GAMES

NETWORKS = {path.stem for path in (HERE / "level").glob("*.safetensors")}


def test_levels_play_all_games_that_have_a_network_with_all_numbers_of_seats() -> None:
    assert NETWORKS
    for name in LEVELS.values():
        assert HOUSE[name].games == {game: GAMES[game].seat_counts for game in NETWORKS}


def test_temperatures_fall_from_level_to_level() -> None:
    temperatures = known_temperatures()
    assert set(temperatures) == NETWORKS
    for values in temperatures.values():
        assert len(values) == len(LEVELS)
        assert list(values) == sorted(values, reverse=True)
        assert values[-1] > 0


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the levels in a copy of the house."""
    shutil.copytree(HERE / "level", tmp_path / "level")
    monkeypatch.setattr(catalogue, "HERE", tmp_path)
    return tmp_path / "level"


def test_a_damaged_network_is_reported_and_the_levels_do_not_play_its_game(copy: Path) -> None:
    file = copy / "edel-stein-reich-duel.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.warns(UserWarning, match=r"The levels cannot play edel-stein-reich-duel: .*-duel\.safetensors"):
        found = catalogue.levels()
    assert {game for level in found for game in level.games} == NETWORKS - {"edel-stein-reich-duel"}


def test_without_networks_there_are_no_levels(copy: Path) -> None:
    for file in copy.glob("*.safetensors"):
        file.unlink()
    assert catalogue.levels() == ()


@pytest.mark.slow
@pytest.mark.parametrize("game", ["edel-stein-reich-duel"])
def test_the_highest_level_beats_the_lowest(game: str) -> None:
    high, low = ((HOUSE[name], load(HOUSE[name])) for name in ("level-6", "level-1"))
    wins = 0.0
    for number in range(20):
        deal = sha256(f"levels/{number // 2}".encode()).digest()
        ranks = play_inside(game, [high, low] if number % 2 else [low, high], deal)["ranks"]
        own = ranks[0 if number % 2 else 1]
        wins += (own == 1) / ranks.count(1)
    assert wins >= 15
