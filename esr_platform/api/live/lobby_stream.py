"""The stream of the lobby: what is on offer whenever it changes, and for who is signed in, games that begin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from django.http.response import HttpResponseBase
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from esr_platform.accounts.browsers import Browser
from esr_platform.api.live.browser import BrowserAuthentication
from esr_platform.api.live.framing import FRAMINGS, KEEP_ALIVE_S, framing_of, streamed
from esr_platform.api.live.hub import LOBBY, Watch, hub
from esr_platform.api.live.lobby_news import InLobby, lobby_news
from esr_platform.api.live.resting import rest
from esr_platform.api.live.sharing import Shared
from esr_platform.api.live.view import LiveView
from esr_platform.api.throttling import identity

APART_S: Final = 0.4
NEWS: Final = Shared(lobby_news, apart_s=APART_S)
"""What is new, looked up once for all who stand there, a few times a second at most."""


class LobbyStreamView(LiveView):
    """At ``/api/v1/lobby/stream``."""

    authentication_classes = [BrowserAuthentication]
    permission_classes = [AllowAny]
    throttle_scope = "stream"
    door = "audience"
    renderer_classes = [*FRAMINGS[::-1]]

    async def get(self, request: Request) -> HttpResponseBase:
        who = identity(request._request, request.auth)
        hub().require_room(who)
        browser = request.auth if isinstance(request.auth, Browser) else None
        framing = framing_of(request)

        async def pieces() -> AsyncIterator[bytes]:
            """Until the session opens nothing any more, or the server stops."""
            clock, woken = asyncio.get_running_loop().time, asyncio.Event()
            watch = Watch(lambda _: woken.set(), place=LOBBY, browser=browser)
            known = InLobby(None if browser is None else browser.user_id)
            with hub().watching(watch, who):
                yield framing.hello
                spoke = clock()
                while not watch.ended.is_set():
                    woken.clear()
                    news = await NEWS.look(0, known)
                    if watch.ended.is_set():
                        break
                    known = news.known
                    if news.events or clock() >= spoke + KEEP_ALIVE_S:
                        yield b"".join(map(framing.event, news.events)) or framing.keep_alive
                        spoke = clock()
                    await rest(woken, max(0.0, spoke + KEEP_ALIVE_S - clock()))
                if watch.reason:
                    yield framing.event({"type": "closed", "reason": watch.reason})

        return streamed(framing, pieces())
