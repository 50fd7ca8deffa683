"""Which streams are open in this process, and for what; one subscription to Redis says when to look again."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from itertools import count
from typing import Any, Final, Generic, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

import orjson
import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from esr_platform.accounts.sessions import Browser
from esr_platform.api.authentication import STRANGER
from esr_platform.api.http import Refusal
from esr_platform.api.streams import threads
from esr_platform.api.streams.presence import Presence
from esr_platform.api.streams.threads import on_shutdown
from esr_platform.api.streams.viewers import Crowd, Viewers
from ladder.live.notify import CHANNEL

# --- The subscription ------------------------------------------------------------------------------------------------

log = structlog.get_logger(__name__)

_PAUSE_S: Final = 0.5
_PING_S: Final = 10.0


async def listen(hear: Callable[[Mapping[str, Any]], None], missed: Callable[[], None]) -> None:
    """Call ``hear`` with every hint, and ``missed`` each time that some may have been lost. It never ends."""
    while True:
        try:
            await _listen(hear, missed)
        except (RedisError, OSError) as error:
            log.warning("hints_missed", error=repr(error))
        except Exception:  # the border of the task: everybody who waits here depends on it
            log.exception("hints_missed")
        await asyncio.sleep(_PAUSE_S)


async def _listen(hear: Callable[[Mapping[str, Any]], None], missed: Callable[[], None]) -> None:
    async with Redis.from_url(settings.REDIS_URL, health_check_interval=_PING_S) as client, client.pubsub() as channel:
        await channel.subscribe(CHANNEL)
        missed()
        while True:
            message = await channel.get_message(ignore_subscribe_messages=True, timeout=_PING_S)
            if message is not None:
                _pass_on(message["data"], hear)


def _pass_on(data: bytes, hear: Callable[[Mapping[str, Any]], None]) -> None:
    """What is no hint is nobody's; it must not end the listening."""
    try:
        hint = orjson.loads(data)
    except orjson.JSONDecodeError:
        hint = None
    if isinstance(hint, dict):
        hear(hint)
    else:
        log.warning("no_hint", data=repr(data[:200]))


# --- One look for all ------------------------------------------------------------------------------------------------

Ask = TypeVar("Ask")
Found = TypeVar("Found")


