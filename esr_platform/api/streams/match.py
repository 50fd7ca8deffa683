"""The public stream of a live match, with the one-round delay."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final
from weakref import WeakKeyDictionary

import orjson
import structlog
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from bots.reports import storable
from esr_platform.accounts import sessions, tokens
from esr_platform.accounts.models import Scope, Token
from esr_platform.accounts.sessions import Browser
from esr_platform.api.authentication import identity, viewer
from esr_platform.api.http import Refusal
from esr_platform.api.streams import threads
from esr_platform.api.streams.browser import EITHER
from esr_platform.api.streams.hub import Hub, Shared, Watch, hub
from esr_platform.api.streams.threads import rest
from esr_platform.api.streams.view import (
    FRAMINGS,
    KEEP_ALIVE_S,
    JSONLines,
    LiveView,
    framing_of,
    place,
    streamed,
    whole_number,
)
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.access import matches_seen_by
from ladder.live import decisions
from ladder.live.position import Position
from ladder.live.rows import position_at, position_of
from ladder.live.visibility import cut_of, ended, public_cut
from ladder.models import Block, LiveSeat, Match
from ladder.models.ladders import Viewer
from ladder.openness import is_open

# --- Events ----------------------------------------------------------------------------------------------------------
#
# Where it is cut is decided by ``ladder.live.visibility`` alone, and that all is open at the end by
# ``ladder.openness``.


@dataclass(frozen=True)
class Watched:
    """How much a spectator has been told: up to which round, and how many entries of the log."""

    round: int = 0
    entries: int = 0


@dataclass(frozen=True)
class PublicNews:
    """The events to be told now, and what is told with them; ``over`` after the last."""

    watched: Watched
    events: list[Document] = field(default_factory=list)
    over: bool = False


def live_match(viewer: Viewer, match_id: int) -> Match | None:
    """The live game at an address, if ``viewer`` may know of it."""
    return _live(viewer, match_id).first()


def live_match_of_strangers(match_id: int) -> Match | None:
    """The same for whoever is not known."""
    return next(iter(_live_for_strangers(match_id=match_id)), None)


def _live(viewer: Viewer, match_id: int) -> QuerySet[Match]:
    live = matches_seen_by(viewer).filter(pk=match_id, block__purpose__in=Block.DRIVEN_BY_REQUESTS)
    return live.select_related("ladder", "block").order_by()


_live_for_strangers: Final = Prepared(lambda match_id: _live(AnonymousUser(), match_id))


def public_news(match_id: int, asks: list[Watched]) -> list[PublicNews]:
    """What is new of one game for spectators who have been told so much."""
    position = position_at(match_id)
    if position is None:
        return [PublicNews(watched, over=True) for watched in asks]
    if position.match.status in Match.ENDED:
        return _end(position, asks)
    if all(watched.round >= position.table.round - 1 for watched in asks):
        return [PublicNews(watched) for watched in asks]  # nothing newer can be open: no need to play it again
    cut = cut_of(position)
    if cut is None:
        return [PublicNews(watched) for watched in asks]
    return [
        PublicNews(watched) if watched.round >= cut.round else _round(match_id, watched, cut.round, cut.view, cut.log)
        for watched in asks
    ]


def head(match: Match) -> Document:
    """The first event of a public stream: which game this is, and who plays."""
    position = position_at(match.pk)
    assert position is not None, "it is a live game"
    begun = decisions.game_start(position, 0, resumed=True)
    return {"type": "game", **{name: begun[name] for name in ("game", "rated", "ladder", "players")}}


def public_view(match: Match, start: int) -> Document:
    """What everybody may see of a live game now, its log from entry ``start`` on; nothing in its first round."""
    running = match.status == Match.Status.RUNNING
    found: dict[str, Any] = {"game": match.pk, "running": running, "seat": None, "round": None, "view": None, "log": []}
    if running:
        cut = public_cut(match)
        known = {} if cut is None else {"round": cut.round, "view": cut.view, "log": cut.log["entries"][start:]}
        return {**found, **known}
    if not is_open(match.block):
        return found
    state, _ = ended(position_of(match))
    return {**found, "round": state.rounds_begun, "view": state.view(None), "log": state.entries(None, start)}


def _round(match_id: int, watched: Watched, number: int, view: Document, log: Document) -> PublicNews:
    entries = log["entries"]
    event = {"type": "round", "game": match_id, "round": number, "log_from": watched.entries, "view": view}
    return PublicNews(Watched(number, len(entries)), [{**event, "log": entries[watched.entries :]}])


def _end(position: Position, asks: list[Watched]) -> list[PublicNews]:
    match = position.match
    known: Document = {"type": "game_end", "game": match.pk, "status": match.status, "reason": match.reason}
    if not is_open(match.block):
        return [PublicNews(watched, [known], over=True) for watched in asks]
    state, outcome = ended(position)
    known |= {"outcome": outcome, "view": state.view(None)}
    entries = state.entries(None)
    return [
        PublicNews(watched, [{**known, "log_from": watched.entries, "log": entries[watched.entries :]}], over=True)
        for watched in asks
    ]


# --- One look for all spectators -------------------------------------------------------------------------------------
#
# What everybody may see moves by rounds, and a game by moves: those who watch are woken when there is something to see,
# and not for every move.

log = structlog.get_logger(__name__)

NEWS: Final = Shared(public_news)
"""What is new to see, looked up once for all who ask at the same time."""

_ARRIVALS: Final = Shared(public_news, apart_s=0.05)
"""The same for those who come, who are often many: all of a moment are one look."""

AGAIN_S: Final = 1.0
"""So long after a look that has failed the next one is tried."""

MOST_FAILURES: Final = 5

MOST_KEPT: Final = 16
"""For so many places at which somebody goes on, what follows is kept."""


class Told:
    """What follows for all who were told the same; its bytes are made once."""

    def __init__(self, news: PublicNews) -> None:
        self.news = news
        self._encoded: dict[type[JSONLines], bytes] = {}

    def pieces(self, framing: JSONLines) -> bytes:
        """It as it is sent."""
        kind = type(framing)
        if kind not in self._encoded:
            place = self.news.watched.entries
            self._encoded[kind] = b"".join(framing.event(event, place) for event in self.news.events)
        return self._encoded[kind]


class Feed:
    """One game as it is watched here.

    ``_next`` has what follows for those who were told so much, until there is more: for all who were up to date before
    the last news, and for those who come, new or from where they were.
    """

    def __init__(self, match: int) -> None:
        self._match = match
        self._wakes: set[Callable[[], None]] = set()
        self._touched = asyncio.Event()
        self._next: dict[Watched, Told] = {}
        self._news = PublicNews(Watched())

    async def after(self, watched: Watched) -> Told:
        """What follows for who was told so much. Raises what looking raises."""
        if watched == self._news.watched and not self._news.over:
            return Told(PublicNews(watched))
        if watched in self._next:
            return self._next[watched]
        found = await _ARRIVALS.look(self._match, watched)
        told = Told(replace(found, over=found.over or self._news.over))  # this feed looks no more
        if told.news.watched == self._news.watched and len(self._next) < MOST_KEPT:
            self._next[watched] = told  # else this feed is behind it, or has gone on
        return told

    def touch(self) -> None:
        """Something may have happened."""
        self._touched.set()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Call ``wake`` whenever there is something new to see."""
        self._wakes.add(wake)
        try:
            yield
        finally:
            self._wakes.discard(wake)

    @property
    def needed(self) -> bool:
        """Whether anybody is left to be woken."""
        return bool(self._wakes)

    async def follow(self) -> None:
        """Look whenever the game has moved, and by the clock, for a hint may be lost, until the game has ended.

        Where looking fails again and again all who watch are let go: they come again, to another process perhaps.
        """
        failed = 0
        while not self._news.over:
            self._touched.clear()
            try:
                found = await NEWS.look(self._match, self._news.watched)
            except Exception as error:  # the border of the task: those who watch wait for the next look
                failed += 1
                log.warning("game_not_looked_at", match=self._match, error=repr(error))
                if failed == MOST_FAILURES:
                    self._tell(PublicNews(self._news.watched, over=True))
                else:
                    await asyncio.sleep(AGAIN_S)
                continue
            failed = 0
            if found.events or found.over:
                self._tell(found)
            if not found.over:
                await rest(self._touched, KEEP_ALIVE_S)

    def _tell(self, news: PublicNews) -> None:
        before, self._news = self._news.watched, news
        self._next = {before: Told(news)}
        for wake in tuple(self._wakes):
            wake()


