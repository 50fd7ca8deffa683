"""The engine against the judge: games of many tempers, where both must say the same at every point."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from games import record as records
from games.rules import IllegalMove, State
from tests import judge
from tests.games import comparison
from tests.games.comparison import assert_agreement
from tests.games.die_weinhaendler import tempers as weinhaendler
from tests.games.edel_stein_reich import tempers as edel_stein_reich
from tests.games.play import TABLES, sample_records

PLAYED = {
    "edel-stein-reich": edel_stein_reich,
    "edel-stein-reich-duel": edel_stein_reich,
    "die-weinhaendler": weinhaendler,
}
"""How every game is played against the judge."""

GAMES = [(slug, seats, name) for slug, seats in TABLES if slug in PLAYED for name in PLAYED[slug].TEMPERS]


def play(slug: str, seats: int, temper: str, number: int) -> comparison.Played:
    """The game of this number between seats of this temper."""
    return comparison.play(slug, seats, PLAYED[slug].TEMPERS[temper], f"{slug} {seats} {temper} {number}")


def test_every_game_is_played_against_the_judge() -> None:
    assert {slug for slug, _ in TABLES} - set(PLAYED) == set(), "Add these games to PLAYED and to tests/judge."


@pytest.mark.parametrize(("slug", "seats", "temper"), GAMES)
def test_engine_and_judge_agree_on_every_step_view_decision_and_log(slug: str, seats: int, temper: str) -> None:
    assert_agreement(play(slug, seats, temper, 0))


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize(("slug", "seats", "temper"), GAMES)
def test_engine_and_judge_agree_over_many_games(slug: str, seats: int, temper: str) -> None:
    for number in range(1, 9):
        assert_agreement(play(slug, seats, temper, number))


@pytest.mark.parametrize("game", [edel_stein_reich, weinhaendler], ids=["edel-stein-reich", "die-weinhaendler"])
def test_the_tempers_reach_the_rare_cases(game: Any) -> None:
    missing = set(game.RARE)
    for played in game.REACHING:
        walk = judge.walked(play(*played).state.record, points=True)
        missing -= {*comparison.cases(walk), *game.cases(walk)}
    assert not missing


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_the_engine_refuses_every_move_that_the_judge_does_not_know(slug: str, seats: int) -> None:
    """Every move made anywhere in the game is tried at every decision, as it was made and with its lists reversed."""
    record = play(slug, seats, "any_move", 0).state.record
    moves = [step["move"] for step in record["steps"] if "decision" in step]
    random = Random(seats)
    for point, state in replayed(record):
        assert point.seat is not None
        for move in random.sample(moves, 25):
            for written in (move, backwards(move)):
                try:
                    assert state.check(point.seat, written) in point.legal
                except IllegalMove:
                    assert written not in point.legal


def replayed(record: dict[str, Any]) -> Iterator[tuple[judge.Point, State]]:
    """Every decision that one seat is asked alone, with the engine's state at that moment."""
    points = list(judge.decisions(record))
    for before, point in pairwise(points):
        if point.turn is not None and before.turn is not None:
            cut = {**record, "steps": record["steps"][: point.ply], "outcome": None}
            yield point, records.replay(cut)


def backwards(move: Any) -> Any:
    """The move with its lists reversed, where the order of a list says nothing."""
    if isinstance(move, str) or not {"take", "cards"} & move.keys():
        return move
    return {key: value[::-1] for key, value in move.items() if isinstance(value, list)}


ODD_VALUES = [
    0, 1, -1, 2, True, False, None, 1.0, "", "R", "B", "money", "event", "gems", "decline", "accept", "blind", "late",
    "forfeit", "strikes", "cert", [], {}, [1], {"offer": [0, 0, 0, 1]}, {"colour": "R"}, {"gift": "R"},
    "pass", "done", "empty", "R6", "G14", {"cards": ["R6"]}, {"card": "empty", "cell": [0, 0]},
]  # fmt: skip


def altered(record: dict[str, Any], random: Random) -> dict[str, Any]:
    """The record with one thing changed: a value, a key, the order of something, a step, or its end cut off."""
    changed = copy.deepcopy(record)
    steps = changed["steps"]
    place = random.randrange(len(steps))
    change = random.randrange(7)
    if change == 0:
        steps.insert(place, copy.deepcopy(random.choice(steps)))
    elif change == 1:
        del steps[place]
    elif change == 2:
        changed["steps"], changed["outcome"] = steps[:place], None
    elif change == 3:
        steps[place - 1], steps[place] = steps[place], steps[place - 1]
    else:
        alter_value(steps[place] if random.random() < 0.9 else changed["outcome"], random)
    return changed


def alter_value(document: Any, random: Random) -> None:
    while True:
        key = random.choice(list(document)) if isinstance(document, dict) else random.randrange(len(document))
        if not (isinstance(document[key], dict | list) and document[key] and random.random() < 0.7):
            break
        document = document[key]
    if isinstance(document, dict) and random.random() < 0.4:
        document[random.choice(["default", "forced", "forfeit", "note"])] = random.choice(ODD_VALUES)
    elif isinstance(document, dict) and random.random() < 0.3:
        del document[key]
    elif isinstance(document, list) and random.random() < 0.4:
        random.shuffle(document)
    else:
        document[key] = copy.deepcopy(random.choice(ODD_VALUES))


@pytest.mark.parametrize("seed", range(2))
def test_verify_and_judge_refuse_the_same_altered_records(seed: int) -> None:
    random = Random(seed)
    originals = list(sample_records().values())
    for _ in range(150):
        record = altered(random.choice(originals), random)
        faults = judge.check(record)
        if faults:
            with pytest.raises(records.RecordError):
                records.verify(record)
        else:
            records.verify(record)
