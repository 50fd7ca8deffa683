"""With and without the accelerator, the same is said about every record, correct or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.compact import pack, read
from games.fast import wine
from games.record import accelerator, confirmed, forfeits_of, require_valid
from games.registry import GAMES
from games.rules import FORFEIT_REASONS, Document, State
from tests.games.fast.copies import copied
from tests.games.fast.differential import FORMATS
from tests.games.fast.verdicts import verdict
from tests.games.play import VOLUNTARY, played, sample_records, seed_of

ROOT = Path(__file__).parents[3]
OTHER_VALUES: list[Any] = [None, True, False, 0, 1, -1, 1.0, 2**40, 10**30, "", "R", "pass", "forfeit", "ß", [], {}]


def left(slug: str, seats: int, number: int) -> State:
    """A random game of seats that move by default now and then, and leave."""
    state, random = GAMES[slug].new(seats, seed_of(number)), Random(number)
    leaves = {seat: random.randrange(100) for seat in range(seats) if random.random() < 0.4}
    forfeits: dict[int, int] = {}
    while state.pending:
        seat = state.pending[0]
        if seat in forfeits or state.step_count >= leaves.get(seat, 10**6):
            forfeits.setdefault(seat, state.step_count)
            state.play(seat, state.default_move(seat), default="forfeit")
        elif random.random() < 0.1:
            state.play(seat, state.default_move(seat), default=random.choice(VOLUNTARY))
        else:
            state.play(seat, state.random_move(seat, random))
    for seat, at in forfeits.items():
        state.forfeit(seat, random.choice(FORFEIT_REASONS), at if number % 3 else None)
    return state


def games(slug: str, seats: int, count: int, first: int = 0) -> Iterator[Document]:
    """Records of finished and of running games, with default moves and forfeits."""
    for number in range(first, first + count):
        yield played(slug, seats, number).record
        yield played(slug, seats, number, defaults=0.2).record
        yield played(slug, seats, number, moves=number % 150).record
        yield left(slug, seats, number).record


def changed(record: Document, random: Random) -> Document:
    """A copy with one change at a random place."""
    record = deepcopy(record)
    holder: Any = record
    while True:
        key = random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if not isinstance(holder[key], dict | list) or not holder[key] or random.random() < 0.1:
            break
        holder = holder[key]
    way = random.choice(["set", "drop", "count", "swap", "order"])
    if way == "drop":
        del holder[key]
    elif way == "count" and isinstance(holder[key], int):
        holder[key] += random.choice([-1, 1])
    elif way == "swap" and isinstance(holder, list):
        other = random.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    elif way == "order" and isinstance(holder, dict):
        holder[key] = holder.pop(key)
    else:
        holder[key] = random.choice([*OTHER_VALUES, [holder[key]], str(holder[key])])
    return record


def assert_same_verdicts(records: list[Document], folder: Path) -> None:
    """Compare with another process, which has no library."""
    lines = [json.dumps(record) for record in records]
    plain = subprocess.run(
        [sys.executable, "-m", "tests.games.fast.verdicts"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(copied(folder)), str(ROOT)])},
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    is_accelerated, *expected = map(json.loads, plain.stdout.splitlines())
    assert not is_accelerated
    assert accelerator() is not None
    assert len(expected) == len(records)
    for line, verdict_there in zip(lines, expected, strict=True):
        assert verdict(json.loads(line)) == verdict_there, line


@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_correct_records_are_confirmed_and_packed(slug: str, seats: int) -> None:
    for record in games(slug, seats, 15):
        replayed = confirmed(record, packs=record["outcome"] is not None)
        assert replayed
        assert replayed.outcome == record["outcome"]
        if record["outcome"]:
            assert replayed.choices == pack(record)[-len(replayed.choices) :]
            assert json.loads(replayed.steps) == record["steps"] == read(pack(record)).record["steps"]


def test_the_records_of_another_implementation_are_confirmed() -> None:
    assert all(confirmed(record, forfeits_of(record)) for record in sample_records().values())


def test_the_plain_engine_judges_games_whose_components_do_not_fit_into_the_accelerator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of_larger_hands(seats: int) -> wine.WineRules:
        rules = rules_of(seats)
        rules.hand_size = 30
        return rules

    rules_of = wine.rules_of
    record = played("die-weinhaendler", 3, 1).record
    fast = accelerator()
    assert fast is not None
    fast._format.cache_clear()
    monkeypatch.setattr(wine, "rules_of", of_larger_hands)
    assert confirmed(record) is None
    assert read(pack(record)).record == record
    require_valid(record)
    fast._format.cache_clear()


@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_the_verdicts_on_records_are_the_same_with_and_without_the_accelerator(
    slug: str, seats: int, tmp_path: Path
) -> None:
    assert_same_verdicts(list(games(slug, seats, 4)), tmp_path)


def changes(slug: str, seats: int, count: int) -> list[Document]:
    random = Random(f"{slug}/{seats}")
    records = list(games(slug, seats, 5, first=1000))
    return [changed(random.choice(records), random) for _ in range(count)]


@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_the_verdicts_on_changed_records_are_the_same_with_and_without_the_accelerator(
    slug: str, seats: int, tmp_path: Path
) -> None:
    assert_same_verdicts(changes(slug, seats, 60), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_the_verdicts_on_thousands_of_records_are_the_same(slug: str, seats: int, tmp_path: Path) -> None:
    assert_same_verdicts([*games(slug, seats, 100, first=2000), *changes(slug, seats, 1500)], tmp_path)
