"""The loop of all streams, and the formats of their events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from math import floor, inf
from typing import Any, Final, NamedTuple

import orjson
from django.http.response import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from esr_platform.accounts.sessions import Browser
from esr_platform.api.authentication import identity
from esr_platform.api.streams.hub import hub
from esr_platform.api.streams.subscriptions import BotClaim, Subscription, Topic
from esr_platform.api.streams.view import LiveView, StreamResponse

# --- Formats of events -----------------------------------------------------------------------------------------------

KEEP_ALIVE_S: Final = 7.0
"""Maximum seconds of silence in the stream of a player. Players notice a lost connection soon."""

CROWD_KEEP_ALIVE_S: Final = 15.0
"""The same in streams of spectators and the lobby, of which there are many."""


class JSONLines(JSONRenderer):
    """One JSON object per line. Empty lines are keep-alives. Errors are problem documents."""

    media_type = "application/x-ndjson"
    format = "ndjson"
    charset = None
    keep_alive: bytes = b"\n"
    hello: bytes = b"\n"

    def event(self, document: Mapping[str, Any], place: int | str | None = None) -> bytes:
        """Encode an event. ``place`` is its id if a client can resume after it."""
        return self.framed(str(document["type"]), orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), place)

    def framed(self, kind: str, data: bytes, place: int | str | None = None) -> bytes:  # noqa: ARG002
        """Frame ``data``, the JSON of an event whose type is ``kind``."""
        return data + b"\n"


class EventStream(JSONLines):
    """Server-sent events for ``EventSource``. Comments are keep-alives. Browsers reconnect after one second."""

    media_type = "text/event-stream"
    format = "sse"
    keep_alive = b":\n\n"
    hello = b"retry: 1000\n\n"

    def framed(self, kind: str, data: bytes, place: int | str | None = None) -> bytes:
        at = b"" if place is None else b"id: %s\n" % str(place).encode("ascii")
        return b"%sevent: %s\ndata: %s\n\n" % (at, kind.encode(), data)


FRAMINGS: Final = [JSONLines, EventStream]
"""The formats of streams; the first is the default for programs, the last for browsers."""


# --- Sources and the loop --------------------------------------------------------------------------------------------


class Batch(NamedTuple):
    """New data of a source.

    ``data`` is sent immediately. ``again_s`` is the number of seconds until there is more, if known. If ``closes_s`` is
    set, the stream closes after that many seconds.
    """

    data: bytes = b""
    again_s: float | None = None
    closes_s: float | None = None


class Source:
    """The events of one stream, with the position of its client.

    Changes of ``topics`` wake the stream. It ends with the session of ``browser`` or with ``claim``.
    """

    keep_alive_s = KEEP_ALIVE_S
    browser: Browser | None = None
    claim: BotClaim | None = None

    def __init__(self, topics: Sequence[Topic]) -> None:
        self.topics = topics

    async def open(self, wake: Callable[[], None]) -> None:
        """Begin. Afterwards, ``wake`` makes the stream call ``look``."""

    async def close(self) -> None:
        """End. This is also called if ``open`` was cancelled or failed."""

    def touched(self, match: int | None) -> bool:  # noqa: ARG002
        """Note that ``match``, or anything (``None``), may have changed. Return whether to call ``look`` now."""
        return True

    def changed(self, change: Mapping[str, Any]) -> bool:
        """Note a published change (``ladder.live.publish``). Return whether to call ``look`` now."""
        return self.touched(change["match"])

    def hello(self, framing: JSONLines) -> bytes:
        """Return the first bytes of the stream."""
        return framing.hello

    async def look(self, framing: JSONLines) -> Batch | None:
        """Return new data for the client. ``None`` ends the stream."""
        raise NotImplementedError

    def aside(self, framing: JSONLines) -> bytes:  # noqa: ARG002
        """Return data to send together with other data or instead of a keep-alive."""
        return b""


class OpenStream:
    """An open stream, which sends new data of its source when it is woken and at regular intervals.

    The times of keep-alives are fixed, because a stream can be woken by changes that its client must not learn of.
    They are whole seconds, so that a process with many streams sends many at a time.
    """

    def __init__(self, source: Source, framing: JSONLines) -> None:
        self._source, self._framing = source, framing
        self._woken = asyncio.Event()
        self.subscription = Subscription(
            source.topics, self._touch, on_change=self._change, browser=source.browser, claim=source.claim
        )

    def _touch(self, match: int | None) -> None:
        if self._source.touched(match) or self.subscription.ended:
            self._woken.set()

    def _change(self, change: Mapping[str, Any]) -> None:
        if self._source.changed(change):
            self._woken.set()

    async def pieces(self, who: str) -> AsyncGenerator[bytes]:
        """Yield the bytes of the stream until its source or subscription ends. The stream is counted for ``who``."""
        source, framing, subscription = self._source, self._framing, self.subscription
        loop = asyncio.get_running_loop()
        clock = loop.time
        try:
            await source.open(self._woken.set)
            with hub().subscribed(subscription, who):
                yield source.hello(framing)
                due_s, ends = floor(clock() + source.keep_alive_s), inf
                while not subscription.ended and clock() < ends:
                    self._woken.clear()
                    batch = await source.look(framing)
                    if batch is None or subscription.ended:
                        break  # if it has ended, another user may be reading by now
                    if batch.closes_s is not None:
                        ends = min(ends, clock() + batch.closes_s)
                    if batch.data or clock() >= due_s:
                        yield batch.data + source.aside(framing) or framing.keep_alive
                        due_s = floor(clock() + source.keep_alive_s)
                    at_s = min(due_s, ends, inf if batch.again_s is None else clock() + batch.again_s)
                    timer = loop.call_at(at_s, self._woken.set)
                    try:
                        await self._woken.wait()
                    finally:
                        timer.cancel()
                if subscription.reason:
                    yield framing.event({"type": "closed", "reason": subscription.reason})
        finally:
            await source.close()


class StreamView(LiveView):
    """A view that returns a stream of one source."""

    throttle_scope = "stream"
    renderer_classes = FRAMINGS

    async def source(self, request: Request, who: str, **numbers: int) -> Source:
        """Return the source for the client ``who``. Raises ``Http404`` or ``Refusal``."""
        raise NotImplementedError

    async def get(self, request: Request, **numbers: int) -> HttpResponseBase:
        who = identity(request._request, request.auth)
        source = await self.source(request, who, **numbers)
        hub().require_room(who)  # checked last, because other clients may have connected meanwhile
        framing = request.accepted_renderer
        assert isinstance(framing, JSONLines)
        # Proxies must not buffer the stream.
        headers = {"X-Accel-Buffering": "no"}
        return StreamResponse(OpenStream(source, framing).pieces(who), content_type=framing.media_type, headers=headers)
