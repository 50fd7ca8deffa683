"""ASGI application for streams and long polls, without one thread per client."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from io import BytesIO
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

import structlog
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.exception import response_for_exception
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve

from bots.protocol import MAX_ANSWER_BYTES
from esr_platform.api.http import PREFIX
from esr_platform.api.streams import threads
from esr_platform.api.streams.hub import hub
from esr_platform.api.streams.view import ARRIVED, LiveView, StreamResponse

if TYPE_CHECKING:
    from esr_platform.bodies import Application, Message, Receive, Send

log = structlog.get_logger(__name__)

# --- The application -------------------------------------------------------------------------------------------------
#
# Django's handler starts a thread for each request, for synchronous signals and middleware, and keeps it until the
# response is complete: 300 open streams would need 300 threads. Here, requests go directly to their views, which are
# coroutines. Programs do not need the middleware (sessions, languages, forms). For human players,
# ``esr_platform.api.streams.browser`` reads the session.

MOST_BYTES: Final = MAX_ANSWER_BYTES + 1
"""Maximum bytes of a body that are read. Longer bodies are invalid, whatever they contain."""

SEND_S: Final = 30.0
"""Seconds after which a client that does not read is disconnected, because its data stays in memory."""

HEADERS: Final = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class LiveEndpoints:
    """An ASGI application that handles the URLs of live views and passes all other requests to ``elsewhere``."""

    def __init__(self, elsewhere: Application) -> None:
        self._elsewhere = elsewhere

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            hub()  # start its background tasks with the first request
        resolved = _live_view(scope)
        if resolved is None:
            await self._elsewhere(scope, receive, send)
            return
        body = await _body(receive)
        if body is not None:
            threads.share()
            answering = _respond(scope, body, resolved, _patient(send))
            if scope["method"] == "POST" and not cast("Any", resolved.func).cls.is_long_poll:
                await _to_its_end(answering)
            else:
                await _until_disconnect(answering, receive)


def _live_view(scope: Message) -> ResolverMatch | None:
    if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
        return None
    try:
        resolved = resolve(scope["path"])
    except Resolver404:
        return None
    resolved.tried = None  # all routes before this one, of no use to a stream
    return resolved if issubclass(getattr(resolved.func, "cls", object), LiveView) else None


def _text(query: bytes) -> str:
    """Decode the query string. Invalid UTF-8 becomes replacement characters, which no view accepts."""
    return query.decode(errors="replace")


async def _body(receive: Receive) -> bytes | None:
    """Return the first ``MOST_BYTES`` of the complete body, or ``None`` if the client disconnects."""
    kept = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        piece: bytes = message.get("body", b"")
        kept += piece[: MOST_BYTES - len(kept)]
        if not message.get("more_body", False):
            return kept


async def _to_its_end(response: Any) -> None:
    """Run ``response`` to its end. A complete request is processed even if the client disconnects."""
    with suppress(OSError):
        await response


async def _until_disconnect(response: Any, receive: Receive) -> None:
    """Run ``response`` to its end. Cancel it if the client disconnects or stops reading."""
    task, responds = asyncio.current_task(), True
    assert task is not None
    gone = asyncio.ensure_future(receive())
    gone.add_done_callback(lambda _: task.cancel() if responds else None)
    try:
        await response
    except OSError:
        pass
    except asyncio.CancelledError:
        if not gone.done() or task.uncancel():
            raise  # the server stops
    finally:
        responds = False
        gone.cancel()


def _patient(send: Send) -> Send:
    """Return a ``send`` that raises ``TimeoutError`` after ``SEND_S`` seconds."""

    async def sending(message: Message) -> None:
        async with asyncio.timeout(SEND_S):
            await send(message)

    return sending


async def _respond(scope: Message, body: bytes, resolved: ResolverMatch, send: Send) -> None:
    """Send the response of the view. A stream keeps neither in memory: it may stay open for hours."""
    request = ASGIRequest({**scope, "query_string": _text(scope["query_string"])}, BytesIO(body))
    request.META[ARRIVED] = monotonic()
    request.META["CONTENT_LENGTH"] = str(len(body))  # of the part that was read
    response = await _answer(request, resolved)
    if scope["method"] == "POST":
        address = request.META.get("REMOTE_ADDR")
        log.info("request_finished", code=response.status_code, request=f"POST {request.path}", ip=address)
    request.close()
    del request
    await send({"type": "http.response.start", "status": response.status_code, "headers": _headers(response)})
    if isinstance(response, StreamResponse):
        pieces = response.pieces
        del response
        async with aclosing(pieces):
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})
    else:
        await send({"type": "http.response.body", "body": cast("HttpResponse", response).content})


async def _answer(request: ASGIRequest, resolved: ResolverMatch) -> HttpResponseBase:
    """Return the response of the view. Handle and log its exceptions as Django's handler does."""
    try:
        request.get_host()  # raises DisallowedHost for unknown hosts
        request.resolver_match = resolved
        return cast("HttpResponseBase", await resolved.func(request, *resolved.args, **resolved.kwargs))
    except Exception as error:  # the outermost handler, which logs the error
        return response_for_exception(request, error)


def _headers(response: HttpResponseBase) -> list[tuple[bytes, bytes]]:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    policy = "; ".join(f"{name} {sources}" for name, sources in settings.CONTENT_SECURITY_POLICY.items())
    response.headers.setdefault("Content-Security-Policy", policy)
    if not response.streaming:
        response.headers.setdefault("Content-Length", str(len(cast("HttpResponse", response).content)))
    return [(name.lower().encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
