"""What the schemas of Die Weinhändler refuse; what they accept is tested for all games together."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from games.registry import GAMES
from tests.games.play import played, positions, sample_records
from tests.games.stories import event, log_of, move

SLUG = "die-weinhaendler"


@cache
def validator(document: str) -> Draft202012Validator:
    return Draft202012Validator(GAMES[SLUG].schema(document))


def accepts(document: str, instance: Any) -> bool:
    return validator(document).is_valid(instance)


def sample() -> dict[str, Any]:
    """A sample record cut short, which a schema does not mind."""
    record = deepcopy(sample_records()["die-weinhaendler-4:1"])
    record["steps"] = record["steps"][:6]
    return record


def step(kind: str, value: Any, **marks: Any) -> dict[str, Any]:
    made: dict[str, Any] = move(0, kind, value, **marks)["step"]
    return made


GOOD_STEPS = [
    step("bid", "pass"),
    step("bid", "pass", forced=True),
    step("bid", "pass", default="late"),
    step("bid", {"cards": ["B16", "B16", "empty"]}),
    step("lay", "done", forced=True),
    step("lay", {"card": "empty", "cell": [4, -2]}, default="absent"),
]
BAD_STEPS = [
    step("bid", {"cards": []}),
    step("bid", {"cards": ["B17"]}),
    step("bid", {"cards": ["B16"] * 7}),
    step("bid", {"cards": ["B16"]}, forced=True),
    step("bid", {"cards": ["B16"]}, default="late"),
    step("bid", {"cards": ["B16"], "total": 160}),
    step("bid", "pass", forced=True, default="late"),
    step("bid", "done"),
    step("lay", "pass"),
    step("lay", {"card": "B16"}),
    step("lay", {"card": "B16", "cell": [0, 5]}),
    step("lay", {"card": "B16", "cell": [4, 1]}),
    step("lay", {"card": "B16", "cell": [5, 0]}),
    step("lay", {"card": "B16", "cell": [0, 0, 0]}),
    step("lay", {"card": "B16", "cell": [0, 0]}, forced=True),
    step("action", "money"),
    {**step("bid", "pass"), "seat": 5},
    {"chance": "starter", "seat": 0},
    {"chance": "deck", "cards": ["B16"]},
]


@pytest.mark.parametrize("good", GOOD_STEPS, ids=str)
def test_a_step_as_the_rules_allow_it_is_accepted(good: Any) -> None:
    record = sample()
    record["steps"].append(good)
    assert accepts("record", record)
    assert accepts("log", log_of(SLUG, {"step": good}, seat=0))


@pytest.mark.parametrize("bad", BAD_STEPS, ids=str)
def test_a_broken_step_is_refused(bad: Any) -> None:
    record = sample()
    record["steps"].append(bad)
    assert not accepts("record", record)
    assert bad.get("chance") == "starter" or not accepts("log", log_of(SLUG, {"step": bad}, seat=0))


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a deck for five": lambda record: record["steps"][1]["cards"].extend(["O8"] * 9),
    "a wine that four do not play with": lambda record: record["steps"][1]["cards"].__setitem__(0, "O8"),
    "a card too few": lambda record: record["steps"][1]["cards"].pop(),
    "another number of seats": lambda record: record.update(seats=3),
    "no starter": lambda record: record["steps"].pop(0),
    "points below zero": lambda record: record["outcome"]["scores"][0].update(points=-1),
    "money": lambda record: record["outcome"]["scores"][0].update(money=1),
    "a score too few": lambda record: record["outcome"]["scores"].pop(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_broken_record_is_refused(change: Callable[[dict[str, Any]], Any]) -> None:
    record = sample()
    assert accepts("record", record)
    change(record)
    assert not accepts("record", record)


def test_a_log_shows_neither_the_deck_nor_to_spectators_a_hand() -> None:
    hand = event("hand", cards=["S24", "G14", "R13", "Y5", "empty"])
    assert accepts("log", log_of(SLUG, {"ply": 2, **hand}, seat=1))
    assert not accepts("log", log_of(SLUG, {"ply": 2, **hand}))
    assert not accepts("log", log_of(SLUG, {"step": sample()["steps"][1]}, seat=1))


EXCHANGE = event(
    "exchange", moves=[{"to": 2, "from": "display", "cards": ["B9"]}, {"to": "display", "from": 2, "cards": ["R6"]}]
)["event"]
LAID = event("laid", seat=0, card="B16", cell=[1, 0], points=3, trios=[[[0, 0], [0, 1], [1, 0]]])["event"]
DRAW = event("pass_draw", seat=0, shown=["B9", "B16"], kept="B9", to_bottom="B16")["event"]
BAD_EVENTS = [
    {**EXCHANGE, "moves": EXCHANGE["moves"][:1]},
    {**EXCHANGE, "moves": [*EXCHANGE["moves"], {"to": 5, "from": 2, "cards": ["B9"]}]},
    {**EXCHANGE, "moves": [*EXCHANGE["moves"], {"to": 1, "from": "stack", "cards": ["B9"]}]},
    {**LAID, "points": "3"},
    {**LAID, "trios": [[[0, 0], [0, 1]]]},
    {**LAID, "trios": [[[0, 0], [0, 1], [0, 1]]]},
    {**LAID, "cell": [1, 4]},
    {**DRAW, "to_bottom": None},
    {**DRAW, "shown": ["B9"]},
    {**DRAW, "shown": []},
    {"type": "refill", "cards": []},
    {"type": "refill", "cards": ["B9"] * 5},
    {"type": "hand", "cards": ["B9"] * 4},
    {"type": "start", "seat": None},
    {"type": "phase", "phase": 1},
]


def test_events_as_the_rules_make_them_are_accepted() -> None:
    last = {"type": "pass_draw", "seat": 0, "shown": ["B9"], "kept": "B9", "to_bottom": None}
    for good in (EXCHANGE, LAID, DRAW, last, {"type": "last_round"}, {"type": "new_cellar", "seat": 4}):
        assert accepts("log", {**log_of(SLUG), "entries": [{"ply": 3, "event": good}]}), good
        assert not accepts("log", {**log_of(SLUG), "entries": [{"ply": 0, "event": good}]}), (
            "nothing comes before a step"
        )


@pytest.mark.parametrize("bad", BAD_EVENTS, ids=str)
def test_a_broken_event_is_refused(bad: Any) -> None:
    assert not accepts("log", {**log_of(SLUG, seat=0), "entries": [{"ply": 3, "event": bad}]})


def viewed() -> dict[str, Any]:
    """A view with bids on the table and bottles in the cellars."""
    for state in positions(SLUG, 4, number=1):
        view = state.view(0)
        if view["players"][1]["bid"] and view["players"][0]["cellars"]:
            return deepcopy(view)
    raise AssertionError("a random game has a second bidding")


VIEW_CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a seat too many": lambda view: view["players"].append(view["players"][0]),
    "a stack larger than the box": lambda view: view.update(stack=34),
    "a bid without a total": lambda view: view["players"][1].update(total=None),
    "a total that no bottles have": lambda view: view["players"][1].update(total=161),
    "a total without a bid": lambda view: view["players"][1].update(bid=[]),
    "a cellar without a bottle": lambda view: view["players"][1]["cellars"].append([]),
    "an empty bottle over another": lambda view: view["players"][0]["cellars"][0][0].update(
        card="empty", under="empty"
    ),
    "something else covered": lambda view: view["players"][0]["cellars"][0][0].update(under="B16"),
    "an unknown stage": lambda view: view.update(stage="exchange"),
    "no hand of one's own": lambda view: view.update(you=None),
    "a hand for a spectator": lambda view: view.update(seat=None),
    "more idle rounds than there can be": lambda view: view.update(idle_rounds=21),
}


@pytest.mark.parametrize("change", VIEW_CHANGES.values(), ids=VIEW_CHANGES)
def test_a_broken_view_is_refused(change: Callable[[dict[str, Any]], Any]) -> None:
    view = viewed()
    assert accepts("view", view)
    change(view)
    assert not accepts("view", view)


def test_every_key_of_a_view_and_a_decision_is_required() -> None:
    state = played(SLUG, 4, number=1, moves=3)
    for document, whole in (("view", state.view(0)), ("decision", state.decision(state.pending[0]))):
        assert accepts(document, {**whole, "new": 1})
        for key in whole:
            assert not accepts(document, {name: value for name, value in whole.items() if name != key}), key


BID = {
    "kind": "bid",
    "seat": 1,
    "hand": ["S24", "G14", "R13", "Y5", "empty"],
    "bid": [],
    "total": None,
    "taken": [140],
    "default": "pass",
    "legal": ["pass", {"cards": ["empty"]}, {"cards": ["Y5"]}],
}
LAY = {
    "kind": "lay",
    "seat": 1,
    "hand": ["S24", "Y5"],
    "must_lay": 0,
    "cells": [{"cell": [0, 0], "cards": "any"}],
    "new_cellar": True,
    "default": "done",
    "legal": None,
}
BAD_DECISIONS: list[dict[str, Any]] = [
    {**BID, "default": {"cards": ["empty"]}},
    {**BID, "hand": []},
    {**BID, "taken": [140, 140]},
    {**BID, "taken": [14.5]},
    {**BID, "legal": ["pass"]},
    {**BID, "legal": ["pass", "done"]},
    {**LAY, "default": "pass"},
    {**LAY, "must_lay": 6},
    {**LAY, "cells": []},
    {**LAY, "cells": [{"cell": [0, 0], "cards": "empty"}]},
    {**LAY, "new_cellar": None},
]


def test_the_documented_decisions_are_accepted() -> None:
    assert accepts("decision", BID)
    assert accepts("decision", LAY)


@pytest.mark.parametrize("bad", BAD_DECISIONS, ids=str)
def test_a_broken_decision_is_refused(bad: dict[str, Any]) -> None:
    assert not accepts("decision", bad)
