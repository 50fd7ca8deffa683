"""Watching a live game: its table as a seat sees it, or as everybody does, once or as a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final

import orjson
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from bots.reports import storable
from esr_platform.accounts import browsers, tokens
from esr_platform.accounts.browsers import Browser
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.authentication import viewer
from esr_platform.api.live import threads
from esr_platform.api.live.browser import EITHER
from esr_platform.api.live.feed import following
from esr_platform.api.live.framing import FRAMINGS, KEEP_ALIVE_S, framing_of, streamed
from esr_platform.api.live.hub import Watch, hub
from esr_platform.api.live.parameters import place, whole_number
from esr_platform.api.live.public_news import Watched, head, live_match, live_match_of_strangers, public_view
from esr_platform.api.live.resting import rest
from esr_platform.api.live.sharing import Shared
from esr_platform.api.live.view import LiveView
from esr_platform.api.problems import Refusal
from esr_platform.api.throttling import identity
from games.base import Document
from ladder.live import decisions
from ladder.models import Chair, Match

MOST_ENTRIES: Final = 1_000_000

Opened = tuple[Match, Document]
"""A game, and the first event of its stream."""


class TableView(LiveView):
    """At ``/api/v1/games/{match}/view``."""

    authentication_classes = EITHER
    permission_classes = [AllowAny]

    async def get(self, request: Request, match: int) -> HttpResponse:
        start = whole_number(request, "log", 0, MOST_ENTRIES, default=0)
        found = await threads.read(_seen, request, match, start)
        return HttpResponse(orjson.dumps(found), content_type="application/json")


class TableStream(LiveView):
    """At ``/api/v1/games/{match}/stream``."""

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
    """At ``/api/v1/games/{match}/viewers``."""

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
        live = bool(browsers.still_live([auth]))
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
    chairs = Chair.objects.filter(table=match_id, kind=Chair.Kind.REMOTE, seat__version__bot__owner=token.user_id)
    if token.bot_id is not None:
        chairs = chairs.filter(seat__version__bot=token.bot_id)
    named = request.query_params.get("bot", "")
    if named:
        chairs = chairs.filter(seat__version__bot__slug=storable(named))
    found = list(chairs.values_list("seat__version__bot", "seat__version__bot__slug"))
    if len(found) > 1:
        which = ", ".join(slug for _, slug in found)
        raise Refusal(HTTPStatus.BAD_REQUEST, "bot_missing", f"Say as which of your bots: ?bot= one of {which}.")
    return found[0][0] if found else None


def _public(request: Request, match_id: int) -> Match:
    match = live_match(viewer(request), match_id)
    if match is None:
        raise Http404(f"There is no live game {match_id}. /api/v1/matches/{match_id} has games of hosted bots.")
    return match
