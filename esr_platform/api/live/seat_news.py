"""What is new for a bot at one table, as the events of its stream and the answers of long polls."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from django.db.models import F

from games.base import Document
from ladder.live import decisions
from ladder.live.clocks import milliseconds
from ladder.live.position import Position
from ladder.live.rows import position_at
from ladder.models import Chair, Match


@dataclass(frozen=True)
class Told:
    """How much of a game a stream has told: that it has begun, the last decision, the log up to ``entries``."""

    started: bool = False
    decision: int = 0
    entries: int = 0
    over: bool = False


@dataclass(frozen=True)
class News:
    """The events to be told now, what is told with them, and after how many seconds there is more to tell."""

    told: Told
    events: list[Document] = field(default_factory=list)
    again_s: float | None = None


class Waited(NamedTuple):
    """What a long poll has found: an event, or in how many seconds there is one, if anybody knows."""

    event: Document | None = None
    again_s: float | None = None


def news_of(match_id: int, asks: list[tuple[int, Told]]) -> list[News]:
    """The news of one match for bots that were told so much; one look at the table for all of them."""
    position = position_at(match_id)
    return [_news(position, bot, told) for bot, told in asks]


def next_event(bot_id: int) -> Waited:
    """The decision that waits longest for the bot, of any game, with its whole log."""
    for match_id, _ in decisions.open_decisions(bot_id):
        found = open_event(match_id, bot_id, 0)
        if found is not None and found.event is not None and found.event["type"] == "decide":
            return found
    return Waited()


def open_event(match_id: int, bot_id: int, log: int) -> Waited | None:
    """The bot's open decision, with the log from ``log`` on, or the end of the game; ``None`` if it is not its game."""
    found = decisions.position_for(match_id, bot_id)
    if found is None:
        return None
    position, seat = found
    if position.match.status in Match.ENDED:
        return Waited(decisions.game_end(position, seat))
    if not _is_open(position, seat):
        return Waited(again_s=_again_s(position, seat))
    hello = decisions.hello(position, seat, resumed=True)
    return Waited({**decisions.decide_event(position, seat, log), "hello": hello})


def _news(position: Position | None, bot: int, told: Told) -> News:
    seat = None if position is None else position.seat_of(bot)
    if position is None or seat is None or told.over:
        return News(replace(told, over=True))
    if position.match.status in Match.ENDED:
        return News(replace(told, over=True), [decisions.game_end(position, seat)] if told.started else [])
    events = [] if told.started else [_start(position, seat)]
    told, decision = replace(told, started=True), position.chairs[seat].asked
    if not _is_open(position, seat) or decision <= told.decision:
        return News(told, events, _again_s(position, seat))
    event = decisions.decide_event(position, seat, told.entries)
    entries = event["log_from"] + len(event["message"]["log"])
    return News(replace(told, decision=decision, entries=entries), [*events, event])


def _start(position: Position, seat: int) -> Document:
    """The game begins for this stream: whoever was told so before is told that it goes on."""
    chair = position.chairs[seat]
    Chair.objects.filter(pk=chair.pk).update(starts=F("starts") + 1)
    begun = decisions.game_start(position, seat, resumed=chair.starts > 0)
    hello = decisions.hello(position, seat, resumed=chair.starts > 0, start=chair.starts + 1)
    return {**begun, "message": hello}


def _is_open(position: Position, seat: int) -> bool:
    """Whether the seat owes a decision that it may be told of by now."""
    chair = position.chairs[seat]
    return chair.owes and chair.due_at is not None and chair.due_at <= position.now


def _again_s(position: Position, seat: int) -> float | None:
    """In how many seconds it is told of the decision that it owes; ``None`` if nobody knows, or it is told already."""
    due_at = position.chairs[seat].due_at
    if due_at is None or due_at <= position.now:
        return None
    return (milliseconds(position.now, due_at) + 1) / 1000
