"""Limits on the size and duration of request bodies, checked while they arrive, before Django stores anything."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

from esr_platform.api.http import CONTENT_TYPE, PREFIX, problem_bytes

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application. Libraries use different types for its three arguments."""

FORM_BYTES: Final = 64 * 1024
"""Allowance for the parts of a form other than its file."""

HEARD_OUT_BYTES: Final = 64 << 20
HEARD_OUT_S: Final = 10.0
"""How much of a refused body is read and discarded, and for how long."""


class _Refused(Exception):
    """The body is refused, and no response has been sent yet."""

    def __init__(self, status: HTTPStatus, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.code, self.sentence = status, code, sentence


class BoundedBodies:
    """An ASGI application that answers 413 to bodies over ``most_bytes`` and 408 to bodies that take over ``seconds``.

    A body without a Content-Length is counted chunk by chunk. A body with a Content-Length over the limit is not read.
    WebSockets are refused.
    """

    def __init__(self, application: Application, most_bytes: int, seconds: float) -> None:
        self._application = application
        self._most_bytes = most_bytes
        self._seconds = seconds

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # Django would raise and log an error each time
            await send({"type": "websocket.close"})
            return
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        try:
            self._judge_length(dict(scope["headers"]).get(b"content-length", b""))
            await self._application(scope, self._bounded(receive), send)
        except _Refused as refusal:
            await _answer(refusal, scope["path"], send)
            if refusal.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                await self._hear_out(receive)
            await send({"type": "http.response.body"})

    async def _hear_out(self, receive: Receive) -> None:
        """Discard the rest of the body: browsers show no response to a form that they could not send completely."""
        heard = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(HEARD_OUT_S):
                while heard < HEARD_OUT_BYTES:
                    message = await receive()
                    heard += len(message.get("body", b""))
                    if not message.get("more_body", False):
                        break

    def _judge_length(self, said: bytes) -> None:
        if said.isdigit() and int(said) > self._most_bytes:
            raise self._too_large()

    def _bounded(self, receive: Receive) -> Receive:
        until = asyncio.get_running_loop().time() + self._seconds
        received, complete = 0, False

        async def next_message() -> Message:
            nonlocal received, complete
            if complete:  # only the end of the connection follows, which has no time limit
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise self._too_slow() from None
            received += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if received > self._most_bytes:
                raise self._too_large()
            return message

        return next_message

    def _too_large(self) -> _Refused:
        mib = self._most_bytes / (1 << 20)
        sentence = f"The request is too large. The limit is {mib:.1f} MiB. Send a smaller file."
        return _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", sentence)

    def _too_slow(self) -> _Refused:
        sentence = f"The request was not complete after {self._seconds:.0f} s. Send it again over a faster connection."
        return _Refused(HTTPStatus.REQUEST_TIMEOUT, "too_slow", sentence)


async def _answer(refusal: _Refused, path: str, send: Send) -> None:
    """Send the response. The connection closes after the last, empty part."""
    if path.startswith(PREFIX):
        body, kind = problem_bytes(refusal.status, refusal.code, refusal.sentence), CONTENT_TYPE
    else:
        body, kind = refusal.sentence.encode(), "text/plain; charset=utf-8"
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": refusal.status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
