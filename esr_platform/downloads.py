"""Responses with files and stored documents, for pages and the API."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections, connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.cache import patch_vary_headers

from esr_platform.disconnects import retry_on_disconnect


def attachment(name: str, data: bytes | str, content_type: str) -> HttpResponse:
    """A file that the browser saves as ``name``."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(data, content_type=content_type, headers=headers)


def streamed(
    request: HttpRequest, name: str, pieces: Iterator[bytes], content_type: str = "application/jsonl"
) -> StreamingHttpResponse:
    """Stream ``pieces`` (by default JSON lines) as a file ``name``, without collecting them in memory."""
    content = _one_by_one(pieces) if isinstance(request, ASGIRequest) else pieces
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(content, content_type=content_type, headers=headers)


async def _one_by_one(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(_next)
    while (piece := await following(pieces)) is not None:
        yield piece


def _next(pieces: Iterator[bytes]) -> bytes | None:
    """The next piece. Closes the database connection, so that slow clients do not use up the connection pool.

    A part of the response has been sent, so it waits longer for a connection than other requests do.
    """
    retry_on_disconnect(connection.ensure_connection)
    piece = next(pieces, None)
    close_old_connections()
    return piece


def stored_json(request: HttpRequest, packed: bytes, etag: str) -> HttpResponse:
    """A JSON document that is stored as gzip, compressed if the client accepts it.

    Browsers can cache it but must revalidate it each time, which costs one query and no transfer.
    """
    accepted = "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(packed if accepted else gzip.decompress(packed), content_type="application/json")
    if accepted:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept-Encoding", "Cookie"])
    return response
