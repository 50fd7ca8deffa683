"""The public stream of a live match, with the one-round delay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

import orjson
import structlog
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from bots.reports import storable
from esr_platform.accounts import sessions, tokens
from esr_platform.accounts.models import Scope, Token
from esr_platform.accounts.sessions import Browser
from esr_platform.api.authentication import bot_missing, viewer
from esr_platform.api.streams import threads
from esr_platform.api.streams.browser import EITHER
from esr_platform.api.streams.hub import Hub, hub
from esr_platform.api.streams.parts import Encoded, language_of, render
from esr_platform.api.streams.stream import CROWD_KEEP_ALIVE_S, KEEP_ALIVE_S, Batch, JSONLines, Source, StreamView
from esr_platform.api.streams.subscriptions import Subscription, Topic
from esr_platform.api.streams.threads import Coalescer, wait_for
from esr_platform.api.streams.view import LiveView, place, whole_number
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.access import matches_seen_by
from ladder.live import decisions
from ladder.live.position import Position
from ladder.live.rows import position_at, position_of
from ladder.live.visibility import Cut, cut_of, ended, public_cut
from ladder.models import Block, LiveSeat, Match
from ladder.models.ladders import Viewer
from ladder.openness import is_open

# --- Events ----------------------------------------------------------------------------------------------------------
#
# ``ladder.live.visibility`` alone decides what is public during a game, and ``ladder.openness`` what is public later.


@dataclass(frozen=True)
class SpectatorCursor:
    """The position of a spectator: the last round and the number of log entries that were sent."""

    round: int = 0
    entries: int = 0


@dataclass(frozen=True)
class SpectatorEvents:
    """New events and the cursor after them. ``over`` is true after the last event. ``parts`` renders those of pages."""

    cursor: SpectatorCursor
    events: list[Document] = field(default_factory=list)
    over: bool = False
    parts: Callable[[], str] | None = None


def live_match(viewer: Viewer, match_id: int) -> Match | None:
    """Return a live game, or ``None`` if it is not visible to ``viewer``."""
    return _live(viewer, match_id).first()


def live_match_of_strangers(match_id: int) -> Match | None:
    """Return a live game, or ``None`` if it is not public."""
    return next(iter(_live_for_strangers(match_id=match_id)), None)


def _live(viewer: Viewer, match_id: int) -> QuerySet[Match]:
    live = matches_seen_by(viewer).filter(pk=match_id, block__purpose__in=Block.DRIVEN_BY_REQUESTS)
    return live.select_related("ladder", "block").order_by()


_live_for_strangers: Final = Prepared(lambda match_id: _live(AnonymousUser(), match_id))


def spectator_events(match_id: int, asks: list[SpectatorCursor]) -> list[SpectatorEvents]:
    """Return the new events of one match for each cursor."""
    position = position_at(match_id)
    if position is None:
        return [SpectatorEvents(cursor, over=True) for cursor in asks]
    if position.match.status in Match.ENDED:
        return _end(position, asks)
    if all(cursor.round >= position.table.round - 1 for cursor in asks):
        return [
            SpectatorEvents(cursor) for cursor in asks
        ]  # no newer round can be public, so the game need not be replayed
    cut = cut_of(position)
    if cut is None:
        return [SpectatorEvents(cursor) for cursor in asks]
    return [SpectatorEvents(cursor) if cursor.round >= cut.round else _round(match_id, cursor, cut) for cursor in asks]


def head(match: Match) -> Document:
    """Return the first event of a public stream: the match and its players."""
    position = position_at(match.pk)
    assert position is not None, "it is a live game"
    begun = decisions.game_start(position, 0, resumed=True)
    return {"type": "game", **{name: begun[name] for name in ("game", "rated", "ladder", "players")}}


def public_view(match: Match, start: int) -> Document:
    """Return the public view of a live game with the log from entry ``start``. Empty during the first round."""
    running = match.status == Match.Status.RUNNING
    view: dict[str, Any] = {"game": match.pk, "running": running, "seat": None, "round": None, "view": None, "log": []}
    if running:
        cut = public_cut(match)
        known = {} if cut is None else {"round": cut.round, "view": cut.view, "log": cut.log["entries"][start:]}
        return {**view, **known}
    if not is_open(match.block):
        return view
    state, _ = ended(position_of(match))
    return {**view, "round": state.rounds_begun, "view": state.view(None), "log": state.entries(None, start)}


def _round(match_id: int, cursor: SpectatorCursor, cut: Cut) -> SpectatorEvents:
    entries = cut.log["entries"]
    event = {"type": "round", "game": match_id, "round": cut.round, "log_from": cursor.entries, "view": cut.view}
    events = [{**event, "log": entries[cursor.entries :]}]
    told = cursor.entries if cursor.round else 0  # a client that resumes may show less than its log
    parts = partial(render, "round", match_id, cut, told)
    return SpectatorEvents(SpectatorCursor(cut.round, len(entries)), events, parts=parts)


def _end(position: Position, asks: list[SpectatorCursor]) -> list[SpectatorEvents]:
    match = position.match
    known: Document = {"type": "game_end", "game": match.pk, "status": match.status, "reason": match.reason}
    if not is_open(match.block):
        return [SpectatorEvents(cursor, [known], over=True) for cursor in asks]
    state, outcome = ended(position)
    known |= {"outcome": outcome, "view": state.view(None)}
    entries = state.entries(None)
    return [
        SpectatorEvents(cursor, [{**known, "log_from": cursor.entries, "log": entries[cursor.entries :]}], over=True)
        for cursor in asks
    ]


# --- Feeds -----------------------------------------------------------------------------------------------------------
#
# The public state changes with rounds, not moves. Spectators are woken only if there is something new to see.

log = structlog.get_logger(__name__)

EVENTS: Final = Coalescer(spectator_events)
"""New events, read once for all simultaneous requests."""

_ARRIVALS: Final = Coalescer(spectator_events, apart_s=0.05)
"""Events for new spectators, who often arrive together, read once per 50 ms."""

AGAIN_S: Final = 1.0
"""Seconds to wait after an error."""

MOST_FAILURES: Final = 5

MOST_KEPT: Final = 16
"""Maximum chunks per feed for spectators who resume at different positions."""


class Chunk(Encoded):
    """The events after one cursor, for all spectators with this cursor."""

    def __init__(self, news: SpectatorEvents) -> None:
        super().__init__(news.events, news.cursor.entries, news.parts)
        self.news = news


class MatchFeed:
    """The events of one match for all its spectators in this process.

    ``_next`` contains the chunk after each cursor until there are newer events, for current, new and resuming
    spectators.
    """

    def __init__(self, match: int) -> None:
        self._match = match
        self.wakes: set[Callable[[], None]] = set()
        """One function per spectator, which is called whenever there are new events."""
        self._touched = asyncio.Event()
        self._next: dict[SpectatorCursor, Chunk] = {}
        self._news = SpectatorEvents(SpectatorCursor())
        self._viewers: tuple[int | None, Encoded] = None, Encoded([])

    def viewers(self, number: int | None) -> Encoded:
        """Return the event with the number of spectators, the same object for all of them."""
        if number != self._viewers[0]:
            self._viewers = number, Encoded([{"type": "viewers", "game": self._match, "viewers": number}])
        return self._viewers[1]

    async def after(self, cursor: SpectatorCursor) -> Chunk:
        """Return the chunk after ``cursor``. Raises database errors."""
        if cursor == self._news.cursor and not self._news.over:
            return Chunk(SpectatorEvents(cursor))
        if cursor in self._next:
            return self._next[cursor]
        news = await _ARRIVALS.fetch(self._match, cursor)
        chunk = Chunk(replace(news, over=news.over or self._news.over))  # an ended feed does not read again
        if chunk.news.cursor == self._news.cursor and len(self._next) < MOST_KEPT:
            self._next[cursor] = chunk  # otherwise, this feed is behind or ahead of it
        return chunk

    def touch(self) -> None:
        """Make the feed read the match again."""
        self._touched.set()

    def change(self, change: Mapping[str, Any]) -> None:
        """Note a published change. The feed reads the match only if it begins a round for the public."""
        if change["public_round"] > self._news.cursor.round:
            self._touched.set()

    async def follow(self) -> None:
        """Read the match after each change, and at regular intervals in case a hint was lost, until it has ended.

        After repeated errors, disconnect all spectators, so that they reconnect, perhaps to another process.
        """
        failed = 0
        while not self._news.over:
            self._touched.clear()
            try:
                news = await EVENTS.fetch(self._match, self._news.cursor)
            except Exception as error:  # the outermost handler of the task: try again later
                failed += 1
                log.warning("game_not_looked_at", match=self._match, error=repr(error))
                if failed == MOST_FAILURES:
                    self._tell(SpectatorEvents(self._news.cursor, over=True))
                else:
                    await asyncio.sleep(AGAIN_S)
                continue
            failed = 0
            if news.events or news.over:
                self._tell(news)
            if not news.over:
                await wait_for(self._touched, KEEP_ALIVE_S)

    def _tell(self, news: SpectatorEvents) -> None:
        before, self._news = self._news.cursor, news
        self._next = {before: Chunk(news)}
        for wake in tuple(self.wakes):
            wake()


_feeds: WeakKeyDictionary[Hub, dict[int, tuple[MatchFeed, asyncio.Task[None]]]] = WeakKeyDictionary()


def join(match: int, wake: Callable[[], None]) -> MatchFeed:
    """Return the feed of a match, which runs as long as it has spectators in this process."""
    feeds = _feeds.setdefault(hub(), {})
    if match not in feeds:
        made = MatchFeed(match)
        feeds[match] = made, asyncio.get_running_loop().create_task(_follow(made, match))
    feed, _ = feeds[match]
    feed.wakes.add(wake)
    return feed


def leave(match: int, wake: Callable[[], None]) -> None:
    """Undo :func:`join`."""
    feeds = _feeds[hub()]
    feed, task = feeds[match]
    feed.wakes.remove(wake)
    if not feed.wakes:
        del feeds[match]
        task.cancel()


async def _follow(feed: MatchFeed, match: int) -> None:
    topics = [Topic("match", match)]
    with hub().subscribed(Subscription(topics, lambda _: feed.touch(), on_change=feed.change)):
        await feed.follow()


# --- Views -----------------------------------------------------------------------------------------------------------

MOST_ENTRIES: Final = 1_000_000

Opened = tuple[Match, Document]
"""A match and the first event of its stream."""


class TableView(LiveView):
    """At ``/api/v1/matches/{match}/view``."""

    authentication_classes = EITHER
    permission_classes = [AllowAny]

    async def get(self, request: Request, match: int) -> HttpResponse:
        start = whole_number(request, "log", 0, MOST_ENTRIES, default=0)
        document, bot = await threads.read(_seen, request, match, start)
        if bot is not None:
            await threads.write(decisions.note_sent, match, bot)
        return HttpResponse(orjson.dumps(document), content_type="application/json")


class GameViewers(LiveView):
    """At ``/api/v1/matches/{match}/viewers``."""

    authentication_classes = EITHER
    permission_classes = [AllowAny]

    async def get(self, request: Request, match: int) -> HttpResponse:
        await threads.read(_public, request, match)
        document = {"game": match, "viewers": await hub().viewers.count(match)}
        return HttpResponse(orjson.dumps(document), content_type="application/json")


class SpectatorSource(Source):
    """The public events of a live match, with a one-round delay."""

    keep_alive_s = CROWD_KEEP_ALIVE_S

    def __init__(self, request: Request, who: str, game: Match, first: Document, entries: int, language: str) -> None:
        super().__init__([Topic("match", game.pk)])
        self._who, self._game, self._first = who, game, first
        self._still_seen = partial(_still_seen, request, game.pk) if game.ladder.private else None
        self._language = language
        self._seen_until = 0.0
        self._cursor = SpectatorCursor(entries=entries)
        self._viewers: int | None = None
        self._viewers_sent: int | None = None

    async def open(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        hub().viewers.add(self._game.pk, self._count, self._who)
        self._feed = join(self._game.pk, wake)

    async def close(self) -> None:
        hub().viewers.remove(self._game.pk, self._count, self._who)
        leave(self._game.pk, self._wake)

    def hello(self, framing: JSONLines) -> bytes:
        return framing.event(self._first)

    def touched(self, match: int | None) -> bool:
        """Return whether to check the viewer's access: at each hint on a private ladder. The feed reports events."""
        self._seen_until = 0.0
        return match is None or self._still_seen is not None

    def changed(self, change: Mapping[str, Any]) -> bool:  # noqa: ARG002
        return False  # the feed reports a new round, and access is checked with it

    def _count(self, viewers: int) -> None:
        if viewers != self._viewers:
            self._viewers = viewers
            self._wake()

    async def look(self, framing: JSONLines) -> Batch | None:
        chunk = await self._feed.after(self._cursor)
        data = await chunk.pieces(framing, self._language)
        if not await self._may_see(read=bool(data)):
            return None
        self._cursor = chunk.news.cursor
        if chunk.news.over:
            return Batch(data, closes_s=0.0)
        if self._viewers != self._viewers_sent:
            self._viewers_sent = self._viewers
            data += await self._feed.viewers(self._viewers).pieces(framing)
        return Batch(data)

    async def _may_see(self, *, read: bool) -> bool:
        """Whether the viewer still has access. Without events, it is read at hints and at regular intervals only."""
        now = asyncio.get_running_loop().time()
        if self._still_seen is None or (not read and now < self._seen_until):
            return True
        self._seen_until = now + KEEP_ALIVE_S
        return await threads.read(self._still_seen)


