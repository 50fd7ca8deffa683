"""The stream of a remote bot, and long polls for programs that cannot read a stream."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from uuid import uuid4

import orjson
from django.db.models import F
from django.http import Http404, HttpResponse
from rest_framework.request import Request

from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.authentication import identity, player_of
from esr_platform.api.streams import threads
from esr_platform.api.streams.hub import hub
from esr_platform.api.streams.presence import claim_stream, come, games_of
from esr_platform.api.streams.stream import Batch, JSONLines, Source, StreamView
from esr_platform.api.streams.subscriptions import BotClaim, Subscription, Topic
from esr_platform.api.streams.threads import Coalescer, wait_for
from esr_platform.api.streams.view import LiveView, whole_number
from games.rules import Document
from ladder.live import decisions
from ladder.live.clocks import milliseconds
from ladder.live.position import Position
from ladder.live.publish import BotEvent
from ladder.live.rows import position_at
from ladder.matchmaking.lobby import challenges_waiting_for
from ladder.models import LiveSeat, Match

# --- Events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GameCursor:
    """The position of a stream in a match: whether it was started, the last decision, the number of log entries."""

    started: bool = False
    decision: int = 0
    entries: int = 0
    over: bool = False


@dataclass(frozen=True)
class GameEvents:
    """New events of a match, the cursor after them, and the seconds until there is more, if known."""

    cursor: GameCursor
    events: list[Document] = field(default_factory=list)
    again_s: float | None = None


class PollResult(NamedTuple):
    """The result of a long poll: an event, or the seconds until the next one, if known.

    ``is_first`` is true if the bot has not received anything of the game before.
    """

    event: Document | None = None
    again_s: float | None = None
    is_first: bool = False


def bot_events(match_id: int, asks: list[tuple[int, GameCursor]]) -> list[GameEvents]:
    """Return the new events of one match for each bot and its cursor. Reads the match once."""
    position = position_at(match_id)
    return [_events(position, bot, cursor) for bot, cursor in asks]


def next_event(bot_id: int) -> PollResult:
    """Return the oldest open decision of the bot in any game, with its complete log."""
    for match_id, _ in decisions.open_decisions(bot_id):
        result = open_event(match_id, bot_id, 0)
        if result is not None and result.event is not None and result.event["type"] == "decide":
            return result
    return PollResult()


def open_event(match_id: int, bot_id: int, log: int) -> PollResult | None:
    """Return the open decision with the log from ``log``, or the end of the game. ``None`` if the bot does not play."""
    seated = decisions.position_for(match_id, bot_id)
    if seated is None:
        return None
    position, seat = seated
    if position.match.status in Match.ENDED:
        return PollResult(decisions.game_end(position, seat))
    if not _is_open(position, seat):
        return PollResult(again_s=_again_s(position, seat))
    hello = decisions.hello(position, seat, resumed=True)
    event = {**decisions.decide_event(position, seat, log), "hello": hello}
    return PollResult(event, is_first=not position.live_seats[seat].starts)


def _events(position: Position | None, bot: int, cursor: GameCursor) -> GameEvents:
    seat = None if position is None else position.seat_of(bot)
    if position is None or seat is None or cursor.over:
        return GameEvents(replace(cursor, over=True))
    if position.match.status in Match.ENDED:
        return GameEvents(replace(cursor, over=True), [decisions.game_end(position, seat)] if cursor.started else [])
    events = [] if cursor.started else [_start(position, seat)]
    cursor, decision = replace(cursor, started=True), position.live_seats[seat].asked
    if not _is_open(position, seat) or decision <= cursor.decision:
        return GameEvents(cursor, events, _again_s(position, seat))
    event = decisions.decide_event(position, seat, cursor.entries)
    entries = event["log_from"] + len(event["message"]["log"])
    return GameEvents(replace(cursor, decision=decision, entries=entries), [*events, event])


def _start(position: Position, seat: int) -> Document:
    """Return the first event of a match. It is ``resumed`` if an earlier stream already sent it."""
    live_seat = position.live_seats[seat]
    LiveSeat.objects.filter(pk=live_seat.pk).update(starts=F("starts") + 1)
    begun = decisions.game_start(position, seat, resumed=live_seat.starts > 0)
    hello = decisions.hello(position, seat, resumed=live_seat.starts > 0, start=live_seat.starts + 1)
    return {**begun, "message": hello}


def _is_open(position: Position, seat: int) -> bool:
    """Return whether the seat has an open decision that may already be sent."""
    live_seat = position.live_seats[seat]
    return live_seat.owes and live_seat.due_at is not None and live_seat.due_at <= position.now


def _again_s(position: Position, seat: int) -> float | None:
    """Return the seconds until the open decision may be sent. ``None`` if unknown or if it may be sent already."""
    due_at = position.live_seats[seat].due_at
    if due_at is None or due_at <= position.now:
        return None
    return (milliseconds(position.now, due_at) + 1) / 1000


# --- The stream ------------------------------------------------------------------------------------------------------
#
# A new stream begins with all pending events: running games, open decisions with the complete log, open challenges.
# A bot has one stream, the newest in all processes.

EVENTS: Final = Coalescer(bot_events, writes=lambda ask: not ask[1].started)
"""New events, read once for all bots in a match. A request writes if its stream has not started the match yet."""

_NOTHING: Final = GameCursor()


class BotSource(Source):
    """The running matches and open challenges of a remote bot."""

    def __init__(self, bot: int, token: int) -> None:
        super().__init__([Topic("bot", bot)])
        self.claim: BotClaim = BotClaim(bot, token, uuid4(), self._behind)
        self._cursors: dict[int, GameCursor] = {}
        self._challenges: set[int] = set()
        self._changed: set[int] = set()
        self._reads = False
        self._published: list[str] = []
        self._everything = True

    async def open(self, wake: Callable[[], None]) -> None:
        """Claim the stream, or it would be closed as an old one, even if the client disconnects meanwhile."""
        self._wake = wake
        self._claimed = hub().run(threads.write(claim_stream, self.claim.bot, self.claim.stream))
        await asyncio.shield(self._claimed)

    async def close(self) -> None:
        """After the claim, note that the bot is offline, even if the client disconnects meanwhile."""
        await asyncio.shield(hub().run(self._leave()))

    async def _leave(self) -> None:
        await asyncio.wait([self._claimed])
        await hub().presence.leave(self.claim.bot, self.claim.stream)

    def hello(self, framing: JSONLines) -> bytes:
        return framing.keep_alive

    def touched(self, match: int | None) -> bool:
        if match is None:
            self._everything = True
        else:
            self._changed.add(match)
        return True

    def changed(self, change: Mapping[str, Any]) -> bool:
        match, fields = change["match"], change["decisions"].get(str(self.claim.bot))
        event, known = None if fields is None else BotEvent(**fields), self._cursors.get(match, _NOTHING)
        follows = event is not None and (event.decision, event.log_from) == (known.decision + 1, known.entries)
        if event is None or not follows or not known.started or self._reads or match in self._changed:
            return self.touched(match)  # what is being read may be older or newer than the change
        self._cursors[match] = replace(known, decision=event.decision, entries=event.log_to)
        self._published.append(event.event)
        return True

    def _behind(self, asked: Mapping[int, int]) -> Iterable[int]:
        """Return the matches with unsent events. ``asked`` contains the open decision, or 0, of each running match."""
        unsent = [match for match, decision in asked.items() if self._cursors.get(match, _NOTHING).decision < decision]
        return {*unsent, *(asked.keys() ^ self._cursors.keys())}

    async def look(self, framing: JSONLines) -> Batch:
        published, self._published = self._published, []
        data = b"".join(framing.framed("decide", event.encode()) for event in published)
        if not self._everything and not self._changed:
            return Batch(data)
        self._reads = True
        events: list[dict[str, Any]] = []
        if self._everything:
            self._everything = False
            self._changed.update(await threads.read(games_of, self.claim.bot))
            self._changed.update(self._cursors)
            events += await self._new_challenges()
        changed, self._changed = sorted(self._changed), set()
        asks = [EVENTS.fetch(match, (self.claim.bot, self._cursors.get(match, _NOTHING))) for match in changed]
        for match, news in zip(changed, await asyncio.gather(*asks), strict=True):
            if news.cursor.over:
                self._cursors.pop(match, None)
            else:
                self._cursors[match] = news.cursor
            events += news.events
            if news.again_s is not None:
                asyncio.get_running_loop().call_later(news.again_s, self._again, match)
        self._reads = False
        return Batch(data + b"".join(map(framing.event, events)))

    def _again(self, match: int) -> None:
        self._changed.add(match)
        self._wake()

    async def _new_challenges(self) -> list[dict[str, Any]]:
        challenges = await threads.read(challenges_waiting_for, self.claim.bot)
        new = [challenge for challenge in challenges if challenge["id"] not in self._challenges]
        self._challenges = {challenge["id"] for challenge in challenges}
        return [{"type": "challenge", "challenge": challenge} for challenge in new]


class BotStreamView(StreamView):
    """At ``/api/v1/bot/stream``."""

    scope = Scope.PLAY
    admission = "players"

    async def source(self, request: Request, who: str) -> BotSource:  # type: ignore[override]  # noqa: ARG002
        assert isinstance(request.auth, Token)
        bot = await threads.read(player_of, request.auth, request.query_params.get("bot", ""))
        return BotSource(bot.pk, request.auth.pk)


# --- Long polls ------------------------------------------------------------------------------------------------------

LONGEST_S: Final = 25
"""Maximum seconds of a long poll. Many proxies close a request after 30 s."""

LOOK_S: Final = 5.0
"""Seconds between two checks of a waiting request, in case a hint was lost."""


class _Polling(LiveView):
    scope = Scope.PLAY
    throttle_scope = "play"

    async def _player(self, request: Request) -> Bot:
        return await threads.read(player_of, self._token(request), request.query_params.get("bot", ""))

    def _token(self, request: Request) -> Token:
        assert isinstance(request.auth, Token)
        return request.auth

    async def _wait(
        self, request: Request, bot: Bot, match: int | None, look: Callable[[], Awaitable[PollResult]]
    ) -> HttpResponse:
        """Return the first event that ``look`` finds, or 204 if there is none in time."""

        def touched(changed: int | None) -> None:
            if changed is None or match in (None, changed):
                woken.set()

        wait_s = whole_number(request, "wait", 0, LONGEST_S, default=LONGEST_S)
        who, woken = identity(request._request, request.auth), asyncio.Event()
        hub().require_room(who)
        if hub().presence.note(bot.pk):
            await threads.write(come, bot.pk)
        until = asyncio.get_running_loop().time() + wait_s
        topics = [Topic("bot", bot.pk), *([] if match is None else [Topic("match", match)])]
        subscription = Subscription(topics, touched)
        with hub().subscribed(subscription, who):
            while True:
                woken.clear()
                result = await look()
                left_s = until - asyncio.get_running_loop().time()
                if result.event is not None:
                    if result.is_first:
                        await threads.write(decisions.note_sent, result.event["game"], bot.pk)
                    return HttpResponse(orjson.dumps(result.event), content_type="application/json")
                if left_s <= 0 or subscription.ended:
                    return HttpResponse(status=HTTPStatus.NO_CONTENT)
                await wait_for(woken, min(left_s, LOOK_S, LOOK_S if result.again_s is None else result.again_s))


class NextDecision(_Polling):
    """At ``/api/v1/bot/decision``, for any game."""

    async def get(self, request: Request) -> HttpResponse:
        bot = await self._player(request)
        return await self._wait(request, bot, None, lambda: threads.read(next_event, bot.pk))


class GameDecision(_Polling):
    """At ``/api/v1/matches/{match}/decision``, for one game until it has ended."""

    async def get(self, request: Request, match: int) -> HttpResponse:
        bot = await self._player(request)
        start = whole_number(request, "log", 0, 1_000_000, default=0)

        async def look() -> PollResult:
            result = await threads.read(open_event, match, bot.pk, start)
            if result is None:
                raise Http404(f"Live game not found, or {bot.name} does not play in it.")
            return result

        return await self._wait(request, bot, match, look)
