"""How events travel: as server-sent events or as JSON lines, by what the client accepts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import orjson
from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

KEEP_ALIVE_S: Final = 7.0
"""A stream that has nothing to tell says so this often."""


class JSONLines(JSONRenderer):
    """One JSON object a line; an empty line keeps the connection alive. Errors are one problem document."""

    media_type = "application/x-ndjson"
    format = "ndjson"
    charset = None
    keep_alive: bytes = b"\n"
    hello: bytes = b"\n"

    def event(self, document: Mapping[str, Any], place: int | str | None = None) -> bytes:  # noqa: ARG002
        """One event, complete; ``place`` is its id where a reader can go on from there."""
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)


class EventStream(JSONLines):
    """Server-sent events, as ``EventSource`` reads them; a comment keeps the connection alive.

    A browser that has lost one comes again in a second.
    """

    media_type = "text/event-stream"
    format = "sse"
    keep_alive = b":\n\n"
    hello = b"retry: 1000\n\n"

    def event(self, document: Mapping[str, Any], place: int | str | None = None) -> bytes:
        at = b"" if place is None else b"id: %s\n" % str(place).encode("ascii")
        said = orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)
        return b"%sevent: %s\ndata: %s\n\n" % (at, str(document["type"]).encode(), said)


FRAMINGS: Final = [JSONLines, EventStream]
"""What streams can be had as; the first where a client takes anything."""


def framing_of(request: Request) -> JSONLines:
    """What the client has asked for."""
    chosen = request.accepted_renderer
    assert isinstance(chosen, JSONLines)
    return chosen


def streamed(framing: JSONLines, pieces: AsyncIterator[bytes]) -> StreamingHttpResponse:
    """``pieces`` as an answer that is sent as it comes into being; no proxy on the way is to keep any of it back."""
    return StreamingHttpResponse(pieces, content_type=framing.media_type, headers={"X-Accel-Buffering": "no"})
