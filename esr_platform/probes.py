"""``/livez`` and ``/readyz``: whether this web process lives, and whether the site works (``esr_platform.health``).

They come before everything else: before Django with its middleware, sessions and ``ALLOWED_HOSTS``, and before the
queue of pages. So they answer while the database is down and the site is overloaded, and a probe can use any host name.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from hmac import compare_digest
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs

import orjson
from django.conf import settings

from esr_platform.bodies import Application, Message, Receive, Send
from esr_platform.health import HEALTH, Health, document

LIVE: Final = "/livez"
READY: Final = "/readyz"

HEADERS: Final = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)


def has_metrics_token(authorization: bytes) -> bool:
    """Whether the header ``Authorization`` has the metrics token from the settings."""
    right = f"Bearer {settings.METRICS_TOKEN}".encode()
    return bool(settings.METRICS_TOKEN) and compare_digest(right, authorization)


class Probes:
    """An ASGI application that answers ``GET`` and ``HEAD`` of the two paths, and passes on all other requests.

    ``/livez`` needs nothing but the event loop. ``/readyz`` has status 503 if a check fails, except those that
    ``?exclude=NAME`` names, and status 400 if it names an unknown one. All clients see the names of failing checks.
    Only those with the metrics token see what is wrong and what to do, because that includes names of hosts and
    folders.
    """

    def __init__(self, elsewhere: Application, health: Health = HEALTH) -> None:
        self._elsewhere, self._health = elsewhere, health
        self._thread = ThreadPoolExecutor(1, "health")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in (LIVE, READY):
            await self._elsewhere(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            await _send(scope, send, HTTPStatus.METHOD_NOT_ALLOWED, {"status": "method not allowed"})
        elif scope["path"] == LIVE:
            await _send(scope, send, HTTPStatus.OK, {"status": "live"})
        else:
            excluded = parse_qs(scope["query_string"].decode("latin-1")).get("exclude", [])
            known = [check.name for check in self._health.checks]
            unknown = [name for name in excluded if name not in known]
            if unknown:
                wrong = {"status": "unknown check", "unknown": unknown, "known": known}
                await _send(scope, send, HTTPStatus.BAD_REQUEST, wrong)
                return
            findings = await asyncio.get_running_loop().run_in_executor(self._thread, self._health.findings)
            kept = [finding for finding in findings if finding.check.name not in excluded]
            authorization = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            body = document(kept, details=has_metrics_token(authorization))
            await _send(scope, send, HTTPStatus.SERVICE_UNAVAILABLE if body["failing"] else HTTPStatus.OK, body)


async def _send(scope: Message, send: Send, status: HTTPStatus, document: Any) -> None:
    body = orjson.dumps(document) + b"\n"
    headers = [*HEADERS, (b"content-length", str(len(body)).encode())]
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers.append((b"allow", b"GET, HEAD"))
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