class MatchStreamView(StreamView):
    """At ``/api/v1/matches/{match}/stream``."""

    authentication_classes = EITHER
    permission_classes = [AllowAny]
    admission = "audience"

    async def source(self, request: Request, who: str, match: int) -> SpectatorSource:  # type: ignore[override]
        hub().require_room(who)  # before reading the match
        language = language_of(request)
        game, first = await _opened(request, match)
        return SpectatorSource(request, who, game, first, place(request), language)


async def _opened(request: Request, match_id: int) -> Opened:
    """Return the match, read once for all clients that arrive together. Raises ``Http404`` if it is not visible."""
    opened = await _STRANGERS.fetch(match_id, None)
    return await threads.read(_opened_by, request, match_id) if opened is None else opened


def _opened_by(request: Request, match_id: int) -> Opened:
    game = _public(request, match_id)
    return game, head(game)


def _opened_by_strangers(match_id: int, asks: list[None]) -> list[Opened | None]:
    game = live_match_of_strangers(match_id)
    return [None if game is None else (game, head(game))] * len(asks)


_STRANGERS: Final = Coalescer(_opened_by_strangers, apart_s=0.1)
"""Public matches, read once per 100 ms for all clients that arrive together."""


def _still_seen(request: Request, match_id: int) -> bool:
    auth = request.auth
    if isinstance(auth, Browser):
        live = bool(sessions.still_live([auth]))
    else:
        live = isinstance(auth, Token) and bool(tokens.still_live([auth.pk]))
    return live and live_match(viewer(request), match_id) is not None


