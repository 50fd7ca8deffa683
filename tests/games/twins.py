"""Twins: two games that differ only in what somebody may not see (views.md "Complete and closed")."""

from __future__ import annotations

from random import Random
from typing import Any

from games import strict
from games.registry import GAMES
from games.rules import Document, State
from games.sampling import sample
from tests.games.play import VOLUNTARY, seed_of

Play = tuple[int, Any, str | None]
"""A seat, its move, and the reason if it was a default."""


def game_with_plays(slug: str, seats: int, number: int, moves: int) -> tuple[State, list[Play]]:
    """Return a random game after a number of moves, and all its moves, including secret ones."""
    state, random = GAMES[slug].new(seats, seed_of(number)), Random(number)
    plays: list[Play] = []
    while state.pending and len(plays) < moves:
        seat = random.choice(state.pending)
        default = random.choice(VOLUNTARY) if random.random() < 0.1 else None
        move = state.default_move(seat) if default else state.random_move(seat, random)
        state.play(seat, move, default=default)
        plays.append((seat, move, default))
    return state, plays


def play_with_any_mark(twin: State, seat: int, move: Any, random: Random) -> None:
    is_default = strict.same(move, twin.default_move(seat))
    twin.play(seat, move, default=random.choice([None, *VOLUNTARY]) if is_default else None)


def seen(state: State, seat: int | None) -> list[Any]:
    """All that ``seat`` is told; the commitment is public, and stands for a seed that is not."""
    log = {key: value for key, value in state.log(seat).items() if key != "commitment"}
    asked = seat is not None and seat in state.pending
    return [state.view(seat), log, asked, state.decision(seat) if asked and seat is not None else None]


def sampled(state: State, seat: int) -> Document:
    """The record of a state that is sampled from what ``seat`` is told."""
    return sample(state.view(seat), state.entries(seat), Random(seat)).record
