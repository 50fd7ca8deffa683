"""Save the changes at a table and publish them: a hint for all, and finished events for people and remote bots.

The writer makes each event once. The stream of a person passes it on if it has passed on the change before
(``Table.revision``), that of a bot if it has passed on the decision before. Otherwise, or without an event, a stream
reads the rows, which are the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from esr_platform.commits import after_commit
from ladder.live.clocks import milliseconds
from ladder.live.decisions import decide_event
from ladder.live.game import LockedMatch
from ladder.live.notify import end_soon, send_hint, tell_of_the_end, wake
from ladder.live.person_view import SeatViews, hash_of_present, moments_event, present_event
from ladder.live.position import Position
from ladder.live.rows import stop
from ladder.models import LiveSeat, Match

MOST_MOMENTS: Final = 50
"""Maximum moments per event; longer catch-ups are split."""


@dataclass(frozen=True)
class SeatEvent:
    """The event of a person after a change: ``event`` is its JSON.

    ``log_from`` and ``log_to`` are the length of the person's log before and after it, ``ply`` belongs to the last of
    its moments (``None`` without moments), and ``present`` is the hash of the state in it (``hash_of_present``).
    """

    log_from: int
    log_to: int
    ply: int | None
    present: str
    event: str


@dataclass(frozen=True)
class BotEvent:
    """The event of a remote bot's ``decision``: ``event`` is its JSON, with the log from ``log_from`` to ``log_to``."""

    decision: int
    log_from: int
    log_to: int
    event: str


def save_and_publish(table: LockedMatch) -> None:
    """Save the changes at a table, if there are any, and publish them after the commit."""
    if not table.has_changed:
        after_commit(table.keep, table.position)
        return
    table.save()
    if table.aborted:
        stop(table.match, Match.Status.ABORTED, table.aborted)
        tell_of_the_end(table.match.pk)
        return
    after_commit(_publish_events, table)
    if table.position.table.over:
        end_soon(table.match.pk)
        return
    of_a_guest, in_ms = any(live_seat.guest for live_seat in table.position.live_seats), _due_in_ms(table)
    for live_seat in table.asked:
        if live_seat.kind in LiveSeat.ASKED_BY_WORKERS:
            wake(table.match.pk, live_seat.seat.index, in_ms, last=of_a_guest)


def _publish_events(table: LockedMatch) -> None:
    """Publish a committed change to streams and keep the moves and the state for the next one."""
    after = table.played_on()
    if not table.position.table.over:  # else the worker who stores the result publishes the end
        bots = [live_seat.seat.version.bot_id for live_seat in table.asked if live_seat.kind == LiveSeat.Kind.REMOTE]
        hint: dict[str, Any] = {"match": table.match.pk, "what": "moved", "bots": [], "in_ms": 0}
        in_ms = _due_in_ms(table)
        if in_ms and table.appended:
            send_hint(hint)  # the move is visible before the forced steps after it, and before the next decision
        asked = {"what": "decide" if bots else "moved", "bots": sorted(bots), "in_ms": in_ms}
        send_hint(hint | asked | _events(table, after))
    table.keep(after)


def _due_in_ms(table: LockedMatch) -> int:
    """The time in milliseconds until all decisions that were asked now are visible."""
    now = table.clock_now
    return max((milliseconds(now, live_seat.due_at) for live_seat in table.asked if live_seat.due_at), default=0)


def _events(table: LockedMatch, after: Position) -> dict[str, Any]:
    """The public round and the events of seats, if all players see the whole change at once.

    Nothing while moves are held back, or if more has changed than the table: streams then read the rows.
    """
    is_shown = table.before.settled and after.table.settled_at <= after.now
    if table.changed_more or not is_shown:
        return {}
    return {
        "revision": after.table.revision,
        "public_round": table.state.rounds_begun - 1,
        "seats": _events_by_seat(after, table),
        "decisions": _events_by_bot(after, table),
    }


def _events_by_seat(after: Position, table: LockedMatch) -> dict[str, Any]:
    """By seat, the fields of its ``SeatEvent``."""
    known, views = table.before, SeatViews(after, table.state)
    events = {}
    for seat, story in views.stories(known.entries).items():
        moments = story.moments
        while moments and not moments[0]["entries"] and moments[0]["ply"] < known.steps:
            moments = moments[1:]  # a hidden choice has no entry and was shown before
        if len(moments) > MOST_MOMENTS:
            continue
        now = views.present(seat)
        event = moments_event(replace(story, moments=moments), now) if moments else present_event(now)
        ply = moments[-1]["ply"] if moments else None
        text = orjson.dumps(event, option=orjson.OPT_NON_STR_KEYS).decode()
        events[str(seat)] = vars(SeatEvent(story.log_from, story.log_to, ply, hash_of_present(now), text))
    return events


def _events_by_bot(after: Position, table: LockedMatch) -> dict[str, Any]:
    """By the id of a remote bot that was asked, the fields of its ``BotEvent``."""
    events = {}
    for live_seat in table.asked:
        if live_seat.kind == LiveSeat.Kind.REMOTE and live_seat.owes:
            event = decide_event(after, live_seat.seat.index, state=table.state)
            text = orjson.dumps(event, option=orjson.OPT_NON_STR_KEYS).decode()
            made = BotEvent(live_seat.asked, live_seat.log_before, live_seat.log_asked, text)
            events[str(live_seat.seat.version.bot_id)] = vars(made)
    return events
