"""Records that are re-executed, packed and unpacked: ``python -m bench.record_contenders`` is a worker."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import cycle
from random import Random
from typing import Any

from bench.contenders import RECORDS, TABLES
from bench.rates import Contender
from bench.workers import serve
from games.compact import pack, read
from games.game import Game
from games.record import require_valid, to_json, verify
from games.rules import Document

VERIFIED = "verified from the seed"
"""A decoded record: every step and the outcome are compared."""

STATE = "verified, with its state"
PACKED = "packed"
UNPACKED = "unpacked"
"""The stored form of a record is re-executed and its checksum compared, as for ``manage.py verify``."""


def random_record(game: Game, seats: int, number: int) -> Document:
    """A random game, as it is decoded from JSON."""
    state, random = game.new(seats, number.to_bytes(32, "big")), Random(number)
    while state.pending:
        state.play(state.pending[0], state.random_move(state.pending[0], random))
    return json.loads(to_json(state.record))


def in_turn(things: Iterable[Any], do: Callable[[Any], object]) -> Contender:
    """Do it with one of the things after the other, again and again."""
    things = cycle(things)

    def once() -> int:
        do(next(things))
        return 1

    return once


def contenders() -> dict[str, Contender]:
    measured = {}
    for game, seats in TABLES:
        records = [random_record(game, seats, number) for number in range(RECORDS)]
        for name, things, do in (
            (VERIFIED, records, require_valid),
            (STATE, records, verify),
            (PACKED, records, pack),
            (UNPACKED, map(pack, records), read),
        ):
            measured[f"{game.slug} {seats}, {name}"] = in_turn(things, do)
    return measured


if __name__ == "__main__":
    serve(contenders())
