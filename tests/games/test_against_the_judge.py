"""The engine against the judge: games of many tempers, where both must say the same at every point."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games import record as records
from games.base import DEFAULT_REASONS, FORFEIT_REASONS, IllegalMove, State
from games.registry import GAMES
from tests import judge

TABLES = [("edel-stein-reich-duel", 2), ("edel-stein-reich", 3), ("edel-stein-reich", 4), ("edel-stein-reich", 5)]
RECORDS = sorted((Path(__file__).parent / "records").glob("edel-stein-reich*.jsonl"))

Temper = Callable[[State, int, Random], Any]


def any_move(state: State, seat: int, random: Random) -> Any:
    return state.random_move(seat, random)


def prefers(word: str) -> Temper:
    """Chooses this word wherever it is legal, two times in three."""

    def choose(state: State, seat: int, random: Random) -> Any:
        wanted = random.random() < 2 / 3 and word in state.legal_moves(seat)
        return word if wanted else state.random_move(seat, random)

    return choose


def generous(state: State, seat: int, random: Random) -> Any:
    """Opens a barter with all it has: holdings run dry."""
    if state.decision_kind == "open_barter":
        return state.legal_moves(seat)[-1]
    return random.choice([state.default_move(seat), state.random_move(seat, random)])


def blind(state: State, seat: int, random: Random) -> Any:
    """Wants every unseen event card: the event stack runs dry. The seats take turns, so that nobody is in the way."""
    view = state.view(seat)
    if state.decision_kind == "action":
        wants = state.seats == 2 or view["round"] % state.seats == seat
        return "event" if wants else random.choice(["money", "gems"])
    if state.decision_kind == "guess":
        return next(move for move in state.legal_moves(seat) if move != "event")
    return "blind" if state.decision_kind == "event_card" else state.random_move(seat, random)


def stubborn(state: State, seat: int, random: Random) -> Any:
    """In the first turn of all nobody gives in, nor is late: the barter runs into the limit of offers."""
    view = state.view(seat)
    if (view["phase"], view["round"]) != (1, 1):
        return state.default_move(seat) if random.random() < 0.5 else state.random_move(seat, random)
    if state.decision_kind == "action":
        return "money" if seat < 2 else "gems"
    if state.decision_kind == "guess":
        return "money" if view["guesses"] else "event"
    return state.legal_moves(seat)[1]


TEMPERS: dict[str, Temper] = {
    "any_move": any_move,
    "money": prefers("money"),
    "gems": prefers("gems"),
    "event": prefers("event"),
    "free_choice": prefers("free_choice"),
    "declining": prefers("decline"),
    "generous": generous,
    "blind": blind,
    "stubborn": stubborn,
}


@dataclass
class Moment:
    """What the engine said when it asked: by seat, `None` being a spectator."""

    decisions: dict[int, Any]
    legal: dict[int, list[Any]]
    views: dict[int | None, Any]
    entries: dict[int | None, int]


@dataclass
class Played:
    """One finished game of the engine and everything it said on the way."""

    state: State
    moments: list[Moment] = field(default_factory=list)
    logs: dict[int | None, list[Any]] = field(default_factory=dict)

    @property
    def watchers(self) -> list[int | None]:
        return [*range(self.state.seats), None]


def play(slug: str, seats: int, temper: str, number: int) -> Played:
    """Plays a game out; some moves are defaulted, some seats forfeit, and sometimes a copy plays on."""
    name = f"{slug} {seats} {temper} {number}"
    random = Random(name)
    played = Played(GAMES[slug].new(seats, sha256(name.encode()).digest()))
    played.logs = {watcher: [] for watcher in played.watchers}
    gone: set[int] = set()
    while played.state.pending:
        note_moment(played)
        answer(played, TEMPERS[temper], gone, random)
        if random.random() < 0.1:
            played.state = played.state.copy()
    note_log(played)
    if random.random() < 0.2:
        played.state.forfeit(random.randrange(seats), random.choice(FORFEIT_REASONS))
    return played


def note_moment(played: Played) -> None:
    state = played.state
    note_log(played)
    decisions = {seat: state.decision(seat) for seat in state.pending}
    legal = {seat: list(state.legal_moves(seat)) for seat in state.pending}
    views = {watcher: state.view(watcher) for watcher in played.watchers}
    entries = {watcher: len(log) for watcher, log in played.logs.items()}
    played.moments.append(Moment(decisions, legal, views, entries))


def note_log(played: Played) -> None:
    for watcher, log in played.logs.items():
        log.extend(played.state.entries(watcher, len(log)))


def answer(played: Played, temper: Temper, gone: set[int], random: Random) -> None:
    """Answers for everybody who is asked, in any order; nobody may learn anything from the first answers."""
    asked = random.sample(played.state.pending, len(played.state.pending))
    for place, seat in enumerate(asked):
        play_one(played.state, seat, temper, gone, random)
        if random.random() < 0.05:
            played.state = played.state.copy()
        if place + 1 < len(asked):
            assert_secret(played, seat)


def play_one(state: State, seat: int, temper: Temper, gone: set[int], random: Random) -> None:
    fate = 1.0 if temper is stubborn else random.random()
    if seat not in gone and fate < 0.002:
        gone.add(seat)
        state.forfeit(seat, random.choice(FORFEIT_REASONS))
    if seat in gone:
        state.play(seat, state.default_move(seat), default="forfeit")
    elif fate < 0.03:
        reason = random.choice([reason for reason in DEFAULT_REASONS if reason != "forfeit"])
        state.play(seat, state.default_move(seat), default=reason)
    else:
        state.play(seat, temper(state, seat, random))


def assert_secret(played: Played, seat: int) -> None:
    """A choice that is in while others are still due shows in the chooser's own view alone."""
    before = played.moments[-1].views
    for watcher in played.watchers:
        view = played.state.view(watcher)
        if watcher is not None and watcher not in played.state.pending:
            assert view["you"]["action"] in played.moments[-1].legal[watcher]
            view = {**view, "you": before[watcher]["you"]}
        assert view == before[watcher]
        assert played.state.entries(watcher, len(played.logs[watcher])) == []
    assert seat not in played.state.pending


