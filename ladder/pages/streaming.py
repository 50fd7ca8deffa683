"""Long files, sent while they are read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.http import HttpRequest, StreamingHttpResponse


def streamed(
    request: HttpRequest, name: str, pieces: Iterator[bytes], content_type: str = "application/jsonl"
) -> StreamingHttpResponse:
    """``pieces``, by default of JSON lines, as a file called ``name``: each made when the one before has been sent."""
    content = _one_by_one(pieces) if isinstance(request, ASGIRequest) else pieces
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(content, content_type=content_type, headers=headers)


async def _one_by_one(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(_next)
    while (piece := await following(pieces)) is not None:
        yield piece


def _next(pieces: Iterator[bytes]) -> bytes | None:
    """The next piece. Whoever reads slowly holds no connection meanwhile: a few of them would take the whole pool."""
    piece = next(pieces, None)
    close_old_connections()
    return piece
