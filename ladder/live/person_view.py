"""What a person at a live table sees: the game so far, moment by moment, and its present state.

Everything is computed from the rows, so it can be requested repeatedly. As for bots, no move is shown before it is
visible (``Position.shown_to``). The seats that owe a move and the clocks of others follow from visible moves only: a
veiled forced move takes as much time as a real decision.

Pages show more than bots know: presence, substitutes, players who have left, and seats that have already chosen
(``docs/reference/views.md``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import Final

import orjson

from games.rules import Document, State
from ladder.live.clocks import milliseconds
from ladder.live.position import MoveRow, Position
from ladder.live.presence import AWAY, GONE
from ladder.live.rights import is_here, rights_of
from ladder.models import LiveSeat, Match

Moment = Document
"""``{"ply", "view", "yous", "entries"}``: a scene of a board without its memory. See ``docs/internals/boards.md``.

``yous`` has the own part of the view and ``None`` for other seats; ``entries`` are the new entries of the log.
"""

ROUNDS: Final = 2
"""A new page gets this number of rounds, including the current one, since boards remember no more."""


@dataclass(frozen=True)
class Story:
    """Moments of one seat, with the length of its log before the first (``log_from``) and after the last (``log_to``).

    If the last moment has no entries, such as a face-down choice, the next story repeats it; clients recognize its
    ``ply``.
    """

    log_from: int
    log_to: int
    moments: list[Moment] = field(default_factory=list)


def moments(position: Position, seat: int, start: int) -> list[Moment]:
    """The moments of ``seat`` after the first ``start`` entries of its log."""
    return moments_of(position, {seat: start})[seat].moments


def present(position: Position, seat: int) -> Document:
    """The present state for ``seat``; see :meth:`SeatViews.present`."""
    return SeatViews(position).present(seat)


def moments_of(position: Position, asks: Mapping[int, int | None]) -> dict[int, Story]:
    """The stories of several seats, by seat and start of their logs. Seats that know the same share one replay.

    ``None`` starts at the beginning of the previous round.
    """
    return SeatViews(position).stories(asks)


class SeatViews:
    """The views of all seats of a table. Seats that know the same share the computation."""

    def __init__(self, position: Position, state: State | None = None) -> None:
        """``state`` is that of all moves, with a journal, if all seats have been shown all of them."""
        self._position = position
        self._states: dict[tuple[int, ...], State] = {} if state is None else {_numbers(position.rows): state}
        self._rows: dict[int | None, tuple[MoveRow, ...]] = {}

    def stories(self, asks: Mapping[int, int | None]) -> dict[int, Story]:
        """As :func:`moments_of`."""
        alike: dict[tuple[int, ...], dict[int, int | None]] = {}
        for seat, start in asks.items():
            alike.setdefault(_numbers(self._known(seat)), {})[seat] = start
        stories: dict[int, Story] = {}
        for group in alike.values():
            stories |= _retraced(self._shown(next(iter(group))), group)
        return stories

    def present(self, seat: int) -> Document:
        """The present state for ``seat``.

        ``decision`` is the number of the decision that the seat owes and was shown, ``question`` its decision document
        and ``clock`` its time. All three are ``None`` without such a decision. ``you`` is what only this seat knows
        now, including its choice that is not shown yet. ``clocks`` has the milliseconds in the time bank of each
        person and ``here`` the presence of each seat (``rights.is_here``). ``waiting`` are the seats that owe a move,
        as far as this seat may know. ``outage_ms`` is the time in which the site was unavailable during the game. It
        is not charged to any player.
        """
        position, state = self._position, self._shown(seat)
        live_seat = position.live_seats[seat]
        asked = self._is_asked(live_seat)
        return {
            "seat": seat,
            "decision": live_seat.asked if asked else None,
            "question": state.decision(seat) if asked else None,
            "clock": self._clock(seat) if asked else None,
            "you": state.view(seat)["you"],
            "waiting": list(state.pending) if self._running else [],
            "clocks": self._banks,
            "here": [is_here(position, other) for other in range(len(position.live_seats))],
            "rights": rights_of(position, seat, state.rounds_begun),
            "round": state.rounds_begun,
            "running": self._running,
            "rated": position.rated,
            "outage_ms": position.outage_ms,
            "limits": {name: position.table.limits[name] for name in ("move_ms", "bank_ms", "game_ms")},
        }

    def again_ms(self, seat: int) -> int | None:
        """The time in milliseconds until a delayed move or decision becomes visible to ``seat``, if there is one."""
        position = self._position
        moments: list[datetime | None] = [row.visible_at for row in position.rows]
        moments += [_next_shown(row, position.now) for row in self._known(seat)[-1:]]
        if self._running:
            moments += [_gone_at(position, other) for other in position.people]
        moments.append(position.live_seats[seat].due_at)
        coming = [moment for moment in moments if moment is not None and moment > position.now]
        return milliseconds(position.now, min(coming)) + 1 if coming else None

    @cached_property
    def _running(self) -> bool:
        return self._position.match.status == Match.Status.RUNNING

    def _known(self, seat: int | None) -> tuple[MoveRow, ...]:
        if seat not in self._rows:
            self._rows[seat] = self._position.rows_for(seat)
        return self._rows[seat]

    def _shown(self, seat: int | None) -> State:
        rows = self._known(seat)
        key = _numbers(rows)
        if key not in self._states:
            self._states[key] = self._position.showing(rows)
        return self._states[key]

    def _is_asked(self, live_seat: LiveSeat) -> bool:
        """Whether the person owes a decision that is visible."""
        overdue = live_seat.owes and live_seat.due_at is not None and live_seat.due_at <= self._position.now
        return overdue and self._running and live_seat.kind == LiveSeat.Kind.PERSON

    def _clock(self, seat: int) -> Document:
        """The time per decision, the time bank at the start of the decision, and the time that is left of both.

        ``starts_in_ms`` is the time until the clock starts. Until then the moves before the decision are shown.
        """
        now, starts_at = self._position.now, self._position.starts_at(seat)
        clock, deadline = self._position.clock(seat), self._position.live_seats[seat].deadline
        assert starts_at is not None and deadline is not None
        return {
            "move_ms": clock.move_ms,
            "bank_ms": clock.bank_ms,
            "left_ms": milliseconds(max(now, starts_at), deadline),
            "starts_in_ms": milliseconds(now, starts_at),
        }

    @cached_property
    def _banks(self) -> list[int | None]:
        """The time banks of people at their last decision.

        They reveal nothing: only decisions that take longer than ``move_ms`` use the bank, and delays of the platform
        are shorter (``clocks.among_people``).
        """
        live_seats = self._position.live_seats
        return [
            live_seat.bank_ms if live_seat.kind in LiveSeat.OF_PEOPLE and not live_seat.forfeit else None
            for live_seat in live_seats
        ]


def _retraced(state: State, asks: Mapping[int, int | None]) -> dict[int, Story]:
    """The stories of seats that all see ``state``, from one replay of the game."""
    entries_known = dict.fromkeys(asks, 0)
    begun = {seat: start for seat, start in asks.items() if start is not None}
    moments: dict[int, list[Moment]] = {seat: [] for seat in asks}
    last_views: dict[int, Document] = {}
    for ply, at in state.retraced():
        early = at.rounds_begun <= state.rounds_begun - ROUNDS
        for seat in asks:
            before, count = entries_known[seat], at.entry_count(seat)
            entries_known[seat] = count
            if seat not in begun and not early:
                begun[seat] = before
            if seat not in begun or count < begun[seat]:
                continue
            if before < count == begun[seat]:
                last_views[seat] = at.view(seat)
                continue
            entries = at.entries(seat, max(before, begun[seat])) if count > before else []
            view = at.view(seat)
            if entries or view != last_views.get(seat, view):
                moments[seat].append(_moment(ply, seat, view, entries))
            last_views[seat] = view
    return {
        seat: Story(min(begun.get(seat, entries_known[seat]), entries_known[seat]), entries_known[seat], moments[seat])
        for seat in asks
    }


def _moment(ply: int, seat: int, view: Document, entries: Sequence[Document]) -> Moment:
    yous = [view["you"] if other == seat else None for other in range(view["seats"])]
    return {"ply": ply, "view": view, "yous": yous, "entries": list(entries)}


def _numbers(rows: Sequence[MoveRow]) -> tuple[int, ...]:
    return tuple(row.number for row in rows)


def _gone_at(position: Position, seat: int) -> datetime | None:
    """When others can claim victory over the person of ``seat``; ``None`` if they are online or it is possible now."""
    unseen = position.unseen(seat)
    return position.now + GONE - unseen if AWAY <= unseen < GONE else None


def moments_event(story: Story, now: Document, *, reset: bool = False) -> Document:
    """The event with the moments of ``story`` and the present state ``now``. ``reset``: the client has no other."""
    event = {"type": "moments", "log_from": story.log_from, "moments": story.moments, "present": now}
    return {**event, "reset": True} if reset else event


def present_event(now: Document) -> Document:
    """The event with the present state ``now`` alone."""
    return {"type": "present", "present": now}


def hash_of_present(now: Document) -> str:
    """A hash of ``now`` without values that change with time: they must not show that another player has moved."""
    clock = now.get("clock")
    timeless = clock and {name: value for name, value in clock.items() if name not in ("left_ms", "starts_in_ms")}
    return json_hash({**now, "clock": timeless})


def json_hash(document: object) -> str:
    """The SHA-256 of the JSON of ``document`` with sorted keys, hex. It is independent of formatting."""
    return sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)).hexdigest()


def _next_shown(row: MoveRow, now: datetime) -> datetime | None:
    """When the next part of ``row`` is shown; ``None`` if all of it is."""
    moment = row.visible_at
    for delay in (0, *row.delays):
        moment += timedelta(milliseconds=delay)
        if moment > now:
            return moment
    return None
