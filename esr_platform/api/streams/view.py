"""What all views of streams share: coroutines as handlers, numbers in URLs, and formats of events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import nullcontext
from http import HTTPStatus
from typing import Any, Final, cast

import orjson
from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from esr_platform.api.http import Refusal
from esr_platform.api.streams import threads

# --- Numbers in URLs -------------------------------------------------------------------------------------------------

_MOST_DIGITS: Final = 9


def whole_number(request: Request, name: str, least: int, most: int, default: int) -> int:
    """The query parameter ``name``. Raises ``Refusal`` (400) for what is no number from ``least`` to ``most``."""
    said = request.query_params.get(name)
    if said is None:
        return default
    if not (_is_number(said) and least <= int(said) <= most):
        sentence = f"?{name}= is a whole number from {least} to {most}."
        raise Refusal(HTTPStatus.BAD_REQUEST, "invalid", sentence)
    return int(said)


def place(request: Request) -> int:
    """From which entry of a log on a stream is to be told: where the client says that it was, else from the first."""
    said = request.headers.get("Last-Event-ID", "")
    if _is_number(said):
        return int(said)
    return whole_number(request, "log", 0, 10**_MOST_DIGITS, default=0)


def places(request: Request) -> tuple[int | None, int]:
    """Where the stream of a seat is to go on: in the log, ``None`` from the beginning, and after which line said.

    As the id of the last event has them (``57.1203``), or ``?at=`` for clients that open a new stream. What is no place
    is none: everything is told anew.
    """
    said = request.headers.get("Last-Event-ID") or request.query_params.get("at", "")
    log, _, line = said.partition(".")
    if not _is_number(log) or (line and not _is_number(line)):
        return None, 0
    return int(log), int(line or 0)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


# --- Formats of events -----------------------------------------------------------------------------------------------

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


# --- Views -----------------------------------------------------------------------------------------------------------

ARRIVED: Final = "esr.arrived"
"""Where ``META`` has when all of a request was here, by ``time.monotonic``."""

LARGEST: Final = 2**63 - 1
"""No row has a greater number, and no database takes one."""


class LiveView(APIView):
    """An ``APIView`` with the API's authenticators, permissions and throttles, whose handlers are coroutines.

    Who asks, and whether they may, is found out on one of the shared threads; then the handler waits on none. There is
    no HEAD: of a stream it would have no end.
    """

    http_method_names = ["get", "post", "options"]
    door = ""
    """By which those come in who want a stream (``doors``); without one nobody waits for others."""

    async def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]
        self.args, self.kwargs = args, kwargs
        self.headers = self.default_response_headers
        self.request = asked = self.initialize_request(request, *args, **kwargs)
        response: HttpResponseBase
        try:
            async with threads.door(self.door) if self.door else nullcontext():
                await threads.read(self.initial, asked, *args, **kwargs)
            response = await self._handled(asked, *args, **kwargs)
        except Exception as error:  # as in APIView.dispatch: what is ours is raised again
            response = self.handle_exception(error)
        response = self.finalize_response(asked, cast("Response", response), *args, **kwargs)
        return cast("HttpResponseBase", response.render()) if isinstance(response, Response) else response

    async def _handled(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        method = (request.method or "").lower()
        if method not in self.http_method_names or method == "options" or not hasattr(self, method):
            raise MethodNotAllowed(method.upper())
        if any(number > LARGEST for number in kwargs.values()):
            raise Http404("No game has such a number.")
        answer: HttpResponseBase = await getattr(self, method)(request, *args, **kwargs)
        return answer
