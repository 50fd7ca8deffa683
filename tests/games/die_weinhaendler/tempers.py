"""Ways to play Die Weinhändler, the seldom ones included, and the seldom cases that they reach together."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from games.rules import Document, State
from tests import judge
from tests.games.comparison import Temper, any_move, prefers


def lavish(state: State, seat: int, random: Random) -> Any:
    """Bids many cards and keeps its bottles as long as possible: displays and hands grow."""
    legal = state.legal_moves(seat)
    return random.choice([legal[0], legal[-1], state.random_move(seat, random)])


def thrifty(state: State, seat: int, random: Random) -> Any:
    """Bids the least there is, mostly empty bottles, and lays those as soon as it can."""
    legal = state.legal_moves(seat)
    return random.choice([legal[0], *legal[1:3]])


def silent(state: State, seat: int, random: Random) -> Any:
    """No seat ever bids: every round consists of pass draws, until the stack is empty."""
    return "pass" if state.decision_kind == "bid" else state.random_move(seat, random)


def greedy(state: State, seat: int, random: Random) -> Any:
    """The first seat alone bids, one card for the whole display, and lays all but a second empty: it fills cellars."""
    legal: Sequence[Any] = state.legal_moves(seat)
    own = state.view(seat)["players"][seat]
    if state.decision_kind == "bid":
        return "pass" if seat or own["bid"] else legal[1]
    if seat:
        return legal[-1]
    lying = {(cell["level"], cell["x"]): cell["card"] for cellar in own["cellars"][-1:] for cell in cellar}
    laying = [move for move in legal if move != "done" and not (move["card"] == "empty" in lying.values())]
    first = [move for move in laying if move["card"] == "empty"] or laying
    return random.choice([move for move in first if tuple(move["cell"]) not in lying] or laying or legal)


def circling(state: State, seat: int, random: Random) -> Any:
    """All seats bid at least four cards and lay none: the stack does not shrink, until the last round."""
    legal: Sequence[Any] = state.legal_moves(seat)
    if state.decision_kind == "lay":
        return "done" if not state.view(seat)["last_round"] and "done" in legal else state.random_move(seat, random)
    fours = [move for move in legal[1:] if len(move["cards"]) >= 4]
    if state.view(seat)["last_round"]:
        return random.choice(["pass", *fours])
    return "pass" if state.view(seat)["players"][seat]["bid"] or not fours else random.choice(fours)


TEMPERS = {
    "any_move": Temper(any_move),
    "passing": Temper(prefers("pass")),
    "hoarding": Temper(prefers("done")),
    "lavish": Temper(lavish),
    "thrifty": Temper(thrifty),
    "silent": Temper(silent),
    "greedy": Temper(greedy),
    "circling": Temper(circling, reliable=True),
}

REACHING = (
    ("die-weinhaendler", 3, "passing", 2),
    ("die-weinhaendler", 3, "circling", 3),
    ("die-weinhaendler", 4, "greedy", 4),
    ("die-weinhaendler", 3, "greedy", 2),
    ("die-weinhaendler", 3, "lavish", 2),
)
"""Games in which every rare case occurs: game, seats, temper, number. Found by trying six games of every temper."""

RARE = {
    "a draw of one card", "no draw from an empty stack", "a stack of nothing but shown cards",
    "a draw in the last round", "no bidder", "one bidder", "a display above four",
    "a last round after twenty idle ones", "forced bid with cards in hand", "forced lay with cards in hand",
    "three to lay", "only an empty bottle to cover", "a covered bottle", "a second cellar", "several trios at once",
    "a trio of identical bottles", "a trio with a covering bottle", "growth to the left",
}  # fmt: skip


def cases(walk: judge.Walk) -> Iterator[str]:
    """The names of what only this game can tell of a game."""
    entries = walk.log(None)
    starts = [place + 1 for place, entry in enumerate(entries) if entry.get("event", {}).get("type") == "start"]
    for first, last in pairwise([0, *starts, len(entries)]):
        yield from _cases_of_a_round(entries[first:last])
    for point in walk.points:
        yield from _cases_of_a_point(point)
    yield from _forced_cases(walk)
    yield from _cases_of_laying(entry["event"] for entry in entries if "event" in entry)


def _cases_of_a_round(entries: list[Document]) -> Iterator[str]:
    """A round's entries end with the start player of the next; that it is the last stands before its own."""
    events = [entry["event"] for entry in entries if "event" in entry]
    types = [event["type"] for event in events]
    if "exchange" not in types:
        yield "no bidder"
    for event in events:
        if event["type"] == "exchange" and len(event["moves"]) == 2:
            yield "one bidder"
        if event["type"] == "pass_draw" and event["to_bottom"] is None:
            yield "a draw of one card"
    if "last_round" in types and "pass_draw" in types:
        yield "a draw in the last round"
    bids = [entry["step"] for entry in entries if entry.get("step", {}).get("decision") == "bid"]
    silent = {step["seat"] for step in bids} - {step["seat"] for step in bids if step["move"] != "pass"}
    if silent - {event["seat"] for event in events if event["type"] == "pass_draw"}:
        yield "no draw from an empty stack"


def _cases_of_a_point(point: judge.Point) -> Iterator[str]:
    view, decision = point.view(None), point.document
    if len(view["display"]) > 4:
        yield "a display above four"
    if view["stack"] == len(view["stack_bottom"]) > 0:
        yield "a stack of nothing but shown cards"
    if view["last_round"] and view["idle_rounds"] == 20:
        yield "a last round after twenty idle ones"
    if decision.get("must_lay", 0) >= 3:
        yield "three to lay"
    if decision.get("cells") and {cell["cards"] for cell in decision["cells"]} == {"full"}:
        yield "only an empty bottle to cover"


def _forced_cases(walk: judge.Walk) -> Iterator[str]:
    """What a seat still holds that had no choice is seen when the next is asked in the same stage."""
    plies = [point.ply for point in walk.points]
    for ply, step in enumerate(walk.steps):
        view = walk.points[bisect(plies, ply) if bisect(plies, ply) < len(plies) else -1].view(None)
        drawn = step.get("decision") == "bid"
        if "forced" in step and view["stage"] == step["decision"] and view["players"][step["seat"]]["hand"] > drawn:
            yield f"forced {step['decision']} with cards in hand"


def _cases_of_laying(events: Iterable[Document]) -> Iterator[str]:
    open_cells: dict[int, set[tuple[int, ...]]] = {}
    for event in events:
        if event["type"] == "new_cellar":
            if event["seat"] in open_cells:
                yield "a second cellar"
            open_cells[event["seat"]] = set()
        elif event["type"] == "laid":
            yield from _cases_of_a_bottle(event, tuple(event["cell"]) in open_cells[event["seat"]])
            open_cells[event["seat"]].add(tuple(event["cell"]))


def _cases_of_a_bottle(laid: Document, covering: bool) -> Iterator[str]:
    if covering:
        yield "a covered bottle"
        if laid["trios"]:
            yield "a trio with a covering bottle"
    if len(laid["trios"]) > 1:
        yield "several trios at once"
    if laid["points"] >= 5:
        yield "a trio of identical bottles"
    if laid["cell"] == [0, -1]:
        yield "growth to the left"