def assert_agreement(played: Played) -> None:
    record = played.state.record
    assert judge.check(record) == []
    walk = judge.walked(record, points=True)
    *points, end = walk.points
    answered = 0
    for moment in played.moments:
        for seat, decision in moment.decisions.items():
            point = points[answered]
            answered += 1
            assert point.seat == seat
            assert decision == point.document
            assert moment.legal[seat] == point.legal
            assert moment.entries == point.entries
        for watcher, view in moment.views.items():
            assert view == point.view(watcher)
    assert answered == len(points)
    for watcher, log in played.logs.items():
        assert log == played.state.entries(watcher) == walk.log(watcher)
        assert played.state.view(watcher) == end.view(watcher)


@pytest.mark.parametrize(("slug", "seats"), TABLES)
@pytest.mark.parametrize("temper", TEMPERS)
def test_engine_and_judge_agree_on_every_step_view_decision_and_log(slug: str, seats: int, temper: str) -> None:
    assert_agreement(play(slug, seats, temper, 0))


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "seats"), TABLES)
@pytest.mark.parametrize("temper", TEMPERS)
def test_engine_and_judge_agree_over_many_games(slug: str, seats: int, temper: str) -> None:
    for number in range(1, 9):
        assert_agreement(play(slug, seats, temper, number))


RARE = {
    "reshuffle", "supply_rule", "cancelled", "void", "counter_gift", "offers at the limit", "forced open_barter",
    "forced answer_offer", "forced counter_gift", "forced free_choice", "forced immediate",
}  # fmt: skip


def test_the_tempers_reach_the_rare_cases() -> None:
    missing = RARE - set(cases(play(*TABLES[0], "stubborn", 0).state.record))
    for number, (slug, seats), temper in product(range(40), TABLES, ("blind", "generous")):
        if missing:
            missing -= set(cases(play(slug, seats, temper, number).state.record))
    assert not missing


def cases(record: dict[str, Any]) -> Iterator[str]:
    """The names of what happened in a game."""
    walk = judge.walked(record, points=True)
    for entry in walk.log(None):
        event = entry.get("event", {})
        yield event.get("why") or event.get("type", "a step")
    for point in walk.points:
        if point.document.get("offers_made") == 199:
            yield "offers at the limit"
    for step in record["steps"]:
        if "forced" in step:
            yield f"forced {step['decision']}"


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_the_engine_refuses_every_move_that_the_judge_does_not_know(slug: str, seats: int) -> None:
    """Every move made anywhere in the game is tried at every decision, as it was made and with its lists reversed."""
    record = play(slug, seats, "any_move", 0).state.record
    moves = [step["move"] for step in record["steps"] if "decision" in step]
    random = Random(seats)
    for point, state in replayed(record):
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
    return {key: value[::-1] for key, value in move.items() if isinstance(value, list)} if "take" in move else move


def shared() -> list[dict[str, Any]]:
    return [json.loads(line) for path in RECORDS for line in path.read_text().splitlines()]


ODD_VALUES = [
    0, 1, -1, 2, True, False, None, 1.0, "", "R", "B", "money", "event", "gems", "decline", "accept", "blind", "late",
    "forfeit", "strikes", "cert", [], {}, [1], {"offer": [0, 0, 0, 1]}, {"colour": "R"}, {"gift": "R"},
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
    originals = shared()
    for _ in range(100):
        record = altered(random.choice(originals), random)
        faults = judge.check(record)
        if faults:
            with pytest.raises(records.RecordError):
                records.verify(record)
        else:
            records.verify(record)
