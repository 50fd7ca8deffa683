"""Records as they are stored, and the documents that leave the house: none does before its whole block has ended."""

from __future__ import annotations

from games.base import Document
from games.registry import GAMES
from ladder.models import Block, Match, Result
from ladder.openness import is_open, opened
from ladder.packing import unpack
from ladder.tables.reading import position_of


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
