"""Games to test with: the sample records, and random play of every registered game at every number of seats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from games.registry import GAMES
from games.rules import DEFAULT_REASONS, Document, State

TABLES = [(slug, seats) for slug, game in GAMES.items() for seats in game.seat_counts]
"""Every game there is, with every number of seats it has."""

RECORDS = sorted((Path(__file__).parent / "records").glob("*.jsonl"))
"""Files of games by an independent implementation of the rules, with one record per line."""

VOLUNTARY = [reason for reason in DEFAULT_REASONS if reason != "forfeit"]


def sample_lines() -> dict[str, str]:
    """The sample records as text, by file name and line number."""
    return {
        f"{path.stem}:{number}": line
        for path in RECORDS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    }


def sample_records() -> dict[str, Document]:
    """The sample records by file name and line number, to be read and not changed."""
    return {name: json.loads(line) for name, line in sample_lines().items()}


def seed_of(number: int) -> bytes:
    """A seed of 32 bytes for a small number."""
    return number.to_bytes(32, "big")


def move_once(state: State, random: Random, defaults: float = 0.0) -> tuple[int, Any]:
    """One random seat of those who are asked moves at random, or by default in this share of cases."""
    seat = random.choice(state.pending)
    if random.random() < defaults:
        move = state.default_move(seat)
        state.play(seat, move, default=random.choice(VOLUNTARY))
    else:
        move = state.random_move(seat, random)
        state.play(seat, move)
    return seat, move


def positions(slug: str, seats: int, number: int, defaults: float = 0.0) -> Iterator[State]:
    """The same state before every move of a random game, and once more when the game is over."""
    state = GAMES[slug].new(seats, seed_of(number))
    random = Random(number)
    yield state
    while state.pending:
        move_once(state, random, defaults)
        yield state


def played(slug: str, seats: int, number: int, moves: int | None = None, defaults: float = 0.0) -> State:
    """Return a random game after a number of moves, or at its end."""
    for count, state in enumerate(positions(slug, seats, number, defaults)):
        if count == moves or not state.pending:
            return state
    raise AssertionError("a game has a first position")


def decided_again(record: Document) -> State:
    """The game of the record's seed with its players' decisions: no chance step and no forced move is read."""
    state = GAMES[record["game"]].new(record["seats"], bytes.fromhex(record["seed"]))
    for step in record["steps"]:
        if "decision" in step and "forced" not in step:
            state.play(step["seat"], step["move"], default=step.get("default"))
    for seat, score in enumerate(record["outcome"]["scores"]):
        if "forfeit" in score:
            state.forfeit(seat, score["forfeit"])
    return state
