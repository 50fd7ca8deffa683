"""The schema files: they accept what the engine and the samples produce, and refuse what is broken."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from games.registry import GAMES
from games.rules import State
from games.schemas import DOCUMENTS

RECORDS = Path(__file__).parent / "records"
TABLES = [(slug, seats) for slug, game in GAMES.items() for seats in game.seat_counts]

ANSWER_OFFER = {
    "kind": "answer_offer",
    "seat": 1,
    "action": "money",
    "other": 2,
    "holdings": [4, 3, 3, 3],
    "standing": [0, 0, 1, 0],
    "offers_made": 1,
    "offers_limit": 200,
    "default": "accept",
    "legal": None,
}
VIEW = {
    "game": "edel-stein-reich",
    "seats": 4,
    "seat": 1,
    "phase": 2,
    "phases": 3,
    "round": 3,
    "rounds": 7,
    "age_order": [2, 0, 3, 1],
    "supply": [10, 9, 12, 8],
    "gem_stack": 16,
    "gem_discards": ["7BB", "5YGG", "6RR", "4RYGB", "5RRY", "6RY", "7YB", "6GGB"],
    "aside": {"count": 2, "top": "4YYBB"},
    "event": {
        "display": "three",
        "stack": 27,
        "discards": ["cert", "rob", "sole:G", "cert", "half", "swap", "cert", "per:B", "cert"],
    },
    "players": [
        {
            "gems": [3, 4, 2, 5],
            "money": 21,
            "cards": ["cert", "per:R"],
            "gem_card": "5YYG",
            "chosen": True,
            "action": "gems",
        },
        {"gems": [4, 3, 3, 3], "money": 15, "cards": [], "gem_card": "7GG", "chosen": True, "action": "money"},
        {"gems": [2, 3, 4, 4], "money": 18, "cards": [], "gem_card": "7RB", "chosen": True, "action": "money"},
        {"gems": [3, 3, 1, 2], "money": 30, "cards": [], "gem_card": "6YY", "chosen": True, "action": "event"},
    ],
    "turn": 1,
    "resolving": "money",
    "barter": {
        "action": "money",
        "opener": 2,
        "other": 1,
        "declined": [],
        "offers": [{"seat": 2, "offer": [0, 0, 1, 0]}],
    },
    "free_choice": None,
    "immediate": None,
    "active": None,
    "guesses": [],
    "you": {"action": "money"},
}
DECIDE = {
    "type": "decide",
    "id": 17,
    "strikes": 1,
    "clock": {"move_ms": 1000, "bank_ms": 8120, "game_ms": 51340},
    "decision": ANSWER_OFFER,
    "view": VIEW,
    "log": [
        {"ply": 88, "step": {"seat": 0, "decision": "action", "move": "gems"}},
        {"ply": 89, "step": {"seat": 1, "decision": "action", "move": "money"}},
        {"ply": 90, "step": {"seat": 2, "decision": "action", "move": "money"}},
        {"ply": 91, "step": {"seat": 3, "decision": "action", "move": "event"}},
        {"ply": 92, "step": {"seat": 2, "decision": "open_barter", "move": {"offer": [0, 0, 1, 0]}}},
    ],
}
HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "edel-stein-reich",
    "rules": "1",
    "seats": 4,
    "seat": 2,
    "resumed": False,
    "limits": {"startup_ms": 3000, "move_ms": 1000, "bank_ms": 10000, "game_ms": 60000, "memory_mb": 512},
    "seed": "5f" * 32,
    "library": "0.1.0",
}


@cache
def validator(slug: str, document: str) -> Draft202012Validator:
    return Draft202012Validator(GAMES[slug].schema(document))


@cache
def closed_validator(slug: str, document: str) -> Draft202012Validator:
    return Draft202012Validator(closed(GAMES[slug].schema(document)))


def closed(shape: Any) -> Any:
    """The schema with every object closed: our own documents have no keys that the schema does not know."""
    if isinstance(shape, list):
        return [closed(part) for part in shape]
    if not isinstance(shape, dict):
        return shape
    narrow = {key: closed(part) for key, part in shape.items()}
    if shape.get("type") == "object" and isinstance(shape.get("required"), list):
        narrow["additionalProperties"] = False
    return narrow


def accepts(slug: str, document: str, instance: Any) -> bool:
    return validator(slug, document).is_valid(instance)


def require(slug: str, document: str, instance: Any) -> None:
    """Fail with the place and the reason unless the document is valid, also with every object closed."""
    validator(slug, document).validate(instance)
    closed_validator(slug, document).validate(instance)


def samples() -> Iterator[Any]:
    for path in sorted(RECORDS.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            yield pytest.param(json.loads(line), id=f"{path.stem}-{number}")


def sample(name: str = "edel-stein-reich-4") -> dict[str, Any]:
    """A sample record cut short after its first round, which a schema does not mind."""
    text = (RECORDS / f"{name}.jsonl").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text.splitlines()[0])
    loaded["steps"] = loaded["steps"][:8]
    return loaded


def check_running(state: State, slug: str, random: Random) -> None:
    """Validate what the spectators and one seat are told at this point, and what one of the asked seats is asked."""
    for seat in (None, random.randrange(state.seats)):
        closed_validator(slug, "view").validate(state.view(seat))
    seat = random.choice(state.pending)
    decision = state.decision(seat)
    closed_validator(slug, "decision").validate(decision)
    for move in (decision["default"], state.random_move(seat, random)):
        closed_validator(slug, "answer").validate({"id": 1, "move": move})


def check_finished(state: State, slug: str) -> None:
    """Validate what is left of a game."""
    require(slug, "record", state.record)
    for seat in (None, state.seats - 1):
        require(slug, "log", state.log(seat))
        require(slug, "view", state.view(seat))
    require(slug, "end", {"type": "end", "outcome": state.outcome, "log": state.entries(0)[-3:]})


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_every_document_of_random_games_validates(slug: str, seats: int) -> None:
    random = Random(seats)
    state = GAMES[slug].new(seats, bytes([seats] * 32))
    while state.pending:
        if random.random() < 0.25:
            check_running(state, slug, random)
        seat = random.choice(state.pending)
        if random.random() < 0.05:
            state.play(seat, state.default_move(seat), default="late")
        else:
            state.play(seat, state.random_move(seat, random))
    state.forfeit(0, "strikes")
    check_finished(state, slug)


@pytest.mark.parametrize("record", list(samples()))
def test_the_sample_records_validate(record: dict[str, Any]) -> None:
    require(record["game"], "record", record)
    match_log = {key: value for key, value in record.items() if key != "outcome"}
    match_log.update(format="match-log/1", status="void", reason="the worker was lost", steps=record["steps"][:9])
    require(record["game"], "match-log", match_log)


def test_the_documented_examples_validate() -> None:
    require("edel-stein-reich", "decide", DECIDE)
    require("edel-stein-reich", "view", VIEW)
    require("edel-stein-reich", "decision", ANSWER_OFFER)
    require("edel-stein-reich", "hello", HELLO)
    require("edel-stein-reich", "ready", {"type": "ready"})
    require("edel-stein-reich", "answer", {"id": 17, "move": {"offer": [0, 1, 0, 0]}})


def test_there_is_a_schema_of_every_document_and_game() -> None:
    for slug in GAMES:
        for document in DOCUMENTS:
            Draft202012Validator.check_schema(GAMES[slug].schema(document))


def test_every_schema_is_self_contained() -> None:
    for slug in GAMES:
        for document in DOCUMENTS:
            text = json.dumps(GAMES[slug].schema(document))
            assert text.count('"$ref"') == text.count('"$ref": "#/$defs/')


def test_a_returned_schema_is_a_copy() -> None:
    GAMES["edel-stein-reich"].schema("view").clear()
    assert GAMES["edel-stein-reich"].schema("view")["type"] == "object"


def test_an_unknown_document_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(LookupError, match="match-log"):
        GAMES["edel-stein-reich"].schema("replay")


def test_messages_and_views_can_gain_keys() -> None:
    assert accepts("edel-stein-reich", "view", {**VIEW, "new": 1})
    assert accepts("edel-stein-reich", "decision", {**ANSWER_OFFER, "new": 1})
    assert accepts("edel-stein-reich", "hello", {**HELLO, "new": 1})
    assert accepts("edel-stein-reich", "answer", {"id": 1, "move": "money", "comment": "why not"})


def test_every_named_key_is_required() -> None:
    for document, whole in (("view", VIEW), ("decision", ANSWER_OFFER), ("hello", HELLO), ("decide", DECIDE)):
        for key in whole:
            rest = {name: value for name, value in whole.items() if name != key}
            assert not accepts("edel-stein-reich", document, rest), (document, key)
    record = sample()
    for key in record:
        assert not accepts("edel-stein-reich", "record", {k: v for k, v in record.items() if k != key}), key


def move(kind: str, value: Any, **marks: Any) -> dict[str, Any]:
    return {"seat": 0, "decision": kind, "move": value, **marks}


BAD_STEPS = [
    move("action", "Money"),
    move("action", "decline"),
    move("action", "money", forced=True),
    move("action", "money", default="slow"),
    move("action", "money", note="x"),
    move("counter_gift", "decline", forced=False),
    move("counter_gift", "decline", forced=True, default="late"),
    move("counter_gift", "accept"),
    move("open_barter", "accept"),
    move("open_barter", {"offer": [0, 0, 0, 0]}),
    move("open_barter", {"offer": [0, 0, 1]}),
    move("open_barter", {"offer": [0, 0, True, 0]}),
    move("answer_offer", "decline"),
    move("answer_offer", {"offer": [0, 0, 1, 0], "why": "higher"}),
    move("free_choice", {"take": ["R", "B"]}),
    move("free_choice", {"give": "B", "take": ["B", "R"]}),
    move("immediate", {"take": {"5": "R"}}),
    move("immediate", {"take": {}}),
    move("guess", "money"),
    {"seat": "0", "decision": "action", "move": "money"},
    {"seat": True, "decision": "action", "move": "money"},
    {"seat": 5, "decision": "action", "move": "money"},
    {"chance": "starter", "seat": 0},
    {"chance": "age_order", "seats": [0, 1, 1, 2]},
    {"chance": "gem_deck", "cards": ["7BB"]},
    {"chance": "event_deck", "cards": ["joker"]},
    {"chance": "event_deck", "cards": ["cert"], "seat": 0},
]


@pytest.mark.parametrize("step", BAD_STEPS, ids=str)
def test_a_broken_step_is_refused(step: Any) -> None:
    record = sample()
    record["steps"].append(step)
    assert not accepts("edel-stein-reich", "record", record)
    assert not accepts("edel-stein-reich", "log", log_with({"ply": 3, "step": step}, seat=0))


def log_with(*entries: Any, seat: int | None = None, slug: str = "edel-stein-reich") -> dict[str, Any]:
    return {
        "format": "game-log/1",
        "game": slug,
        "rules": "1",
        "seats": 4 if slug == "edel-stein-reich" else 2,
        "seat": seat,
        "commitment": "0" * 64,
        "entries": list(entries),
        "outcome": None,
    }


@pytest.mark.parametrize("seat", [None, 0])
def test_only_a_seats_own_log_knows_what_was_forced(seat: int | None) -> None:
    step = move("counter_gift", "decline", forced=True)
    log = log_with({"ply": 3, "step": step}, seat=seat)
    assert accepts("edel-stein-reich", "log", log) is (seat == 0)


@pytest.mark.parametrize("name", ["event_deck", "gem_deck"])
def test_a_log_never_shows_a_deck(name: str) -> None:
    cards = sample()["steps"][1 if name == "event_deck" else 2]["cards"]
    log = log_with({"ply": 1, "step": {"chance": name, "cards": cards}})
    assert not accepts("edel-stein-reich", "log", log)


def test_broken_events_are_refused() -> None:
    good: dict[str, Any] = {"type": "gems_moved", "from": 0, "to": "supply", "gems": [1, 0, 0, 0], "why": "rob"}
    assert accepts("edel-stein-reich", "log", log_with({"ply": 3, "event": good}))
    for change in ({"type": "gems"}, {"from": "bank"}, {"gems": [0, 0, 0, 0]}, {"why": "theft"}, {"to": None}):
        assert not accepts("edel-stein-reich", "log", log_with({"ply": 3, "event": {**good, **change}}))
    assert not accepts("edel-stein-reich", "log", log_with({"ply": 0, "event": good}))
    assert not accepts("edel-stein-reich", "log", log_with({"ply": 3, "event": good, "step": move("action", "gems")}))


def test_a_scoring_has_its_five_rows_in_order() -> None:
    nothing = [0, 0, 0, 0]
    rows = [
        {"of": name, "share": nothing, "sole_bonus": nothing, "per_gem": nothing, "returned": nothing}
        for name in ("R", "Y", "G", "B", "cert")
    ]

    def scored(phase: int | None, rows: list[Any]) -> dict[str, Any]:
        return log_with({"ply": 3, "event": {"type": "scored", "phase": phase, "rows": rows}})

    assert accepts("edel-stein-reich", "log", scored(1, rows))
    assert accepts("edel-stein-reich", "log", scored(None, rows[:1]))
    assert not accepts("edel-stein-reich", "log", scored(1, rows[:4]))
    assert not accepts("edel-stein-reich", "log", scored(1, rows[::-1]))
    assert not accepts("edel-stein-reich", "log", scored(None, rows[4:]))


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "an unknown format": lambda record: record.update(format="game-record/2"),
    "unknown rules": lambda record: record.update(rules="2"),
    "another game": lambda record: record.update(game="edel-stein-reich-duel"),
    "too many seats": lambda record: record.update(seats=6),
    "seats as text": lambda record: record.update(seats="4"),
    "an upper-case seed": lambda record: record.update(seed="A" * 64),
    "a short commitment": lambda record: record.update(commitment="0" * 63),
    "a ninth key": lambda record: record.update(players=["a", "b", "c", "d"]),
    "no outcome": lambda record: record.update(outcome=None),
    "a rank too few": lambda record: record["outcome"]["ranks"].pop(),
    "a score too many": lambda record: record["outcome"]["scores"].append(record["outcome"]["scores"][0]),
    "a key in the outcome": lambda record: record["outcome"].update(winner=0),
    "a key in a score": lambda record: record["outcome"]["scores"][0].update(rank=1),
    "an unknown forfeit": lambda record: record["outcome"]["scores"][0].update(forfeit="bored"),
    "no setup": lambda record: record["steps"].pop(0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_broken_record_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    record = sample()
    change(record)
    assert not accepts("edel-stein-reich", "record", record)


def test_a_view_has_an_entry_for_every_seat() -> None:
    for change in ({"players": VIEW["players"][:3]}, {"age_order": [0, 1, 2]}, {"rounds": 8}, {"you": None}):
        assert not accepts("edel-stein-reich", "view", {**VIEW, **change})
    spectator = {**deepcopy(VIEW), "seat": None}
    assert not accepts("edel-stein-reich", "view", spectator)
    assert accepts("edel-stein-reich", "view", {**spectator, "you": None})


def test_the_variant_for_two_has_its_own_shapes() -> None:
    record = sample("edel-stein-reich-duel-2")
    for step in (move("free_choice", "decline"), move("action", "free_choice"), record["steps"][2]):
        broken = {**record, "steps": [*record["steps"], step]}
        assert not accepts("edel-stein-reich-duel", "record", broken)
    caught = {"type": "caught", "guess": "money", "action": "money"}
    assert accepts("edel-stein-reich-duel", "log", log_with({"ply": 3, "event": caught}, slug="edel-stein-reich-duel"))
    assert not accepts("edel-stein-reich", "log", log_with({"ply": 3, "event": caught}))
