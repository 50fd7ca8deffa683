"""Takes a record through the procedure step by step and notes faults, log entries and decision points."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .games import GAMES
from .table import Ask, Chance, Event, Game, Request, Table

DEFAULT_REASONS = ["late", "malformed", "too_long", "wrong_id", "illegal", "forfeit", "absent"]


class UnsoundError(Exception):
    """A step from which the game cannot go on."""


@dataclass(frozen=True)
class Point:
    """Somebody was asked: the step `ply` is the answer, `entries` is how long the logs were, by seat, None a spectator.

    `legal` has every legal move, `document` only where they are few. After the last step nobody is asked:
    `seat` is None and `document` empty.
    """

    ply: int
    seat: int | None
    document: dict[str, Any]
    legal: list[Any]
    entries: dict[int | None, int]
    game: Game
    table: Table
    turn: int | None

    def view(self, seat: int | None) -> dict[str, Any]:
        """The view of a seat, or of a spectator, at this point."""
        return self.game.view(self.table, seat, self.turn)


class Walk:
    """One pass over a record. `faults` is empty for sound steps; the pass ends at the first one it cannot go past."""

    def __init__(self, record: dict[str, Any], points: bool = False) -> None:
        self.steps: list[Any] = record["steps"]
        self.unfinished = record["outcome"] is None
        self.game = GAMES[record["game"]]
        self.table: Table = self.game.lay(record["seats"], bytes.fromhex(record["seed"]))
        self.ply = 0
        self.over = False
        self.faults: list[str] = []
        self.watchers: list[int | None] = [*range(record["seats"]), None]
        self.logs: dict[int | None, list[dict[str, Any]]] = {watcher: [] for watcher in self.watchers}
        self.points: list[Point] = []
        self.forfeited: dict[int, int] = {}
        self._keep_points = points
        self._hidden: list[dict[str, Any]] = []
        try:
            self._go()
        except UnsoundError as fault:
            self.faults.append(str(fault))

    def log(self, seat: int | None) -> list[dict[str, Any]]:
        """The log of a seat, or of a spectator, up to the end of the record."""
        return self.logs[seat]

    def _go(self) -> None:
        procedure = self.game.play(self.table)
        answer: list[Any] | None = None
        while True:
            try:
                request = procedure.send(answer) if answer is not None else next(procedure)
            except StopIteration:
                self.over = True
            self._note_events()
            if self.over or self._ends_here(request):
                break
            answer = self._chance(request) if isinstance(request, Chance) else self._moves(request)
        self._note_end()

    def _ends_here(self, request: Request) -> bool:
        """True where a record of a running game may end: before a decision that has to be asked (`record.md`)."""
        if self.ply < len(self.steps):
            return False
        asked = not isinstance(request, Chance) and any(len(ask.legal) > 1 for ask in request)
        if not (self.unfinished and asked):
            what = request.step["chance"] if isinstance(request, Chance) else request[0].kind
            raise UnsoundError(f"step {self.ply}: the record ends although {what} is due (record.md Exactly)")
        return True

    def _chance(self, request: Chance) -> list[Any]:
        step = self.steps[self.ply]
        if not same(step, request.step):
            rule = "record.md Chance from the seed"
            raise UnsoundError(f"step {self.ply}: expected the chance step {request.step}, found {step} ({rule})")
        if request.step["chance"] in ("age_order", "starter"):
            self._tell({"ply": self.ply, "step": step})
        self.ply += 1
        return []

    def _moves(self, asks: list[Ask]) -> list[Any]:
        self._note_points(asks)
        if self.ply + len(asks) > len(self.steps):
            raise UnsoundError(f"step {self.ply}: the simultaneous moves are incomplete (record.md Shape)")
        moves = []
        for ask in asks:
            step = self.steps[self.ply]
            self._check_move(step, ask)
            entry = {"ply": self.ply, "step": step}
            if ask.hidden:
                self._hidden.append(entry)
            else:
                self._tell(entry)
            moves.append(step["move"])
            self.ply += 1
        return moves

    def _check_move(self, step: Any, ask: Ask) -> None:
        where = f"step {self.ply}"
        if not isinstance(step, dict) or not {"seat", "decision", "move"} <= step.keys():
            raise UnsoundError(f"{where}: expected {ask.kind} of seat {ask.seat}, found {step} (record.md Steps)")
        if not (same(step["seat"], ask.seat) and same(step["decision"], ask.kind)):
            actual = f"{step['decision']} of seat {step['seat']}"
            raise UnsoundError(
                f"{where}: expected {ask.kind} of seat {ask.seat}, found {actual} ({self.game.rules[ask.kind]})"
            )
        if not any(same(step["move"], move) for move in ask.legal):
            raise UnsoundError(
                f"{where}: {ask.kind} {step['move']!r} is not legal or not canonical ({self.game.rules[ask.kind]})"
            )
        self.faults += [f"{where}: {fault} (record.md Exactly)" for fault in self._flag_faults(step, ask)]

    def _flag_faults(self, step: dict[str, Any], ask: Ask) -> Iterator[str]:
        extra = step.keys() - {"seat", "decision", "move", "forced", "default"}
        forced, reason = len(ask.legal) == 1, step.get("default")
        if extra:
            yield f"unknown keys {sorted(extra)}"
        if forced != ("forced" in step):
            yield "forced must stand exactly where one move is legal"
        if "forced" in step and step["forced"] is not True:
            yield "forced may only be true"
        if "default" in step:
            if forced or "forced" in step:
                yield "forced and default exclude each other"
            if not (isinstance(reason, str) and reason in DEFAULT_REASONS):
                yield f"unknown reason {reason!r} for default"
            if not same(step["move"], ask.legal[0]):
                yield "a default must be the first legal move"
        if ask.seat in self.forfeited and not forced and reason != "forfeit":
            yield f"seat {ask.seat} has forfeited and may only play default forfeit"
        if reason == "forfeit":
            self.forfeited.setdefault(ask.seat, self.ply)

    def _note_events(self) -> None:
        for news in self.table.news:
            if isinstance(news, Event):
                self._tell({"ply": self.ply, "event": news.document}, news.seat)
            else:
                self._tell(self._hidden.pop())
        self.table.news.clear()

    def _tell(self, entry: dict[str, Any], alone: int | None = None) -> None:
        for watcher in self.watchers if alone is None else [alone]:
            self.logs[watcher].append(as_seen(entry, watcher))

    def _note_points(self, asks: list[Ask]) -> None:
        if not self._keep_points:
            return
        table, entries = copy.deepcopy(self.table), self._lengths()
        turn = asks[0].seat if len(asks) == 1 else None
        for offset, ask in enumerate(asks):
            if len(ask.legal) > 1:
                document, ply = ask.document, self.ply + offset
                self.points.append(Point(ply, ask.seat, document, ask.legal, entries, self.game, table, turn))

    def _note_end(self) -> None:
        if self.over and self._keep_points:
            self.points.append(Point(self.ply, None, {}, [], self._lengths(), self.game, self.table, None))

    def _lengths(self) -> dict[int | None, int]:
        return {watcher: len(log) for watcher, log in self.logs.items()}


def same(first: Any, second: Any) -> bool:
    """Equality of JSON values in which `true` is not 1 and `1.0` is not 1."""
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(value, second[key]) for key, value in first.items())
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    return bool(first == second)


def walked(record: dict[str, Any], points: bool = False) -> Walk:
    """A walk over a record whose steps must be sound; raises ValueError with the faults."""
    walk = Walk(record, points)
    if walk.faults:
        raise ValueError("; ".join(walk.faults))
    return walk


def logs(record: dict[str, Any], seat: int | None) -> list[dict[str, Any]]:
    """The entries of a seat's log up to the end of the record; only its own moves show `forced` and `default`."""
    return walked(record).log(seat)


def as_seen(entry: dict[str, Any], seat: int | None) -> dict[str, Any]:
    step = entry.get("step")
    if step is None or step.get("seat") == seat or "decision" not in step:
        return entry
    return {"ply": entry["ply"], "step": {key: step[key] for key in ("seat", "decision", "move")}}


def decisions(record: dict[str, Any]) -> Iterator[Point]:
    """Every decision that was asked, in the order of the record; forced moves are asked of nobody."""
    return (point for point in walked(record, points=True).points if point.document)


def views(record: dict[str, Any], ply: int, seat: int | None) -> dict[str, Any]:
    """The view before the step `ply`, which must be a decision that was asked, or after the last step.

    Before simultaneous moves the view is that of the moment when nobody has chosen.
    """
    for point in walked(record, points=True).points:
        if point.ply == ply:
            return point.view(seat)
    raise ValueError(f"Nobody was asked at step {ply}.")
