"""Networks: the same numbers as a plain computation from the view of a seat, and errors for files that are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from games import network
from games.network import BadNetwork, Network, check, inputs, read, save
from games.registry import GAMES

DUEL = "edel-stein-reich-duel"
FORMATS = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]


def tensors(game: str, hidden: int = 7) -> dict[str, Any]:
    """Random weights."""
    encoding, random = GAMES[game].encoding(max(GAMES[game].seat_counts)), np.random.default_rng(1)
    shapes = {
        "first": (encoding.size, hidden),
        "second": (hidden, hidden),
        "policy": (len(encoding.actions), hidden),
        "value": (encoding.seats, hidden),
    }
    shapes |= {f"{name}_bias": shape[-1:] if name == "first" else shape[:1] for name, shape in shapes.items()}
    return {name: random.normal(size=shape).astype(np.float16).astype(np.float64) for name, shape in shapes.items()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of weights for the game for two."""
    save(tmp_path / "network", DUEL, tensors(DUEL))
    return tmp_path / "network"


@pytest.mark.parametrize(("game", "seats"), FORMATS)
def test_an_evaluation_is_the_plain_computation_with_the_weights(game: str, seats: int, tmp_path: Path) -> None:
    weights, random = tensors(game), Random(2)
    save(tmp_path / "network", game, weights)
    loaded, encoding = Network.load(tmp_path / "network", game), GAMES[game].encoding(seats)
    state = GAMES[game].new(seats, bytes(32))
    for _ in range(60):
        if not state.pending:
            break
        seat = random.choice(state.pending)
        view, decision = state.view(seat), state.decision(seat)
        row = np.zeros(len(weights["first"]))
        row[inputs(game, seats)] = encoding.observation(view, decision)
        layer = np.maximum(row @ weights["first"] + weights["first_bias"], 0)
        layer = np.maximum(weights["second"] @ layer + weights["second_bias"], 0)
        options = encoding.options(decision, ())
        policy = np.exp((weights["policy"] @ layer + weights["policy_bias"])[options])
        wins = np.exp((weights["value"] @ layer + weights["value_bias"])[:seats])
        found = loaded.evaluate(view, decision)
        assert list(found.options) == options
        assert np.allclose(found.policy, policy / policy.sum())
        assert np.allclose([found.wins[(seat + place) % seats] for place in range(seats)], wins / wins.sum())
        state.play(seat, state.random_move(seat, random))


def test_with_fewer_seats_the_first_numbers_of_each_section_are_used() -> None:
    few, most = GAMES["edel-stein-reich"].encoding(3), GAMES["edel-stein-reich"].encoding(5)
    places, start, used = inputs("edel-stein-reich", 3), 0, 0
    for own, largest in zip(few.sections, most.sections, strict=True):
        assert own.name == largest.name
        assert places[used : used + own.size] == list(range(start, start + own.size))
        start, used = start + largest.size, used + own.size
    assert used == len(places)
    assert few.actions == most.actions[: len(few.actions)]


def test_weights_are_read_as_they_were_written(file: Path) -> None:
    written = tensors(DUEL)
    for name, (shape, numbers) in read(file, DUEL).items():
        assert np.array_equal(np.reshape(numbers, shape), written[name])


def header_with(change: Callable[[Any], object]) -> Callable[[bytes], bytes]:
    """Return a damage: ``change`` changes the header."""

    def damaged(contents: bytes) -> bytes:
        length = int.from_bytes(contents[:8], "little")
        header = json.loads(contents[8 : 8 + length])
        change(header)
        text = json.dumps(header).encode()
        return len(text).to_bytes(8, "little") + text + contents[8 + length :]

    return damaged


@pytest.mark.parametrize(
    "damage",
    [
        lambda contents: b"",
        lambda contents: contents[:5],
        lambda contents: contents[:1000],
        lambda contents: contents[:-2],
        lambda contents: contents + bytes(2),
        lambda contents: contents[:-9] + b"\x00" + contents[-8:],
        lambda contents: b"\xff" * 8 + contents[8:],
        lambda contents: contents[:8] + b"[" + contents[9:],
        lambda contents: contents + bytes(network.MOST_BYTES),
        header_with(lambda header: header.pop("second")),
        header_with(lambda header: header.pop("__metadata__")),
        header_with(lambda header: header["__metadata__"].update(rules="0")),
        header_with(lambda header: header["__metadata__"].update(encoding="other")),
        header_with(lambda header: header["policy"].update(dtype="F32")),
        header_with(lambda header: header["policy"].update(shape=[1, 7])),
        header_with(lambda header: header["policy"].update(data_offsets=[-2, 10])),
        header_with(lambda header: header["first_bias"].update(shape=["7"])),
        header_with(lambda header: header["first_bias"].update(shape=[10**9])),
    ],
)
def test_a_damaged_file_or_one_of_another_version_is_refused(file: Path, damage: Callable[[bytes], bytes]) -> None:
    file.write_bytes(damage(file.read_bytes()))
    for reader in (check, read, Network.load):
        with pytest.raises(BadNetwork, match="is not a network for edel-stein-reich-duel"):
            reader(file, DUEL)


def test_a_file_for_another_game_is_refused(file: Path) -> None:
    with pytest.raises(BadNetwork, match="its game is 'edel-stein-reich-duel'"):
        check(file, "edel-stein-reich")


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        check(tmp_path / "network", DUEL)
