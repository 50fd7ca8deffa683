"""The record, the logs and the replay of a match as they are sent.

No document of a match is public before every match of its block has ended.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django.core.cache import caches

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
    """The ``game-record/1`` of a finished match whose block is open; ``None`` for every other."""
    packed = packed_record_of(match)
    return None if packed is None else unpack(packed)


def packed_record_of(match: Match) -> bytes | None:
    """The same record in its stored form (``ladder.packing``); ``None`` exactly when the record is closed."""
    results = Result.objects.filter(opened("match__block"), match=match)
    packed = results.values_list("packed_record", flat=True).first()
    return None if packed is None else bytes(packed)


def match_log_of(match: Match) -> Document | None:
    """The ``match-log/1`` of a void or aborted match whose block is open, so that no deal disappears; else ``None``.

    Its steps are those of the deal, which was the same in every attempt; the moves of failed attempts are not kept. A
    live game has one attempt, and all of its moves.
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


# --- Documents as they are sent, made once and kept for a while ------------------------------------------------------
#
# They are open exactly when the record is.

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