class Shared(Generic[Ask, Found]):
    """Collects who asks for a match until the event loop comes round again, then looks for all of them at once.

    So whoever asks is told of nothing older than the question. ``look`` gets the match and what is asked, and gives an
    answer to each; it runs on a thread for the database, on one that may write where ``writes`` says so of an ask: on
    SQLite whoever writes may have to wait, and nobody who reads is to wait for that. With ``apart_s`` looks begin so
    many seconds apart at least: whoever asks meanwhile waits.
    """

    def __init__(
        self,
        look: Callable[[int, list[Ask]], list[Found]],
        writes: Callable[[Ask], bool] = lambda _: False,
        apart_s: float = 0.0,
    ) -> None:
        self._do, self._writes, self._apart_s = look, writes, apart_s
        self._began: dict[int, float] = {}
        self._asked: dict[int, list[tuple[Ask, asyncio.Future[Found]]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def look(self, match: int, ask: Ask) -> Found:
        """What is found for ``ask``; raises what looking raises."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Found] = loop.create_future()
        if match not in self._asked:
            self._asked[match] = []
            self._when(match, partial(self._begin, match))
        self._asked[match].append((ask, answer))
        return await answer

    def _when(self, match: int, begin: Callable[[], None]) -> None:
        """Have ``begin`` called when the event loop comes round, or as soon after the look before as may be."""
        loop = asyncio.get_running_loop()
        if not self._apart_s:
            loop.call_soon(begin)
            return
        now = loop.time()
        self._began[match] = at = max(now, self._began.get(match, -self._apart_s) + self._apart_s)
        loop.call_at(at, begin)
        loop.call_at(at + self._apart_s, self._forget, match, at)

    def _forget(self, match: int, at: float) -> None:
        """Whoever guesses numbers is not kept."""
        if self._began.get(match) == at:
            del self._began[match]

    def _begin(self, match: int) -> None:
        task = asyncio.get_running_loop().create_task(self._look(match, self._asked.pop(match)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _look(self, match: int, asked: list[tuple[Ask, asyncio.Future[Found]]]) -> None:
        asks, answers = [ask for ask, _ in asked], [answer for _, answer in asked]
        on_thread = threads.write if any(map(self._writes, asks)) else threads.read
        try:
            found = await on_thread(self._do, match, asks)
        except Exception as error:  # it is theirs who asked
            for answer in answers:
                if not answer.done():
                    answer.set_exception(error)
            return
        for answer, one in zip(answers, found, strict=True):
            if not answer.done():  # who is gone waits no more
                answer.set_result(one)


# --- The hub ---------------------------------------------------------------------------------------------------------
#
# A hint (``ladder.live.notify``) may be lost, and says nothing by itself: whoever is touched by it reads the rows.

NEWER: Final = "this table is open in newer windows"

COME_AGAIN_S: Final = 5
"""When to ask again after too many have asked at once."""


LOBBY: Final = "lobby"

_NUMBERS: Final = count()

_AT_TABLES: Final = ("moved", "decide", "stream", "chat", "seats")
"""What may be told of without anything being on offer, or begun, that was not before."""


class Watch:
    """One client that waits. ``bot`` is whom it waits for, ``match`` the only game that matters to it.

    ``touched`` is told of each match that may have changed, or of ``None``: everything. ``stream`` and ``token`` are
    those of a bot's stream, which ends when they no longer count; ``behind`` says which of the games that its bot plays
    it does not know as they are. ``browser`` is whose session it hangs on, ``seat`` where they sit at the match.
    ``place`` is ``LOBBY`` for what is on offer. ``number`` grows from each to the next.
    """

    def __init__(
        self,
        touched: Callable[[int | None], None],
        *,
        bot: int | None = None,
        match: int | None = None,
        token: int | None = None,
        stream: UUID | None = None,
        behind: Callable[[Mapping[int, int]], Iterable[int]] | None = None,
        browser: Browser | None = None,
        seat: int | None = None,
        place: str | None = None,
    ) -> None:
        self.touched, self.bot, self.match, self.token, self.stream = touched, bot, match, token, stream
        self.behind, self.browser, self.seat, self.place = behind, browser, seat, place
        self.number = next(_NUMBERS)
        self.ended = asyncio.Event()
        self.reason = ""

    def end(self, reason: str = "") -> None:
        """Have the client leave; ``reason`` is for it, and there is none where it is welcome to come again at once."""
        self.reason = self.reason or reason
        self.ended.set()
        self.touched(None)


class Hub:
    """All who wait in this process. It lives on the event loop; nothing of it is touched from another thread."""

    def __init__(self) -> None:
        self._by_bot: defaultdict[int, set[Watch]] = defaultdict(set)
        self._by_match: defaultdict[int, set[Watch]] = defaultdict(set)
        self._by_place: defaultdict[str, set[Watch]] = defaultdict(set)
        self._waiting = Crowd()
        self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.presence = Presence(self)
        self.viewers = Viewers()
        self.run(listen(self.hear, self._touch_all))
        self.run(self.presence.keep())
        self.run(self.presence.beat())
        self.run(self.viewers.keep())
        on_shutdown(self.close)

    def run(self, coroutine: Any) -> None:
        """Let something go on in the background for as long as the process lives."""
        with threads.shared():
            task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def watches(self) -> set[Watch]:
        """Everybody who waits now."""
        groups: tuple[Mapping[Any, set[Watch]], ...] = (self._by_bot, self._by_match, self._by_place)
        return {watch for group in groups for some in group.values() for watch in some}

    @property
    def streams(self) -> list[Watch]:
        """The streams of bots that are open in this process."""
        return [watch for some in self._by_bot.values() for watch in some if watch.stream is not None]

    @property
    def sitting(self) -> list[Watch]:
        """The streams of people at tables that are open in this process."""
        return [watch for some in self._by_match.values() for watch in some if watch.seat is not None]

    @property
    def in_lobby(self) -> list[Watch]:
        """The streams of what is on offer that are open in this process."""
        return list(self._by_place.get(LOBBY, ()))

    @property
    def bots(self) -> list[int]:
        """Who holds a stream open or waits for a decision here."""
        return [bot for bot, some in self._by_bot.items() if some]

    def make_room(self, match: int, seat: int, most: int) -> None:
        """End the oldest streams of a seat until fewer than ``most`` are open: a window that is gone may seem open."""
        streams = [watch for watch in self._by_match.get(match, ()) if watch.seat == seat and not watch.ended.is_set()]
        for watch in sorted(streams, key=lambda watch: watch.number)[: max(0, len(streams) + 1 - most)]:
            watch.end(NEWER)

    def require_room(self, who: str) -> None:
        """Raises ``Refusal`` where ``who``, or everybody together, waits for too much already.

        Strangers have half of the room: however many addresses there are, bots find theirs.
        """
        if self._waiting.of(who) >= settings.MAX_STREAMS_PER_CLIENT:
            sentence = (
                f"{settings.MAX_STREAMS_PER_CLIENT} of your requests wait for something already. Close one of them."
            )
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "too_many_waiting", sentence, COME_AGAIN_S)
        crowded = who.startswith(STRANGER) and 2 * self._waiting.strangers >= settings.MAX_STREAMS_PER_PROCESS
        if crowded or self._waiting.total >= settings.MAX_STREAMS_PER_PROCESS:
            sentence = "Too many wait for something here. Come again in a moment."
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too_many_waiting", sentence, COME_AGAIN_S)

    @contextmanager
    def watching(self, watch: Watch, who: str) -> Iterator[Watch]:
        """Have ``watch`` wait; ``who`` is counted for it."""
        with self._waiting.counted(who), self.listening(watch):
            yield watch

    @contextmanager
    def listening(self, watch: Watch) -> Iterator[Watch]:
        """The same for what waits in the name of others, who are counted."""
        groups = [(group, key) for group, key in self._places(watch) if key is not None]
        for group, key in groups:
            group[key].add(watch)
        if self._closing:
            watch.end()
        try:
            yield watch
        finally:
            for group, key in groups:
                group[key].discard(watch)
                if not group[key]:
                    del group[key]

    def hear(self, hint: Mapping[str, Any]) -> None:
        """Act on a hint, when what it tells of may be shown."""
        delay_s, bots = float(hint.get("in_ms") or 0) / 1000, hint.get("bots", ())
        if hint.get("what") not in _AT_TABLES:
            for watch in self.in_lobby:
                watch.touched(None)
        if hint.get("what") == "stream":
            self.run(self.presence.compare(bots))
        elif delay_s > 0:
            asyncio.get_running_loop().call_later(delay_s, self._touch, hint.get("match"), bots)
        else:
            self._touch(hint.get("match"), bots)

    def close(self) -> None:
        """End everything that waits, and what still comes: the process is about to stop."""
        self._closing = True
        for watch in self.watches:
            watch.end()

    def _places(self, watch: Watch) -> Iterable[tuple[defaultdict[Any, set[Watch]], int | str | None]]:
        return (self._by_bot, watch.bot), (self._by_match, watch.match), (self._by_place, watch.place)

    def _touch(self, match: int | None, bots: Iterable[int]) -> None:
        told = {watch for bot in bots for watch in self._by_bot.get(bot, ()) if watch.match in (None, match)}
        if match is not None:
            told |= self._by_match.get(match, set())
        for watch in told:
            watch.touched(match)

    def _touch_all(self) -> None:
        for watch in self.watches:
            watch.touched(None)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of this process; it begins to listen when it is asked for first."""
    loop = asyncio.get_running_loop()
    found = _hubs.get(loop)
    if found is None:
        found = _hubs[loop] = Hub()
    return found
