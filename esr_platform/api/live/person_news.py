"""What is new for a person at one table, as the events of their stream.

Everything is made of the rows each time: ``Known`` is all that a stream has to remember, and its place in the log and
in what was said is all that a client has to bring to go on where it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from typing import Final, NamedTuple

import orjson
from django.urls import reverse

from games.base import Document
from ladder.chatting.reading import hidden_lines, lines_after
from ladder.models import Match
from ladder.tables.clocks import milliseconds
from ladder.tables.person_view import moments, present, recent
from ladder.tables.position import Position
from ladder.tables.reading import position_at

MOST_MOMENTS: Final = 50
"""So many an event brings; a long way to catch up comes in several."""

MOST_LINES: Final = 100


@dataclass(frozen=True)
class Known:
    """How much a stream has told: the log up to ``log``, what was said up to line ``line``, and how things stand.

    ``log`` is ``None`` before anything was told; ``moment`` and ``present`` are hashes of what was told last.
    """

    log: int | None = None
    line: int = 0
    moment: str = ""
    present: str = ""
    hidden: frozenset[int] = frozenset()
    over: bool = False

    @property
    def place(self) -> str:
        """From where a client can go on: ``57``, or ``57.1203`` where it has heard what was said."""
        return f"{self.log or 0}.{self.line}" if self.line else str(self.log or 0)


class Asked(NamedTuple):
    """Who asks for news: the seat, the account, none for a guest, and what the stream has told."""

    seat: int
    user_id: int | None
    known: Known


@dataclass(frozen=True)
class SeatNews:
    """The events to be told now, each with the place after it. After ``known.over`` there is at most a word to come.

    ``again_s`` is in how many seconds there is more, if anybody knows.
    """

    known: Known
    events: list[tuple[Document, str]] = field(default_factory=list)
    again_s: float | None = None


def news_at(match_id: int, asks: list[Asked]) -> list[SeatNews]:
    """The news of one table for the seats of people; one look at it for all of them."""
    position = position_at(match_id)
    if position is None:
        return [SeatNews(replace(ask.known, over=True)) for ask in asks]
    return [_news(position, ask) for ask in asks]


def _news(position: Position, ask: Asked) -> SeatNews:
    known, events = (ask.known, []) if ask.known.over else _of_the_game(position, ask.seat, ask.known)
    for event in _said(position.match.pk, ask.user_id, known):
        gone = {line["id"] for line in event["lines"] if line.get("hidden")}
        known = replace(known, hidden=known.hidden | gone)
        known = replace(known, line=max((known.line, *(line["id"] for line in event["lines"]))))
        events.append((event, known.place))
    if position.match.status in Match.ENDED and not known.over:
        known = replace(known, over=True)
        events.append((_end(position), known.place))
    return SeatNews(known, events, None if known.over else _again_s(position))


def _of_the_game(position: Position, seat: int, known: Known) -> tuple[Known, list[tuple[Document, str]]]:
    """What the seat has been shown since, and how things stand if that is otherwise than was told."""
    now, events = present(position, seat), []
    stands = _print(_without_the_clock(now))
    for event in _moments(position, seat, known, now):
        log = event["log_from"] + sum(len(one["entries"]) for one in event["moments"])
        known = replace(known, log=log, moment=_print(event["moments"][-1]["view"]), present=stands)
        events.append((event, known.place))
    if known.present != stands:
        known = replace(known, present=stands)
        events.append(({"type": "present", "present": now}, known.place))
    return known, events


def _moments(position: Position, seat: int, known: Known, now: Document) -> Iterator[Document]:
    """What the seat has been shown since, in parts; all of it that a memory keeps where nothing was told before."""
    start = recent(position, seat) if known.log is None else known.log
    shown = moments(position, seat, start)
    while shown and not shown[0]["entries"] and _print(shown[0]["view"]) == known.moment:
        shown = shown[1:]  # a choice that only this seat knows of has no entry: it was told
    for first in range(0, len(shown), MOST_MOMENTS):
        part = shown[first : first + MOST_MOMENTS]
        event = {"type": "moments", "log_from": start, "moments": part, "present": now}
        yield {**event, "reset": True} if known.log is None and first == 0 else event
        start += sum(len(one["entries"]) for one in part)


def _said(match_id: int, user_id: int | None, known: Known) -> Iterator[Document]:
    """What was said at the table since, in parts, and which lines are to be seen no longer."""
    if user_id is None:
        return
    line = known.line
    while True:
        lines = lines_after(match_id, user_id, line, MOST_LINES)
        if lines:
            yield {"type": "chat", "lines": lines}
        if len(lines) < MOST_LINES:
            break
        line = lines[-1]["id"]
    hidden = sorted(hidden_lines(match_id, line) - known.hidden)
    if hidden:
        yield {"type": "chat", "lines": [{"id": one, "hidden": True} for one in hidden]}


def _end(position: Position) -> Document:
    match = position.match
    outcome = position.state().outcome if match.status == Match.Status.FINISHED else None
    known = {"type": "end", "game": match.pk, "status": match.status, "reason": match.reason}
    return {**known, "outcome": outcome, "href": reverse("pages:match", args=[match.pk])}


def _again_s(position: Position) -> float | None:
    """In how many seconds something is shown that has happened already; ``None`` if nothing waits for that."""
    moments = [chair.due_at for chair in position.chairs if chair.due_at is not None]
    for row in reversed(position.rows):
        moment = row.visible_at
        moments.append(moment)
        for delay in row.delays:
            moment += timedelta(milliseconds=delay)
            moments.append(moment)
        if moment <= position.now:
            break
    later = [milliseconds(position.now, moment) for moment in moments if moment > position.now]
    return (min(later) + 1) / 1000 if later else None


def _without_the_clock(now: Document) -> Document:
    """``now`` without what time alone changes: nobody is to learn from an event that another one has moved."""
    clock = now.get("clock")
    return {**now, "clock": clock and {name: value for name, value in clock.items() if name != "left_ms"}}


def _print(document: object) -> str:
    return sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)).hexdigest()