def _seen(request: Request, match_id: int, start: int) -> tuple[Document, int | None]:
    """Return the view of the token's seat, or else the public view. Raises ``Http404`` and ``Refusal``.

    Also return the bot of the seat if this is the first that it receives of the game.
    """
    bot = _seated(request, match_id)
    seated = None if bot is None else decisions.position_for(match_id, bot)
    if seated is None:
        return public_view(_public(request, match_id), start), None
    position, seat = seated
    return decisions.seat_view(position, seat, start), None if position.live_seats[seat].starts else bot


def _seated(request: Request, match_id: int) -> int | None:
    """Return the id of the token's remote bot at the table, or ``None``. Raises ``Refusal`` if there are several."""
    token = request.auth
    if not isinstance(token, Token) or not token.allows(Scope.PLAY):
        return None
    live_seats = LiveSeat.objects.filter(
        table=match_id, kind=LiveSeat.Kind.REMOTE, seat__version__bot__owner=token.user_id
    )
    if token.bot_id is not None:
        live_seats = live_seats.filter(seat__version__bot=token.bot_id)
    named = request.query_params.get("bot", "")
    if named:
        live_seats = live_seats.filter(seat__version__bot__slug=storable(named))
    seats = list(live_seats.values_list("seat__version__bot", "seat__version__bot__slug"))
    if len(seats) > 1:
        raise bot_missing(slug for _, slug in seats)
    return seats[0][0] if seats else None


def _public(request: Request, match_id: int) -> Match:
    match = live_match(viewer(request), match_id)
    if match is None:
        raise Http404(f"Live game not found. For games between hosted bots, see /api/v1/matches/{match_id}.")
    return match
