"""Compression of responses."""

from __future__ import annotations

import gzip
import secrets
from collections.abc import AsyncIterator
from typing import Final, cast

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.text import StreamingBuffer

COMPRESSED: Final = ("application/gzip", "application/zip", "image/png")
"""Content types that another compression does not make smaller."""


class CompressionMiddleware(GZipMiddleware):
    """Django's middleware, but it compresses an asynchronous stream as a whole, and skips compressed files.

    Django 5.2 compresses each piece of an asynchronous stream as a separate gzip member. Browsers, httpx and curl read
    only the first one. Django 6.1 fixes this.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.has_header("Content-Encoding") or response.get("Content-Type") in COMPRESSED:
            return response
        if not isinstance(response, StreamingHttpResponse) or not response.is_async:
            return super().process_response(request, response)
        pieces = cast("AsyncIterator[bytes]", response.streaming_content)
        super().process_response(request, response)
        if response.has_header("Content-Encoding"):
            response.streaming_content = _compressed(pieces, "a" * secrets.randbelow(self.max_random_bytes))
        return response


async def _compressed(pieces: AsyncIterator[bytes], filename: str) -> AsyncIterator[bytes]:
    """Yield ``pieces`` as one gzip member.

    Its header contains ``filename``, because a random length hides the size of the contents (Heal the BREACH, 2022).
    """
    buffer = StreamingBuffer()
    with gzip.GzipFile(filename, "wb", compresslevel=6, fileobj=buffer, mtime=0) as file:
        async for piece in pieces:
            file.write(piece)
            if data := buffer.read():
                yield data
    yield buffer.read()
