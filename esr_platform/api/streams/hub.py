"""The Redis subscription of this process, which tells streams when to read the database again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, Final
from weakref import WeakKeyDictionary

import orjson
import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from esr_platform.api.streams import threads
from esr_platform.api.streams.presence import PresenceWriter
from esr_platform.api.streams.subscriptions import LOBBY, WORK, Subscription, Subscriptions, Topic
from esr_platform.api.streams.threads import on_shutdown
from esr_platform.api.streams.viewers import SpectatorCounts
from ladder.live.notify import CHANNEL

log = structlog.get_logger(__name__)

# --- Listening to Redis ----------------------------------------------------------------------------------------------

_PAUSE_S: Final = 0.5
_PING_S: Final = 10.0


async def listen(hear: Callable[[Mapping[str, Any]], None], connected: Callable[[bool], None]) -> None:
    """Call ``hear`` with every hint, and ``connected`` whenever the connection is there or lost. Never returns."""
    while True:
        try:
            await _listen(hear, connected)
        except (RedisError, OSError) as error:
            log.warning("hints_missed", error=repr(error))
        except Exception:  # all streams of the process depend on this task
            log.exception("hints_missed")
        connected(False)
        await asyncio.sleep(_PAUSE_S)


async def _listen(hear: Callable[[Mapping[str, Any]], None], connected: Callable[[bool], None]) -> None:
    async with Redis.from_url(settings.REDIS_URL, health_check_interval=_PING_S) as client, client.pubsub() as channel:
        await channel.subscribe(CHANNEL)
        connected(True)
        while True:
            message = await channel.get_message(ignore_subscribe_messages=True, timeout=_PING_S)
            if message is not None:
                _pass_on(message["data"], hear)


def _pass_on(data: bytes, hear: Callable[[Mapping[str, Any]], None]) -> None:
    """Ignore malformed messages; they must not stop the listener."""
    try:
        hint = orjson.loads(data)
    except orjson.JSONDecodeError:
        hint = None
    if isinstance(hint, dict):
        hear(hint)
    else:
        log.warning("no_hint", data=repr(data[:200]))


# --- The hub ---------------------------------------------------------------------------------------------------------
#
# A hint (``ladder.live.notify``) can be lost. Clients react to it by reading the database, unless it has the events of
# the next change (``ladder.live.publish``).

_AT_TABLES: Final = ("moved", "decide", "stream", "chat")
"""Kinds of hints that do not affect the lobby."""


class Hub(Subscriptions):
    """The subscriptions of this process and its background tasks. Use it on the event loop only."""

    def __init__(self) -> None:
        super().__init__()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listens = False
        self.hears = False
        """Whether hints arrive, so that streams need not look for changes themselves."""
        self.presence = PresenceWriter(self)
        self.viewers = SpectatorCounts()
        self.run(self.presence.keep())
        self.run(self.presence.beat())
        self.run(self.viewers.keep())
        on_shutdown(self.close)

    def run(self, coroutine: Any) -> asyncio.Task[Any]:
        """Run ``coroutine`` in the background, for no request."""
        context = copy_context()
        context.run(structlog.contextvars.clear_contextvars)
        context.run(threads.share)
        task = asyncio.get_running_loop().create_task(coroutine, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @contextmanager
    def subscribed(self, subscription: Subscription, who: str | None = None) -> Iterator[None]:
        """Register ``subscription`` as usual. The first one lets this process listen to Redis.

        A web process hands its streams over, so it has no subscriptions. It would decode every event for nothing.
        """
        if not self._listens and WORK not in subscription.topics:
            self._listens = True
            self.run(listen(self.hear, self._connected))
        with super().subscribed(subscription, who):
            yield

    def _connected(self, hears: bool) -> None:
        self.hears = hears
        if hears:
            self.touch_all()  # hints may have been lost

    def hear(self, hint: Mapping[str, Any]) -> None:
        """Process a hint, after the delay that it contains."""
        delay_s, bots = float(hint.get("in_ms") or 0) / 1000, hint.get("bots", ())
        if hint.get("what") not in _AT_TABLES:
            for subscription in self.of(LOBBY):
                subscription.touch(None)
        if hint.get("what") == "stream":
            self.run(self.presence.compare(bots))
        elif delay_s > 0:
            asyncio.get_running_loop().call_later(delay_s, self._touch, hint, bots)
        else:
            self._touch(hint, bots)

    def _touch(self, hint: Mapping[str, Any], bots: Iterable[int]) -> None:
        match = hint.get("match")
        topics = [Topic("bot", bot) for bot in bots]
        for subscription in self.of(*topics, *([] if match is None else [Topic("match", match)])):
            if "revision" in hint and subscription.on_change is not None:
                subscription.on_change(hint)
            else:
                subscription.touch(match)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """Return the hub of this process. The first call starts it."""
    loop = asyncio.get_running_loop()
    running = _hubs.get(loop)
    if running is None:
        running = _hubs[loop] = Hub()
    return running
