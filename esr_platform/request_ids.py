"""The id of a request, which the logs contain from the click to the result.

It is bound to the context of the request (``structlog.contextvars``). django-structlog sends it along with each Celery
message. Rows that workers continue later, without a message of the request, keep it themselves: match requests and
uploaded versions.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import uuid4

import structlog

HEADER: Final = b"x-request-id"
LONGEST: Final = 64
_WELL_FORMED: Final = re.compile(rb"[A-Za-z0-9_.:-]{8,64}")
"""Long enough to be unique, and without anything that could begin another field or line of a log."""


def current_request_id() -> str:
    """Return the id of the request that this code works for; empty if it works for none."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


def continue_request(request_id: str, **more: Any) -> None:
    """Begin to work for the request ``request_id``, or for none if it is empty. ``more`` is added to all log lines.

    The message that began the work can be a hint of another request.
    """
    structlog.contextvars.unbind_contextvars("request_id")
    structlog.contextvars.bind_contextvars(**({"request_id": request_id} if request_id else {}), **more)


def continue_from_message(task: Any) -> None:
    """Forget the task before, and work for the request whose Celery message began ``task``."""
    structlog.contextvars.clear_contextvars()
    sent: dict[str, Any] = getattr(task.request, "__django_structlog__", None) or {}
    kept = {name: sent[name] for name in ("request_id", "user_id", "parent_task_id") if name in sent}
    structlog.contextvars.bind_contextvars(**kept, task_id=task.request.id, task=task.name)


def _is_from_trusted_proxy(scope: Any) -> bool:
    """Whether a proxy of ``FORWARDED_ALLOW_IPS`` sent the request.

    uvicorn then replaces the address of the connection by that of the client, with port 0, which no connection has.
    """
    client = scope.get("client")
    return client is not None and client[1] == 0


class RequestIds:
    """An ASGI application that gives each request an id, binds it for the logs and returns it as ``X-Request-ID``.

    A well-formed ``X-Request-ID`` of a trusted proxy is kept. Any other one is replaced, because clients could forge
    lines of other requests.
    """

    def __init__(self, application: Callable[[Any, Any, Any], Awaitable[None]]) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == HEADER), b"")
        known = _is_from_trusted_proxy(scope) and _WELL_FORMED.fullmatch(given)
        request_id = given if known else uuid4().hex.encode()
        headers = [(name, value) for name, value in scope["headers"] if name != HEADER]
        scope = {**scope, "headers": [*headers, (HEADER, request_id)]}

        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), (HEADER, request_id)]}
            await send(message)

        structlog.contextvars.clear_contextvars()  # a connection that stays open has one context for all its requests
        structlog.contextvars.bind_contextvars(request_id=request_id.decode())
        await self._application(scope, receive, sending)
