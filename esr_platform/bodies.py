"""Limits on size, duration and number of request bodies, checked while they arrive, before Django stores anything."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from http import HTTPStatus
from math import inf
from typing import Any, Final

from django.conf import settings
from django.template.loader import render_to_string

from esr_platform.accounts.limits import address
from esr_platform.api.http import CONTENT_TYPE, PREFIX, problem_bytes
from esr_platform.headers import security_policy

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application. Libraries use different types for its three arguments."""

FORM_BYTES: Final = 64 * 1024
"""Allowance for the parts of a form other than its file."""

UPLOADS: Final = re.compile(r"/bots/(new|[^/]+/upload)/|/api/v1/bots(/[^/]+/versions)?")
"""The paths to which files of bots are sent."""

HEARD_OUT_BYTES: Final = 128 << 20
HEARD_OUT_S: Final = 10.0
"""How much of a refused body is read and discarded, and for how long."""


GRACE_S: Final = 2.0
"""How long a body beyond the limit per address may still take. Small forms arrive with their head."""

CEILING: Final = 8
"""How many times the limit per address counts as too many: further bodies have only ``TICK_S``."""

TICK_S: Final = 0.05


class RequestRefused(Exception):
    """The request is refused, and no response has been sent yet. ``BoundedBodies`` answers it."""

    def __init__(
        self, status: HTTPStatus, code: str, title: str, sentence: str, retry_after_s: int | None = None
    ) -> None:
        super().__init__(sentence)
        self.status, self.code, self.title, self.sentence = status, code, title, sentence
        self.retry_after_s = retry_after_s


class BoundedBodies:
    """An ASGI application that answers 413 to bodies over a limit and 408 to bodies that take over ``seconds``.

    The limit is ``most_bytes``, for files of bots ``upload_bytes``. The responses are pages, or problem documents in
    the API. They state the limit of a file, to which both add ``FORM_BYTES`` for the rest of a form. A body without a
    Content-Length is counted chunk by chunk. A body with a Content-Length over the limit is not read. One client
    address has at most ``settings.MAX_UNFINISHED_BODIES_PER_IP`` requests whose body has not arrived. A further
    request has only ``GRACE_S``, and ``TICK_S`` if there are ``CEILING`` times as many; then it is answered 429.
    WebSockets are refused.
    """

    def __init__(self, application: Application, most_bytes: int, upload_bytes: int, seconds: float) -> None:
        self._application = application
        self._most_bytes, self._upload_bytes = most_bytes, upload_bytes
        self._seconds = seconds
        self.unfinished: Counter[str] = Counter()
        """Requests with an incomplete body by client address, in this process."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # Django would raise and log an error each time
            await send({"type": "websocket.close"})
            return
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        most_bytes = self._upload_bytes if UPLOADS.fullmatch(scope["path"]) else self._most_bytes
        body = _Body(self.unfinished, address({"REMOTE_ADDR": (scope.get("client") or [""])[0]}))
        try:
            headers = dict(scope["headers"])
            if headers.get(b"content-length", b"0").strip(b"0") or b"transfer-encoding" in headers:
                body.begin()
            length = headers.get(b"content-length", b"")
            if length.isdigit() and int(length) > most_bytes:
                raise _too_large(most_bytes)
            await self._application(scope, self._bounded(receive, body, most_bytes), send)
        except RequestRefused as refusal:
            await _answer(refusal, scope["path"], send)
            if refusal.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                await self._hear_out(receive)
            await send({"type": "http.response.body"})
        finally:
            body.end()

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

    def _bounded(self, receive: Receive, body: _Body, most_bytes: int) -> Receive:
        seconds = min(self._seconds, body.allowed_s())
        until = asyncio.get_running_loop().time() + seconds
        received, complete = 0, False

        async def next_message() -> Message:
            nonlocal received, complete
            if complete:  # only the end of the connection follows, which has no time limit
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise (self._too_slow() if seconds == self._seconds else _too_many()) from None
            received += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if complete:
                body.end()
            if received > most_bytes:
                raise _too_large(most_bytes)
            return message

        return next_message

    def _too_slow(self) -> RequestRefused:
        sentence = f"The request was not complete after {self._seconds:.0f} s. Send it again over a faster connection."
        return RequestRefused(HTTPStatus.REQUEST_TIMEOUT, "too_slow", "Upload too slow", sentence)


class _Body:
    """A request body that is counted for its client address until it has arrived."""

    def __init__(self, unfinished: Counter[str], client: str) -> None:
        self._unfinished, self._client, self._counts = unfinished, client, False

    def begin(self) -> None:
        self._counts = True
        self._unfinished[self._client] += 1

    def allowed_s(self) -> float:
        """How long it may take, with so many others of its address."""
        number, most = self._unfinished[self._client] if self._counts else 0, settings.MAX_UNFINISHED_BODIES_PER_IP
        return TICK_S if number > CEILING * most else GRACE_S if number > most else inf

    def end(self) -> None:
        if self._counts:
            self._counts = False
            self._unfinished[self._client] -= 1
            if not self._unfinished[self._client]:
                del self._unfinished[self._client]


def _too_large(most_bytes: int) -> RequestRefused:
    mib = (most_bytes - FORM_BYTES) / (1 << 20)
    sentence = (
        f"The request is too large. The limit is {mib:.4g} MiB. Send a smaller file. `esr check` names the files that"
        " are too large."
    )
    return RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", "Upload too large", sentence)


def _too_many() -> RequestRefused:
    sentence = "Too many requests from your IP address are incomplete. Complete them, or try again in a minute."
    return RequestRefused(HTTPStatus.TOO_MANY_REQUESTS, "too_many_bodies", "Too many requests", sentence, 60)


async def _answer(refusal: RequestRefused, path: str, send: Send) -> None:
    """Send a problem document or a page. The connection closes after the last, empty part."""
    if path.startswith(PREFIX):
        body, kind = problem_bytes(refusal.status, refusal.code, refusal.sentence), CONTENT_TYPE
    else:
        texts = {"title": refusal.title, "code": refusal.code, "sentence": refusal.sentence}
        body, kind = render_to_string("refused.html", texts).encode(), "text/html; charset=utf-8"
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *([] if refusal.retry_after_s is None else [(b"retry-after", str(refusal.retry_after_s).encode())]),
        (b"content-security-policy", security_policy().encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": refusal.status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
