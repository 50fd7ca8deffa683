"""Serve URLs at which clients wait, without one thread per client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from io import BytesIO
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.exception import response_for_exception
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve

from bots.protocol import MAX_ANSWER_BYTES
from esr_platform.api.http import PREFIX
from esr_platform.api.streams import threads
from esr_platform.api.streams.hub import hub
from esr_platform.api.streams.view import ARRIVED, LiveView

if TYPE_CHECKING:
    from esr_platform.bodies import Application, Message, Receive, Send

# --- The application -------------------------------------------------------------------------------------------------
#
# Django's own handler starts a thread for every request, for signals and middleware that cannot wait, and keeps it as
# long as the answer is being sent: 300 open streams would be 300 threads. Here a request goes straight to its view,
# which is a coroutine, and no middleware is in between; what pages need of it (sessions, languages, forms) no program
# has, and for people at tables ``esr_platform.api.streams.browser`` reads the session.

MOST_BYTES: Final = MAX_ANSWER_BYTES + 1
"""So much of a body is kept: what is longer is too long, whatever else is in it."""

SEND_S: Final = 30.0
"""Who has not taken what was sent to them after so long is gone: they would hold it in our memory for ever."""

HEADERS: Final = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class LiveEndpoints:
    """An ASGI application that answers at the addresses of live views, and leaves all others to ``elsewhere``."""

    def __init__(self, elsewhere: Application) -> None:
        self._elsewhere = elsewhere

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            hub()  # it says from the first request on that the site runs
        found = _live_view(scope)
        if found is None:
            await self._elsewhere(scope, receive, send)
            return
        body = await _body(receive)
        if body is not None:
            with threads.shared():
                request = ASGIRequest({**scope, "query_string": _text(scope["query_string"])}, BytesIO(body))
                request.META[ARRIVED] = monotonic()
                request.META["CONTENT_LENGTH"] = str(len(body))  # of what is kept: all the rest is thrown away already
                answering = _respond(request, found, _patient(send))
                if request.method == "POST":
                    await _to_its_end(answering)
                else:
                    await _while_somebody_listens(answering, receive)


def _live_view(scope: Message) -> ResolverMatch | None:
    if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
        return None
    try:
        found = resolve(scope["path"])
    except Resolver404:
        return None
    return found if issubclass(getattr(found.func, "cls", object), LiveView) else None


def _text(query: bytes) -> str:
    """The query string, whatever its bytes are: what is no UTF-8 is no value that a view takes."""
    return query.decode(errors="replace")


async def _body(receive: Receive) -> bytes | None:
    """The first ``MOST_BYTES`` of the body once all of it is here; ``None`` if the client has gone before."""
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
    """Run ``response``. What has come in whole counts, whether or not its sender waits to hear so."""
    with suppress(OSError):
        await response


async def _while_somebody_listens(response: Any, receive: Receive) -> None:
    """Run ``response`` to its end, or until the client goes or takes nothing more: then it ends where it waits."""
    responding = asyncio.ensure_future(response)
    gone = asyncio.ensure_future(receive())
    try:
        await asyncio.wait((responding, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        if not responding.done():
            responding.cancel()
        with suppress(asyncio.CancelledError, OSError):
            await responding


def _patient(send: Send) -> Send:
    """``send``, which raises ``TimeoutError`` after ``SEND_S``."""

    async def sending(message: Message) -> None:
        async with asyncio.timeout(SEND_S):
            await send(message)

    return sending


async def _respond(request: ASGIRequest, found: ResolverMatch, send: Send) -> None:
    response = await _answer(request, found)
    request.close()
    await send({"type": "http.response.start", "status": response.status_code, "headers": _headers(response)})
    if isinstance(response, StreamingHttpResponse):
        async with aclosing(cast("Any", response.streaming_content)) as pieces:
            async for piece in cast("AsyncIterator[bytes]", pieces):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})
    else:
        await send({"type": "http.response.body", "body": cast("HttpResponse", response).content})


async def _answer(request: ASGIRequest, found: ResolverMatch) -> HttpResponseBase:
    """What the view says; what it raises is answered as Django's handler answers it, and logged."""
    try:
        request.get_host()  # an address that is not ours is refused, as everywhere
        request.resolver_match = found
        return cast("HttpResponseBase", await found.func(request, *found.args, **found.kwargs))
    except Exception as error:  # the border of the process: it is logged there
        return response_for_exception(request, error)


def _headers(response: HttpResponseBase) -> list[tuple[bytes, bytes]]:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    policy = "; ".join(f"{name} {sources}" for name, sources in settings.CONTENT_SECURITY_POLICY.items())
    response.headers.setdefault("Content-Security-Policy", policy)
    if not response.streaming:
        response.headers.setdefault("Content-Length", str(len(cast("HttpResponse", response).content)))
    return [(name.lower().encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
