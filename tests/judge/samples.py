"""The shared records, which an independent implementation made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RECORDS = sorted((Path(__file__).parent.parent / "games" / "records").glob("*.jsonl"))
Record = dict[str, Any]


def read(path: Path) -> list[Record]:
    """The records of one file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def of_game(slug: str) -> list[Record]:
    """Every shared record of one game, fewest seats first."""
    return [record for path in RECORDS for record in read(path) if record["game"] == slug]


def records() -> list[Any]:
    """Every shared record as a parameter, with its file and line as its name."""
    return [
        pytest.param(record, id=f"{path.stem}-{number}")
        for path in RECORDS
        for number, record in enumerate(read(path), start=1)
    ]


def one_each() -> list[Any]:
    """The last record of every file as a parameter: short, with defaulted moves, some with a forfeit."""
    return [pytest.param(read(path)[-1], id=path.stem) for path in RECORDS]


def first_with(fits: Callable[[dict[str, Any]], bool], times: int = 1) -> Record:
    """The first record that has so many such steps."""
    return next(record for path in RECORDS for record in read(path) if sum(map(fits, record["steps"])) >= times)