_feeds: WeakKeyDictionary[Hub, dict[int, tuple[Feed, asyncio.Task[None]]]] = WeakKeyDictionary()


@contextmanager
def following(match: int, wake: Callable[[], None]) -> Iterator[Feed]:
    """The feed of a game, which looks as long as anybody here follows it."""
    feeds = _feeds.setdefault(hub(), {})
    if match not in feeds:
        made = Feed(match)
        feeds[match] = made, asyncio.get_running_loop().create_task(_follow(made, match))
    feed, task = feeds[match]
    try:
        with feed.waking(wake):
            yield feed
    finally:
        if not feed.needed:
            del feeds[match]
            task.cancel()


async def _follow(feed: Feed, match: int) -> None:
    with hub().listening(Watch(lambda _: feed.touch(), match=match)):
        await feed.follow()


# --- Views -----------------------------------------------------------------------------------------------------------

MOST_ENTRIES: Final = 1_000_000

Opened = tuple[Match, Document]
"""A game, and the first event of its stream."""


class TableView(LiveView):
    """At ``/api/v1/matches/{match}/view``."""

    authentication_classes = EITHER
    permission_classes = [AllowAny]

    async def get(self, request: Request, match: int) -> HttpResponse:
        start = whole_number(request, "log", 0, MOST_ENTRIES, default=0)
        found = await threads.read(_seen, request, match, start)
        return HttpResponse(orjson.dumps(found), content_type="application/json")


