"""The stream of a remote bot: all that a program reads on stdin, of every game that it plays.

Whenever it is opened it begins with everything that is pending: each running game, the decisions that are owed with the
whole log, open challenges. A bot has one stream, and the newest counts, whichever process holds it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, Final
from uuid import uuid4

from django.http.response import HttpResponseBase
from rest_framework.request import Request

from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.live import threads
from esr_platform.api.live.framing import FRAMINGS, KEEP_ALIVE_S, JSONLines, framing_of, streamed
from esr_platform.api.live.hub import Hub, Watch, hub
from esr_platform.api.live.resting import rest
from esr_platform.api.live.running import claim_stream, games_of
from esr_platform.api.live.seat_news import Told, news_of
from esr_platform.api.live.sharing import Shared
from esr_platform.api.live.view import LiveView
from esr_platform.api.players import player_of
from esr_platform.api.throttling import identity
from ladder.matchmaking.challenges import waiting_for

NEWS: Final = Shared(news_of, writes=lambda ask: not ask[1].started)
"""What is new at tables, looked up once for all bots that sit there. That a game begins for a stream is counted."""

_NOTHING: Final = Told()


class BotStreamView(LiveView):
    """At ``/api/v1/bot/stream``."""

    scope = Scope.PLAY
    throttle_scope = "stream"
    door = "players"
    renderer_classes = FRAMINGS

    async def get(self, request: Request) -> HttpResponseBase:
        token = request.auth
        assert isinstance(token, Token)
        bot = await threads.read(player_of, token, request.query_params.get("bot", ""))
        who = identity(request._request, token)
        hub().require_room(who)
        stream = BotStream(bot, framing_of(request))
        return streamed(stream.framing, stream.pieces(hub(), token, who))


class BotStream:
    """What one open stream has told of the games that run, and what it has to look at again."""

    def __init__(self, bot: Bot, framing: JSONLines) -> None:
        self.bot, self.framing = bot, framing
        self._told: dict[int, Told] = {}
        self._challenges: set[int] = set()
        self._changed: set[int] = set()
        self._everything = True
        self._woken = asyncio.Event()

    async def pieces(self, hub: Hub, token: Token, who: str) -> AsyncIterator[bytes]:
        """The bytes of the stream until it is taken over or its token is revoked, or the server stops."""
        number = uuid4()
        watch = Watch(self._touch, bot=self.bot.pk, token=token.pk, stream=number, behind=self._behind)
        await threads.write(claim_stream, self.bot.pk, number)  # first, or the stream would seem to be an old one
        with hub.watching(watch, who):
            yield self.framing.keep_alive
            while not watch.ended.is_set():
                events = await self._news()
                yield b"".join(map(self.framing.event, events)) if events else self.framing.keep_alive
                await rest(self._woken, KEEP_ALIVE_S)
            if watch.reason:
                yield self.framing.event({"type": "closed", "reason": watch.reason})

    def _touch(self, match: int | None) -> None:
        if match is None:
            self._everything = True
        else:
            self._changed.add(match)
        self._woken.set()

    def _behind(self, asked: Mapping[int, int]) -> Iterable[int]:
        """The games of which it has not told all; ``asked`` has the open decision, or 0, of each that runs."""
        unknown = [match for match, decision in asked.items() if self._told.get(match, _NOTHING).decision < decision]
        return {*unknown, *(asked.keys() ^ self._told.keys())}

    async def _news(self) -> list[dict[str, Any]]:
        """What is to be told now, and that it has been."""
        self._woken.clear()
        events: list[dict[str, Any]] = []
        if self._everything:
            self._everything = False
            self._changed.update(await threads.read(games_of, self.bot.pk))
            self._changed.update(self._told)
            events += await self._new_challenges()
        changed, self._changed = sorted(self._changed), set()
        asks = [NEWS.look(match, (self.bot.pk, self._told.get(match, _NOTHING))) for match in changed]
        for match, news in zip(changed, await asyncio.gather(*asks), strict=True):
            if news.told.over:
                self._told.pop(match, None)
            else:
                self._told[match] = news.told
            events += news.events
            if news.again_s is not None:
                asyncio.get_running_loop().call_later(news.again_s, self._touch, match)
        return events

    async def _new_challenges(self) -> list[dict[str, Any]]:
        found = await threads.read(waiting_for, self.bot.pk)
        new = [challenge for challenge in found if challenge["id"] not in self._challenges]
        self._challenges = {challenge["id"] for challenge in found}
        return [{"type": "challenge", "challenge": challenge} for challenge in new]
