"""The replay of a match as it is sent: made once from its record, kept for a while, and open exactly when that is."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.core.cache import caches

from games.record import to_json
from games.replays import FORMAT, replay_document
from ladder.models import Match
from ladder.packing import unpack
from ladder.records import packed_record_of

KEPT_SECONDS: Final = 3600  # what another release makes of a record is there after that


@dataclass(frozen=True)
class Replay:
    """A ``replay/1`` document in JSON, compressed with gzip; ``tag`` is another one for every other document."""

    packed: bytes

    @property
    def tag(self) -> str:
        return f'"{sha256(self.packed).hexdigest()[:24]}"'

    @property
    def json(self) -> bytes:
        return gzip.decompress(self.packed)


def replay_of(match: Match) -> Replay | None:
    """The replay of ``match``; ``None`` while no record of it is open. One query, whether it was made before or not.

    What is kept is found by the record it was made of, so nobody gets to it who may not read that.
    """
    packed = packed_record_of(match)
    if packed is None:
        return None
    key = f"{FORMAT}:{sha256(packed).hexdigest()}"
    made = caches["pages"].get(key)
    if made is None:
        made = gzip.compress(to_json(replay_document(unpack(packed))).encode(), 9, mtime=0)
        caches["pages"].set(key, made, KEPT_SECONDS)
    return Replay(made)
