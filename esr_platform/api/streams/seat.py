"""The stream of a human player at a table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final, NamedTuple

from django.http import Http404
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework.request import Request

from esr_platform.accounts.sessions import Browser
from esr_platform.api.streams import threads
from esr_platform.api.streams.browser import BrowserAuthentication, SitsHere, browser_of
from esr_platform.api.streams.hub import hub
from esr_platform.api.streams.stream import FRAMINGS, KEEP_ALIVE_S, Batch, JSONLines, Source, StreamView
from esr_platform.api.streams.subscriptions import Topic
from esr_platform.api.streams.threads import Coalescer
from esr_platform.api.streams.view import places
from esr_platform.languages import chosen
from games.rules import Document
from ladder.chat import hidden_lines, lines_after, said_so_far
from ladder.live import actions
from ladder.live.person_view import SeatViews, Story, hash_of_present, json_hash, moments_event, present_event
from ladder.live.position import Position
from ladder.live.publish import MOST_MOMENTS, SeatEvent
from ladder.live.rows import position_at
from ladder.live.visibility import ended
from ladder.matchmaking.lobby import rematch_request
from ladder.models import Match

# --- Events ----------------------------------------------------------------------------------------------------------
#
# Events are made from the rows. ``SeatCursor`` is all that a stream has to remember, and its place in the log and in
# the chat is all that a client needs to resume.

MOST_LINES: Final = 100

Shown = tuple[tuple[int, ...], int | None, tuple[str, ...]]


@dataclass(frozen=True)
class SeatCursor:
    """How much a stream has sent: the log up to ``log``, the chat up to line ``line``, and the present state.

    ``log`` is ``None`` before anything was sent. ``ply`` belongs to the last moment. ``shown`` tells whether there are
    more moments. ``present`` and ``rematch`` are hashes of the last documents that were sent. ``revision`` is that of
    the table (``Table.revision``). A client that reconnects brings only ``log`` and ``line``.
    """

    log: int | None = None
    line: int = 0
    revision: int = -1
    ply: int = -1
    present: str = ""
    rematch: str = ""
    shown: Shown | None = None
    hidden: frozenset[int] = frozenset()
    over: bool = False

    @property
    def place(self) -> str:
        """The id of an event: ``57``, or ``57.1203`` after chat line 1203."""
        return f"{self.log or 0}.{self.line}" if self.line else str(self.log or 0)


class SeatRequest(NamedTuple):
    """A request for new events: the seat, the account (``None`` for a guest) and the cursor of the stream."""

    seat: int
    user_id: int | None
    known: SeatCursor


@dataclass(frozen=True)
class SeatEvents:
    """New events, each with the place after it. After ``known.over`` only chat and a rematch may follow.

    ``again_s`` is the number of seconds until there is more, if known.
    """

    known: SeatCursor
    events: list[tuple[Document, str]] = field(default_factory=list)
    again_s: float | None = None


def seat_events(match_id: int, asks: list[SeatRequest]) -> list[SeatEvents]:
    """The new events of one table for the seats of people. The match is read once for all."""
    position = position_at(match_id)
    if position is None:
        return [SeatEvents(replace(ask.known, over=True)) for ask in asks]
    views = SeatViews(position)
    shown = {seat: _shown(position, seat) for seat in {ask.seat for ask in asks}}
    behind = [ask for ask in asks if not ask.known.over and ask.known.shown != shown[ask.seat]]
    stories = _stories(views, {(ask.seat, ask.known.log) for ask in behind})
    chat_state = said_so_far(match_id) if any(ask.user_id is not None for ask in asks) else (0, 0)
    ended = position.match.status in Match.ENDED
    rematch = rematch_shown(match_id) if ended else None
    all_news = [
        _news(position, views, ask, stories.get((ask.seat, ask.known.log)), shown[ask.seat], chat_state) for ask in asks
    ]
    return [_with_rematch(news, rematch) for news in all_news]


def rematch_shown(match_id: int) -> Document | None:
    """The last offer of a rematch of an ended match, with the URL of the new game once it runs."""
    request = rematch_request(match_id)
    if request is None:
        return None
    href = None if request["match"] is None else reverse("pages:live_table", args=[request["match"]])
    return {**request, "href": href}


def _with_rematch(news: SeatEvents, rematch: Document | None) -> SeatEvents:
    """``news`` with the rematch if it has changed. It is sent after the end."""
    printed = "" if rematch is None else json_hash(rematch)
    if not news.known.over or printed in ("", news.known.rematch):
        return news
    known = replace(news.known, rematch=printed)
    return replace(news, known=known, events=[*news.events, ({"type": "rematch", **(rematch or {})}, known.place)])


def _stories(views: SeatViews, wanted: set[tuple[int, int | None]]) -> dict[tuple[int, int | None], Story]:
    """What seats were shown since each position of their log, with as few replays of the game as possible."""
    by_position: dict[tuple[int, int | None], Story] = {}
    while wanted:
        part = dict(wanted)  # of each seat one
        stories = views.stories(part)
        beyond = {seat: None for seat, log in part.items() if log is not None and log > stories[seat].log_to}
        stories |= views.stories(beyond) if beyond else {}  # the log was never that long: send all of it
        by_position |= {(seat, log): stories[seat] for seat, log in part.items()}
        wanted -= set(part.items())
    return by_position


def _shown(position: Position, seat: int) -> Shown:
    """A value that changes when the seat is shown more: its moves and how much of the last one is visible."""
    rows = position.rows_for(seat)
    after = rows[-1].shown(position.now) if rows else None
    gone = tuple(live_seat.forfeit for live_seat in position.live_seats)
    return tuple(row.number for row in rows), after, gone


def _news(
    position: Position,
    views: SeatViews,
    ask: SeatRequest,
    story: Story | None,
    shown: Shown,
    chat_state: tuple[int, int],
) -> SeatEvents:
    known, events = (ask.known, []) if ask.known.over else _of_the_game(views, ask, story)
    known = replace(known, shown=shown, revision=position.table.revision)
    for event in _chat(position.match.pk, ask.user_id, known, chat_state):
        gone = {line["id"] for line in event["lines"] if line.get("hidden")}
        known = replace(known, hidden=known.hidden | gone)
        known = replace(known, line=max((known.line, *(line["id"] for line in event["lines"]))))
        events.append((event, known.place))
    again_ms = None if known.over else views.again_ms(ask.seat)
    if position.match.status in Match.ENDED and not known.over and again_ms is None:  # or the last moves were not told
        known = replace(known, over=True)
        events.append((_end(position), known.place))
    return SeatEvents(known, events, None if again_ms is None else again_ms / 1000)


def _of_the_game(
    views: SeatViews, ask: SeatRequest, story: Story | None
) -> tuple[SeatCursor, list[tuple[Document, str]]]:
    """The new moments of a seat, and its present state if that has changed."""
    known, now, events = ask.known, views.present(ask.seat), []
    stands = hash_of_present(now)
    for event in () if story is None else _moments(story, known, now):
        log = event["log_from"] + sum(len(moment["entries"]) for moment in event["moments"])
        known = replace(known, log=log, ply=event["moments"][-1]["ply"], present=stands)
        events.append((event, known.place))
    if known.present != stands:
        known = replace(known, present=stands)
        events.append((present_event(now), known.place))
    return known, events


def _moments(story: Story, known: SeatCursor, now: Document) -> Iterator[Document]:
    """The new moments in parts. A new client gets all that a board remembers."""
    start, shown = story.log_from, story.moments
    anew = known.log is None or known.log > story.log_to
    while shown and not shown[0]["entries"] and shown[0]["ply"] <= known.ply:
        shown = shown[1:]  # a hidden choice has no entry and was already sent
    for first in range(0, len(shown), MOST_MOMENTS):
        part = shown[first : first + MOST_MOMENTS]
        yield moments_event(replace(story, log_from=start, moments=part), now, reset=anew and first == 0)
        start += sum(len(moment["entries"]) for moment in part)


def _chat(match_id: int, user_id: int | None, known: SeatCursor, so_far: tuple[int, int]) -> Iterator[Document]:
    """The new chat messages in parts, and the ids of messages that were hidden. ``so_far`` is ``said_so_far``."""
    last, hidden_ones = so_far
    if user_id is None or (last <= known.line and hidden_ones == len(known.hidden)):
        return  # the usual case, which saves three queries per move
    line = known.line
    while True:
        lines = lines_after(match_id, user_id, line, MOST_LINES)
        if lines:
            yield {"type": "chat", "lines": lines}
        if len(lines) < MOST_LINES:
            break
        line = lines[-1]["id"]
    hidden = sorted(hidden_lines(match_id) - known.hidden)
    if hidden:
        yield {"type": "chat", "lines": [{"id": line_id, "hidden": True} for line_id in hidden]}


def _end(position: Position) -> Document:
    match = position.match
    outcome = ended(position)[1] if match.status == Match.Status.FINISHED else None
    known = {"type": "end", "game": match.pk, "status": match.status, "reason": match.reason}
    return {**known, "outcome": outcome, "href": reverse("pages:match", args=[match.pk])}


# --- The stream ------------------------------------------------------------------------------------------------------
#
# A client that resumes sends the id of its last event. Everything after it is read from the database, so it does not
# matter which process the client is connected to. After that, the stream passes on the events that the writer of each
# change has published, and reads the database only if it has missed one.

EVENTS: Final = Coalescer(seat_events)
"""New events, read once for all people at a table."""

MOST_WINDOWS: Final = 5
"""Maximum streams of one seat in this process; a new one ends the oldest."""

AFTER_S: Final = 60.0
"""How long a stream stays open after the end of the match, for chat and a rematch."""

LOOK_S: Final = 30.0
"""Maximum seconds until a stream reads the table again, in case a hint was lost; without hints, it is often."""


class SeatSource(Source):
    """A match as the seat of a person sees it, with the chat of its table."""

    def __init__(self, match: int, seat: int, browser: Browser, known: SeatCursor) -> None:
        super().__init__([Topic("match", match), Topic("seat", match, seat)])
        self.browser: Browser = browser
        self._match, self._seat, self._known = match, seat, known
        self._is_behind = True
        self._changes: list[Mapping[str, Any]] = []
        self._looks_at = 0.0
        self._viewers: int | None = None
        self._viewers_sent: int | None = None

    async def open(self, wake: Callable[[], None]) -> None:  # noqa: ARG002
        hub().viewers.add(self._match, self.count)

    async def close(self) -> None:
        hub().viewers.remove(self._match, self.count)

    def touched(self, match: int | None) -> bool:  # noqa: ARG002
        self._is_behind = True
        return True

    def changed(self, change: Mapping[str, Any]) -> bool:
        self._changes.append(change)
        return True

    def count(self, viewers: int) -> None:
        """Note the number of spectators. It waits for ``aside``: alone it would show that the stream was touched."""
        self._viewers = viewers

    async def look(self, framing: JSONLines) -> Batch:
        data, now = self._pass_on(framing), asyncio.get_running_loop().time()
        if self._is_behind or now >= self._looks_at:
            self._is_behind = False
            news = await EVENTS.fetch(self._match, SeatRequest(self._seat, self.browser.user_id, self._known))
            self._known = news.known
            data += b"".join(framing.event(event, place) for event, place in news.events)
            data += self._pass_on(framing)  # changes that were published meanwhile
            self._looks_at = now + min(LOOK_S if hub().hears else KEEP_ALIVE_S, news.again_s or inf)
        again_s = 0.0 if self._is_behind else self._looks_at - asyncio.get_running_loop().time()
        return Batch(data, max(0.0, again_s), AFTER_S if self._known.over else None)

    def _pass_on(self, framing: JSONLines) -> bytes:
        """The published events that follow what was sent. After a gap, the stream is behind and reads the table."""
        data, known = b"", self._known
        changes, self._changes = self._changes, []
        for change in changes:
            if self._is_behind or change["revision"] <= known.revision:
                continue  # it is in what was read, or will be
            fields = change["seats"].get(str(self._seat))
            event = None if fields is None else SeatEvent(**fields)
            if event is None or change["revision"] != known.revision + 1 or event.log_from != known.log or known.over:
                self._is_behind = True
                continue
            is_new = event.ply is not None or event.present != known.present
            known = replace(
                known,
                log=event.log_to,
                ply=known.ply if event.ply is None else event.ply,
                present=event.present,
                revision=change["revision"],
                shown=None,
            )
            if is_new:
                kind = "present" if event.ply is None else "moments"
                data += framing.framed(kind, event.event.encode(), known.place)
        self._known = known
        return data

    def aside(self, framing: JSONLines) -> bytes:
        if self._viewers == self._viewers_sent:
            return b""
        self._viewers_sent = self._viewers
        return framing.event({"type": "viewers", "game": self._match, "viewers": self._viewers})


class SeatStreamView(StreamView):
    """At ``/api/v1/matches/{match}/seat/stream``."""

    authentication_classes = [BrowserAuthentication]
    permission_classes = [SitsHere]
    admission = "players"
    renderer_classes = [*FRAMINGS[::-1]]

    async def source(self, request: Request, who: str, match: int) -> SeatSource:  # type: ignore[override]  # noqa: ARG002
        seat = await threads.read(seat_here, request, match)
        hub().make_room(Topic("seat", match, seat), MOST_WINDOWS)
        log, line = places(request)
        return SeatSource(match, seat, browser_of(request), SeatCursor(log, line))


def seat_here(request: Request, match: int) -> int:
    """The seat of the client at a live game, also while a substitute plays for it. Raises ``Http404``."""
    browser = browser_of(request)
    seat = actions.seat_of(match, browser.user_id, browser.guest)
    if seat is None:
        with translation.override(chosen(request._request)):
            raise Http404(_("You have no seat in match %(number)s.") % {"number": match})
    return seat
