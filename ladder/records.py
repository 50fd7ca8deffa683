"""Records as they are stored, and the documents that leave the house. Before a match has ended, none does."""

from __future__ import annotations

import zlib

from games.base import Document
from games.record import from_json, to_json
from games.registry import GAMES
from ladder.models import Match, Result

_DEFLATED_JSON = b"\x01"


def pack(record: Document) -> bytes:
    """The stored form: a byte that names the form, then the record's JSON, deflated."""
    return _DEFLATED_JSON + zlib.compress(to_json(record).encode(), 9)


def unpack(packed: bytes) -> Document:
    """The record of a stored form. Raises ``ValueError`` for a form that this version does not know."""
    if packed[:1] != _DEFLATED_JSON:
        raise ValueError(f"a record is stored in the form {packed[:1].hex()!r}, which this version cannot read")
    return from_json(zlib.decompress(packed[1:]))


def record_of(match: Match) -> Document | None:
    """The ``game-record/1`` of a finished match; ``None`` for every other."""
    packed = Result.objects.filter(match=match).values_list("packed_record", flat=True).first()
    return None if packed is None else unpack(bytes(packed))


def match_log_of(match: Match) -> Document | None:
    """The ``match-log/1`` of a void match, so that no deal disappears; ``None`` for every other.

    Its steps are those of the deal, which was the same in every attempt; the moves of failed attempts are not kept.
    """
    if match.status != Match.Status.VOID:
        return None
    record = GAMES[match.ladder.game].new(match.ladder.seats, bytes(match.seed)).record
    kept = ("game", "rules", "seats", "seed", "commitment")
    log = {"format": "match-log/1", **{key: record[key] for key in kept}}
    return log | {"status": "void", "reason": match.reason, "steps": record["steps"]}
