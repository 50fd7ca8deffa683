"""Long polls, for programs that cannot read a stream: the next decision, or nothing after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

import orjson
from django.http import Http404, HttpResponse
from rest_framework.request import Request

from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.live import threads
from esr_platform.api.live.hub import Watch, hub
from esr_platform.api.live.parameters import whole_number
from esr_platform.api.live.resting import rest
from esr_platform.api.live.running import come
from esr_platform.api.live.seat_news import Waited, next_event, open_event
from esr_platform.api.live.view import LiveView
from esr_platform.api.players import player_of
from esr_platform.api.throttling import identity

LONGEST_S: Final = 25
"""So long a request waits; many proxies break one off after 30 s."""

LOOK_S: Final = 5.0
"""Who waits looks again this often, since a hint may be lost."""


class _Polling(LiveView):
    scope = Scope.PLAY
    throttle_scope = "play"

    async def _player(self, request: Request) -> Bot:
        return await threads.read(player_of, self._token(request), request.query_params.get("bot", ""))

    def _token(self, request: Request) -> Token:
        assert isinstance(request.auth, Token)
        return request.auth

    async def _wait(
        self, request: Request, bot: Bot, match: int | None, look: Callable[[], Awaitable[Waited]]
    ) -> HttpResponse:
        """What ``look`` finds as soon as it finds something; 204 if that is nothing in the time to wait."""
        wait_s = whole_number(request, "wait", 0, LONGEST_S, default=LONGEST_S)
        who, woken = identity(request._request, request.auth), asyncio.Event()
        hub().require_room(who)
        if hub().presence.note(bot.pk):
            await threads.write(come, bot.pk)
        until = asyncio.get_running_loop().time() + wait_s
        watch = Watch(lambda _: woken.set(), bot=bot.pk, match=match)
        with hub().watching(watch, who):
            while True:
                woken.clear()
                found = await look()
                left_s = until - asyncio.get_running_loop().time()
                if found.event is not None:
                    return HttpResponse(orjson.dumps(found.event), content_type="application/json")
                if left_s <= 0 or watch.ended.is_set():
                    return HttpResponse(status=HTTPStatus.NO_CONTENT)
                await rest(woken, min(left_s, LOOK_S, LOOK_S if found.again_s is None else found.again_s))


class NextDecision(_Polling):
    """At ``/api/v1/bot/decision``: of any game."""

    async def get(self, request: Request) -> HttpResponse:
        bot = await self._player(request)
        return await self._wait(request, bot, None, lambda: threads.read(next_event, bot.pk))


class GameDecision(_Polling):
    """At ``/api/v1/games/{match}/decision``: of one game, until it has ended."""

    async def get(self, request: Request, match: int) -> HttpResponse:
        bot = await self._player(request)
        start = whole_number(request, "log", 0, 1_000_000, default=0)

        async def look() -> Waited:
            found = await threads.read(open_event, match, bot.pk, start)
            if found is None:
                raise Http404(f"{bot.name} does not play game {match}.")
            return found

        return await self._wait(request, bot, match, look)