class TableStream(LiveView):
    """At ``/api/v1/matches/{match}/stream``."""

    authentication_classes = EITHER
    permission_classes = [AllowAny]
    throttle_scope = "stream"
    renderer_classes = FRAMINGS
    door = "audience"

    async def get(self, request: Request, match: int) -> HttpResponseBase:
        who = identity(request._request, request.auth)
        hub().require_room(who)
        game, first = await _opened(request, match)
        hub().require_room(who)  # again: others have come meanwhile
        stream = TableWatch(request, game, first, place(request))
        return streamed(stream.framing, stream.pieces(who))


class GameViewers(LiveView):
    """At ``/api/v1/matches/{match}/viewers``."""

    authentication_classes = EITHER
    permission_classes = [AllowAny]

    async def get(self, request: Request, match: int) -> HttpResponse:
        await threads.read(_public, request, match)
        found = {"game": match, "viewers": await hub().viewers.count(match)}
        return HttpResponse(orjson.dumps(found), content_type="application/json")


class TableWatch:
    """One open public stream: what it has told, and who reads it."""

    def __init__(self, request: Request, game: Match, first: Document, entries: int) -> None:
        self.framing = framing_of(request)
        self._request, self._game, self._first = request, game, first
        self._watched = Watched(entries=entries)
        self._woken = asyncio.Event()
        self._viewers: int | None = None

    async def pieces(self, who: str) -> AsyncIterator[bytes]:
        """The bytes of the stream, until the game has ended, it is not for who reads any more, or the server stops.

        What is sent when nothing is to be told comes by the clock alone: nobody is to learn of each move.
        """
        clock = asyncio.get_running_loop().time
        watch = Watch(self._touch, match=self._game.pk)
        with (
            hub().watching(watch, who),
            hub().viewers.watching(self._game.pk, who, self._count),
            following(self._game.pk, self._woken.set) as feed,
        ):
            yield self.framing.event(self._first)
            spoke = clock()
            told: int | None = None
            over = False
            while not watch.ended.is_set() and not over:
                self._woken.clear()
                if not await self._may_go_on():
                    return
                found = await feed.after(self._watched)
                self._watched, over = found.news.watched, found.news.over
                pieces = [found.pieces(self.framing)]
                if self._viewers != told and not over:
                    told = self._viewers
                    pieces.append(self.framing.event({"type": "viewers", "game": self._game.pk, "viewers": told}))
                if any(pieces) or clock() >= spoke + KEEP_ALIVE_S:
                    yield b"".join(pieces) or self.framing.keep_alive
                    spoke = clock()
                if not over:
                    await rest(self._woken, max(0.0, spoke + KEEP_ALIVE_S - clock()))

    def _touch(self, match: int | None) -> None:
        """All who watch are told by the feed; of a private ladder each is looked at before."""
        if match is None or self._game.ladder.private:
            self._woken.set()

    def _count(self, viewers: int) -> None:
        """So many watch now."""
        if viewers != self._viewers:
            self._viewers = viewers
            self._woken.set()

    async def _may_go_on(self) -> bool:
        """Of a private ladder, whether the token or the session still opens it; what is public stays so."""
        return not self._game.ladder.private or await threads.read(_still_seen, self._request, self._game.pk)


