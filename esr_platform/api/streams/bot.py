"""The stream of a remote bot, and long polls for programs that cannot read a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from uuid import uuid4

import orjson
from django.db.models import F
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.authentication import identity, player_of
from esr_platform.api.streams import threads
from esr_platform.api.streams.hub import Hub, Shared, Watch, hub
from esr_platform.api.streams.presence import claim_stream, come, games_of
from esr_platform.api.streams.threads import rest
from esr_platform.api.streams.view import (
    FRAMINGS,
    KEEP_ALIVE_S,
    JSONLines,
    LiveView,
    framing_of,
    streamed,
    whole_number,
)
from games.rules import Document
from ladder.live import decisions
from ladder.live.clocks import milliseconds
from ladder.live.position import Position
from ladder.live.rows import position_at
from ladder.matchmaking.challenges import waiting_for
from ladder.models import LiveSeat, Match

# --- Events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """How much of a game a stream has told: that it has begun, the last decision, the log up to ``entries``."""

    started: bool = False
    decision: int = 0
    entries: int = 0
    over: bool = False


@dataclass(frozen=True)
class News:
    """The events to be told now, what is told with them, and after how many seconds there is more to tell."""

    told: Told
    events: list[Document] = field(default_factory=list)
    again_s: float | None = None


class Waited(NamedTuple):
    """What a long poll has found: an event, or in how many seconds there is one, if anybody knows."""

    event: Document | None = None
    again_s: float | None = None


def news_of(match_id: int, asks: list[tuple[int, Told]]) -> list[News]:
    """The news of one match for bots that were told so much; one look at the table for all of them."""
    position = position_at(match_id)
    return [_news(position, bot, told) for bot, told in asks]


def next_event(bot_id: int) -> Waited:
    """The decision that waits longest for the bot, of any game, with its whole log."""
    for match_id, _ in decisions.open_decisions(bot_id):
        found = open_event(match_id, bot_id, 0)
        if found is not None and found.event is not None and found.event["type"] == "decide":
            return found
    return Waited()


def open_event(match_id: int, bot_id: int, log: int) -> Waited | None:
    """The bot's open decision, with the log from ``log`` on, or the end of the game; ``None`` if it is not its game."""
    found = decisions.position_for(match_id, bot_id)
    if found is None:
        return None
    position, seat = found
    if position.match.status in Match.ENDED:
        return Waited(decisions.game_end(position, seat))
    if not _is_open(position, seat):
        return Waited(again_s=_again_s(position, seat))
    hello = decisions.hello(position, seat, resumed=True)
    return Waited({**decisions.decide_event(position, seat, log), "hello": hello})


def _news(position: Position | None, bot: int, told: Told) -> News:
    seat = None if position is None else position.seat_of(bot)
    if position is None or seat is None or told.over:
        return News(replace(told, over=True))
    if position.match.status in Match.ENDED:
        return News(replace(told, over=True), [decisions.game_end(position, seat)] if told.started else [])
    events = [] if told.started else [_start(position, seat)]
    told, decision = replace(told, started=True), position.live_seats[seat].asked
    if not _is_open(position, seat) or decision <= told.decision:
        return News(told, events, _again_s(position, seat))
    event = decisions.decide_event(position, seat, told.entries)
    entries = event["log_from"] + len(event["message"]["log"])
    return News(replace(told, decision=decision, entries=entries), [*events, event])


def _start(position: Position, seat: int) -> Document:
    """The game begins for this stream: whoever was told so before is told that it goes on."""
    live_seat = position.live_seats[seat]
    LiveSeat.objects.filter(pk=live_seat.pk).update(starts=F("starts") + 1)
    begun = decisions.game_start(position, seat, resumed=live_seat.starts > 0)
    hello = decisions.hello(position, seat, resumed=live_seat.starts > 0, start=live_seat.starts + 1)
    return {**begun, "message": hello}


def _is_open(position: Position, seat: int) -> bool:
    """Whether the seat owes a decision that it may be told of by now."""
    live_seat = position.live_seats[seat]
    return live_seat.owes and live_seat.due_at is not None and live_seat.due_at <= position.now


def _again_s(position: Position, seat: int) -> float | None:
    """In how many seconds it is told of the decision that it owes; ``None`` if nobody knows, or it is told already."""
    due_at = position.live_seats[seat].due_at
    if due_at is None or due_at <= position.now:
        return None
    return (milliseconds(position.now, due_at) + 1) / 1000


# --- The stream ------------------------------------------------------------------------------------------------------
#
# Whenever it is opened it begins with everything that is pending: each running game, the decisions that are owed with
# the whole log, open challenges. A bot has one stream, and the newest counts, whichever process holds it.

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


# --- Long polls ------------------------------------------------------------------------------------------------------

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
    """At ``/api/v1/matches/{match}/decision``: of one game, until it has ended."""

    async def get(self, request: Request, match: int) -> HttpResponse:
        bot = await self._player(request)
        start = whole_number(request, "log", 0, 1_000_000, default=0)

        async def look() -> Waited:
            found = await threads.read(open_event, match, bot.pk, start)
            if found is None:
                raise Http404(f"{bot.name} does not play game {match}.")
            return found

        return await self._wait(request, bot, match, look)
