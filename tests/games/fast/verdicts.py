"""What the engine says about records: ``python -m tests.games.fast.verdicts < RECORDS`` prints a line for each."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from games.compact import pack, read, unpack
from games.record import accelerator, require_valid, to_json, verify
from games.rules import Forfeit

REPORTED = {0: Forfeit("exit", 30), 2: Forfeit("time", None)}
"""Forfeits that a runner may report for any record."""


def said(about: Callable[[], Any]) -> str:
    """The result as JSON, or the error."""
    try:
        return json.dumps(about())
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def repacked(record: Any) -> list[Any]:
    """The compact form, what is unpacked again, and what is said about changed bytes."""
    packed = pack(record)
    game = read(packed)
    changed = [packed[:-1], packed + b"\0", packed[:-1] + bytes([packed[-1] ^ 1]), b"\1" + packed[1:], packed[:60]]
    return [
        packed.hex(),
        to_json(unpack(packed)),
        [game.game, game.seats, game.seed.hex(), game.outcome, game.text.decode()],
        [said(lambda data=data: unpack(data)) for data in changed],
    ]


def verdict(record: Any) -> list[str]:
    """Everything that is said about a record."""
    return [
        said(lambda: verify(record).record),
        said(lambda: require_valid(record)),
        said(lambda: require_valid(record, REPORTED)),
        said(lambda: verify(record, REPORTED).outcome),
        said(lambda: repacked(record)),
    ]


if __name__ == "__main__":
    print(json.dumps(accelerator() is not None))
    for line in sys.stdin:
        print(json.dumps(verdict(json.loads(line))))
