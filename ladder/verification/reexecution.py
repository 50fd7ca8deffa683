"""Re-execute stored games and compare them with the database. Pure functions that run in worker processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games import strict
from games.chance import commitment
from games.compact import Unpacked
from games.outcomes import shown_outcome
from games.record import replay
from games.rules import Document, Forfeit
from ladder.packing import re_executed


@dataclass(frozen=True)
class StoredSeat:
    """The stored result of a seat; ``forfeit`` is a reason or empty, ``forfeit_at`` as in ``games.rules.Forfeit``."""

    rank: int
    score: Document
    forfeit: str
    forfeit_at: int | None = None


@dataclass(frozen=True)
class StoredGame:
    """The stored record of a finished match with the deal of its block; ``seats`` in seat order."""

    match: int
    packed: bytes
    game: str
    table: int
    seed: bytes
    commitment: str
    seats: Sequence[StoredSeat]


def faults_of(games: Sequence[StoredGame]) -> list[str]:
    """The faults of ``games``, as sentences that name the match."""
    return [f"match {game.match}: {fault}" for game in games for fault in _faults(game)]


def _faults(game: StoredGame) -> Iterator[str]:
    if commitment(game.seed) != game.commitment:
        yield "the commitment of the block is not the SHA-256 of the seed"
    forfeits = {index: Forfeit(seat.forfeit, seat.forfeit_at) for index, seat in enumerate(game.seats) if seat.forfeit}
    try:
        record = re_executed(game.packed, forfeits)
    except ValueError as error:
        yield f"re-execution of the record failed: {error}"
        return
    for key, right, value in (
        ("game", record.game, game.game),
        ("seats", record.seats, game.table),
        ("seed", record.seed.hex(), game.seed.hex()),
        ("commitment", commitment(record.seed), game.commitment),
    ):
        if right != value:
            yield f"{key} is {right} in the record, but {value} in the match"
    yield from _outcome_faults(game, _stored_outcome(record))


def _stored_outcome(record: Unpacked) -> Document:
    """The outcome to store for a record: games that ended early have no scores."""
    if sum("forfeit" not in score for score in record.outcome["scores"]) > 1:
        return record.outcome
    return shown_outcome(replay(record.record)) or record.outcome


def _outcome_faults(game: StoredGame, outcome: Document) -> Iterator[str]:
    """Stored ranks, scores and forfeits that differ from the re-executed game."""
    if len(game.seats) != len(outcome["ranks"]):
        yield f"{len(game.seats)} seats are stored, but re-execution gives {len(outcome['ranks'])}"
        return
    for index, (seat, rank, score) in enumerate(zip(game.seats, outcome["ranks"], outcome["scores"], strict=True)):
        right = {
            "rank": rank,
            "score": score,
            "forfeit": score.get("forfeit", ""),
            "forfeit_at": score.get("forfeit_at"),
        }
        for key, value in right.items():
            stored = getattr(seat, key)
            if not strict.same(stored, value):
                yield f"seat {index}: the stored {key} is {stored!r}, but re-execution gives {value!r}"