async def _opened(request: Request, match_id: int) -> Opened:
    """The game, if who asks may know of it; looked up once for all who come at the same time. Raises ``Http404``."""
    found = await _STRANGERS.look(match_id, None)
    return await threads.read(_opened_by, request, match_id) if found is None else found


def _opened_by(request: Request, match_id: int) -> Opened:
    game = _public(request, match_id)
    return game, head(game)


def _opened_by_strangers(match_id: int, asks: list[None]) -> list[Opened | None]:
    game = live_match_of_strangers(match_id)
    return [None if game is None else (game, head(game))] * len(asks)


_STRANGERS: Final = Shared(_opened_by_strangers, apart_s=0.1)
"""What nobody needs to be known for; who comes in a crowd waits a moment, and is one question with all others."""


def _still_seen(request: Request, match_id: int) -> bool:
    auth = request.auth
    if isinstance(auth, Browser):
        live = bool(sessions.still_live([auth]))
    else:
        live = isinstance(auth, Token) and bool(tokens.still_live([auth.pk]))
    return live and live_match(viewer(request), match_id) is not None


def _seen(request: Request, match_id: int, start: int) -> Document:
    """The view of the seat that the token plays, or else what everybody may see. Raises ``Http404``, ``Refusal``."""
    bot = _seated(request, match_id)
    found = None if bot is None else decisions.position_for(match_id, bot)
    return public_view(_public(request, match_id), start) if found is None else decisions.seat_view(*found, start)


def _seated(request: Request, match_id: int) -> int | None:
    """The remote bot at the table that the token plays; ``None`` if none does."""
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
    found = list(live_seats.values_list("seat__version__bot", "seat__version__bot__slug"))
    if len(found) > 1:
        which = ", ".join(slug for _, slug in found)
        raise Refusal(HTTPStatus.BAD_REQUEST, "bot_missing", f"Say as which of your bots: ?bot= one of {which}.")
    return found[0][0] if found else None


def _public(request: Request, match_id: int) -> Match:
    match = live_match(viewer(request), match_id)
    if match is None:
        raise Http404(f"There is no live game {match_id}. /api/v1/matches/{match_id} has games of hosted bots.")
    return match
