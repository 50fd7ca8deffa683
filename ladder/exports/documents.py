"""The public documents of a match: its record, logs and replay.

They become public when all matches of the block have ended.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from esr_platform.page_cache import cached
from games.record import replay, to_json
from games.registry import GAMES
from games.replays import FORMAT, replay_document
from games.rules import Document
from ladder.live.rows import position_of
from ladder.models import Block, Match, Result
from ladder.openness import is_open, opened
from ladder.packing import unpack

# --- Records ---------------------------------------------------------------------------------------------------------


def record_of(match: Match) -> Document | None:
    """Return the public ``game-record/1`` of a match, or ``None``."""
    packed = packed_record_of(match)
    return None if packed is None else unpack(packed)


def packed_record_of(match: Match) -> bytes | None:
    """Return the public record in its stored form (``ladder.packing``), or ``None``."""
    results = Result.objects.filter(opened("match__block"), match=match)
    packed = results.values_list("packed_record", flat=True).first()
    return None if packed is None else bytes(packed)


def match_log_of(match: Match) -> Document | None:
    """Return the public ``match-log/1`` of a void or aborted match, so that no deal disappears; else ``None``.

    It contains the steps of the deal. Moves of failed attempts are not stored. The log of a live game, which has only
    one attempt, contains all moves.
    """
    if match.status not in (Match.Status.VOID, Match.Status.ABORTED) or not is_open(match.block):
        return None
    if match.block.purpose in Block.DRIVEN_BY_REQUESTS:
        record = position_of(match).state().record
    else:
        record = GAMES[match.ladder.game].new(match.ladder.seats, bytes(match.block.seed)).record
    kept = ("game", "rules", "seats", "seed", "commitment")
    log = {"format": "match-log/1", **{key: record[key] for key in kept}}
    return log | {"status": match.status, "reason": match.reason, "steps": record["steps"]}


# --- Compressed documents, cached ------------------------------------------------------------------------------------
#
# They are public exactly when the record is.

KEPT_SECONDS: Final = 3600
"""Cache lifetime. After an upgrade, documents of the old release can be served for this long."""


@dataclass(frozen=True)
class Made:
    """A JSON document, compressed with gzip, with its ``ETag``."""

    packed: bytes

    @property
    def tag(self) -> str:
        return f'"{sha256(self.packed).hexdigest()[:24]}"'

    @property
    def json(self) -> bytes:
        return gzip.decompress(self.packed)


def replay_of(match: Match) -> Made | None:
    """Return the replay (``replay/1``) of ``match``, or ``None`` if it is not public. Makes one query."""
    return _made(match, FORMAT, replay_document)


def sent_record_of(match: Match) -> Made | None:
    """Return the record (``game-record/1``) of ``match``, or ``None`` if it is not public. Makes one query."""
    return _made(match, "record", lambda record: record)


def sent_log_of(match: Match, seat: int | None) -> Made | None:
    """Return the log (``game-log/1``) of a seat or the public log. ``None`` if it is not public. Makes one query."""
    return _made(match, f"log-{seat}", lambda record: replay(record).log(seat))


def _made(match: Match, kind: str, make: Callable[[Document], Mapping[str, Any]]) -> Made | None:
    """Return the result of ``make`` for the public record of ``match``, from the cache if possible.

    The cache key is the hash of the record, so the cache cannot give access to closed records.
    """
    packed = packed_record_of(match)
    if packed is None:
        return None
    key = f"{kind}:{sha256(packed).hexdigest()}"
    made = cached(key, KEPT_SECONDS, lambda: gzip.compress(to_json(make(unpack(packed))).encode(), 9, mtime=0))
    return Made(made)
