"""Reads compressed JSON lines as their bytes come: gzip, as many files in a row as there are."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from bots.client.documents import Document
from bots.client.events import Lines

ANYTHING: Final = "*/*"
"""What is accepted where the address alone says what comes."""

_GZIP: Final = 16 + zlib.MAX_WBITS


class PackedLines:
    """The JSON objects in gzipped lines. What a broken connection has left incomplete is never given out."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._member = zlib.decompressobj(_GZIP)

    def feed(self, data: bytes) -> Iterator[Document]:
        """The objects that ``data`` completes. Raises ``ValueError`` for what is no gzip, or no JSON object."""
        while data:
            try:
                yield from self._lines.feed(self._member.decompress(data))
            except zlib.error as error:
                raise ValueError(f"what the site sent is no gzip: {error}") from error
            data = self._member.unused_data
            if self._member.eof:
                self._member = zlib.decompressobj(_GZIP)
