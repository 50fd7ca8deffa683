"""Reads a stream of events (NDJSON) as its bytes come. It neither connects nor waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

import orjson

from bots.client.documents import Document, Event
from bots.client.errors import Closed

NDJSON: Final = "application/x-ndjson"
SILENCE_S: Final = 20.0
"""A stream that says nothing for so long is dead: the site keeps it alive with an empty line every seven seconds."""

LONGEST_LINE: Final = 16 * 2**20
"""Bytes. A whole log of the longest game has a twentieth of that."""

_KNOWN: Final = ("challenge", "game_start", "decide", "game_end")


class Lines:
    """Puts the pieces of a stream together to its JSON objects; empty lines, the keep-alives, are left out."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Document]:
        """The objects that ``data`` completes. Raises ``ValueError`` for what is no JSON object, or has no end."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            raise ValueError(f"a line of the stream is longer than {LONGEST_LINE} bytes")
        for line in lines:
            if line.strip():
                yield _object(line)


def read_event(document: Document) -> Event | None:
    """``document`` as an event; ``None`` for one that this version does not know.

    Raises ``Closed`` for the last event of a stream that is not to be opened again.
    """
    kind = document.get("type")
    if kind == "closed":
        raise Closed(str(document.get("reason") or "it does not say why"))
    return cast("Event", document) if kind in _KNOWN else None


def _object(line: bytes) -> Document:
    document: Any = orjson.loads(line)
    if not isinstance(document, dict):
        raise ValueError("a line of the stream is no JSON object")
    return document
