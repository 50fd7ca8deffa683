"""The stream of a person at their table: every moment that their seat is shown, once, and how things stand.

A client that goes on where it was brings the id of the last event that it has had; everything after it is read from the
database, so that it does not matter which process it comes to.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Final

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework.request import Request

from esr_platform.accounts.browsers import Browser
from esr_platform.api.live import threads
from esr_platform.api.live.browser import BrowserAuthentication, SitsHere, browser_of
from esr_platform.api.live.framing import FRAMINGS, KEEP_ALIVE_S, JSONLines, framing_of, streamed
from esr_platform.api.live.hub import Watch, hub
from esr_platform.api.live.parameters import places
from esr_platform.api.live.person_news import Asked, Known, news_at
from esr_platform.api.live.resting import rest
from esr_platform.api.live.sharing import Shared
from esr_platform.api.live.view import LiveView
from esr_platform.api.throttling import identity
from esr_platform.languages.choosing import chosen
from ladder.live import actions

NEWS: Final = Shared(news_at)
"""What is new at tables, looked up once for all people who sit there."""

MOST_WINDOWS: Final = 5
"""So many streams of one seat go on at once, in this process; the oldest makes room."""

AFTER_S: Final = 60.0
"""So long after the end there may still be a word."""


class SeatStreamView(LiveView):
    """At ``/api/v1/games/{match}/seat/stream``."""

    authentication_classes = [BrowserAuthentication]
    permission_classes = [SitsHere]
    throttle_scope = "stream"
    door = "players"
    renderer_classes = [*FRAMINGS[::-1]]

    async def get(self, request: Request, match: int) -> HttpResponseBase:
        browser = browser_of(request)
        seat = await threads.read(seat_here, request, match)
        who = identity(request._request, browser)
        hub().make_room(match, seat, MOST_WINDOWS)
        hub().require_room(who)
        log, line = places(request)
        stream = SeatStream(match, seat, browser, framing_of(request), Known(log, line))
        return streamed(stream.framing, stream.pieces(who))


def seat_here(request: Request, match: int) -> int:
    """Where who asks sits at a live game, also while a stand-in plays for them. Raises ``Http404``."""
    browser = browser_of(request)
    seat = actions.seat_of(match, browser.user_id, browser.guest)
    if seat is None:
        with translation.override(chosen(request._request)):
            raise Http404(_("You have no seat at game %(number)s.") % {"number": match})
    return seat


class SeatStream:
    """One open stream of a seat, and what it has told."""

    def __init__(self, match: int, seat: int, browser: Browser, framing: JSONLines, known: Known) -> None:
        self.framing = framing
        self._match, self._seat, self._browser, self._known = match, seat, browser, known
        self._woken = asyncio.Event()
        self._viewers: int | None = None

    async def pieces(self, who: str) -> AsyncIterator[bytes]:
        """The bytes of the stream, until the game has ended, the session opens nothing any more, or the server stops.

        A sign of life comes by the clock alone: what others do in secret touches the stream, too.
        """
        watch = Watch(self._touch, match=self._match, seat=self._seat, browser=self._browser)
        with hub().watching(watch, who), hub().viewers.reading(self._match, self._count):
            yield self.framing.hello
            async with aclosing(self._told(watch)) as told:
                async for piece in told:
                    yield piece
            if watch.reason:
                yield self.framing.event({"type": "closed", "reason": watch.reason})

    async def _told(self, watch: Watch) -> AsyncGenerator[bytes]:
        clock = asyncio.get_running_loop().time
        spoke, ends, viewers = clock(), float("inf"), None
        while not watch.ended.is_set() and clock() < ends:
            self._woken.clear()
            news = await NEWS.look(self._match, Asked(self._seat, self._browser.user_id, self._known))
            if watch.ended.is_set():
                return  # it may be somebody else who would read it
            self._known = news.known
            pieces = [self.framing.event(event, place) for event, place in news.events]
            speaks = bool(pieces) or clock() >= spoke + KEEP_ALIVE_S
            if speaks and self._viewers != viewers:  # not by itself: it would tell when this stream was touched
                viewers = self._viewers
                pieces.append(self.framing.event({"type": "viewers", "game": self._match, "viewers": viewers}))
            if speaks:
                yield b"".join(pieces) or self.framing.keep_alive
                spoke = clock()
            if self._known.over:
                ends = min(ends, clock() + AFTER_S)
            await rest(self._woken, max(0.0, min(spoke + KEEP_ALIVE_S - clock(), news.again_s or KEEP_ALIVE_S)))

    def _touch(self, match: int | None) -> None:  # noqa: ARG002
        self._woken.set()

    def _count(self, viewers: int) -> None:
        """So many watch now; it is told with what comes next, or with the next sign of life."""
        self._viewers = viewers
