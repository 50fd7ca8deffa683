"""Record, logs and replay of a match as they are sent: made once from what is stored, kept for a while.

They are open exactly when the record is.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django.core.cache import caches

from games.base import Document
from games.record import replay, to_json
from games.replays import FORMAT, replay_document
from ladder.models import Match
from ladder.packing import unpack
from ladder.records import packed_record_of

KEPT_SECONDS: Final = 3600  # what another release makes of a record is there after that


@dataclass(frozen=True)
class Made:
    """A document in JSON, compressed with gzip; ``tag`` is another one for every other document."""

    packed: bytes

    @property
    def tag(self) -> str:
        return f'"{sha256(self.packed).hexdigest()[:24]}"'

    @property
    def json(self) -> bytes:
        return gzip.decompress(self.packed)


def replay_of(match: Match) -> Made | None:
    """The replay (``replay/1``) of ``match``; ``None`` while no record of it is open. One query."""
    return _made(match, FORMAT, replay_document)


def sent_record_of(match: Match) -> Made | None:
    """The record (``game-record/1``) of ``match``; ``None`` while it is not open. One query."""
    return _made(match, "record", lambda record: record)


def sent_log_of(match: Match, seat: int | None) -> Made | None:
    """What a seat, or everybody, saw of ``match`` (``game-log/1``); ``None`` as for its record. One query."""
    return _made(match, f"log-{seat}", lambda record: replay(record).log(seat))


def _made(match: Match, kind: str, make: Callable[[Document], Mapping[str, Any]]) -> Made | None:
    """What ``make`` gives for the record of ``match``, whether it was made before or not.

    What is kept is found by the record it was made of, so nobody gets to it who may not read that.
    """
    packed = packed_record_of(match)
    if packed is None:
        return None
    key = f"{kind}:{sha256(packed).hexdigest()}"
    made = caches["pages"].get(key)
    if made is None:
        made = gzip.compress(to_json(make(unpack(packed))).encode(), 9, mtime=0)
        caches["pages"].set(key, made, KEPT_SECONDS)
    return Made(made)
