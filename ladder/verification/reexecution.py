"""Stored games played again by the rules, and compared with what the tables say. Pure: it runs in other processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games import strict
from games.chance import commitment
from games.outcomes import shown_outcome
from games.record import replay
from games.rules import Document
from ladder.packing import re_executed


@dataclass(frozen=True)
class StoredSeat:
    """What is stored of a seat; ``forfeit`` is a reason or empty."""

    rank: int
    score: Document
    forfeit: str


@dataclass(frozen=True)
class StoredGame:
    """What is stored of a finished match, with the deal of its block; ``seats`` in seat order."""

    match: int
    packed: bytes
    game: str
    table: int
    seed: bytes
    commitment: str
    seats: Sequence[StoredSeat]


def faults_of(games: Sequence[StoredGame]) -> list[str]:
    """What is wrong with ``games``, as sentences that name the match."""
    return [f"match {game.match}: {fault}" for game in games for fault in _faults(game)]


def _faults(game: StoredGame) -> Iterator[str]:
    if commitment(game.seed) != game.commitment:
        yield "the commitment of its block is not the SHA-256 of the seed"
    forfeits = {index: seat.forfeit for index, seat in enumerate(game.seats) if seat.forfeit}
    try:
        record = re_executed(game.packed, forfeits)
    except ValueError as error:
        yield f"its record does not stand up to re-execution: {error}"
        return
    mine = {"game": game.game, "seats": game.table, "seed": game.seed.hex(), "commitment": game.commitment}
    for key, value in mine.items():
        if record[key] != value:
            yield f"the {key} of its record is {record[key]}, the match has {value}"
    yield from _outcome_faults(game, _stored_outcome(record))


def _stored_outcome(record: Document) -> Document:
    """The outcome that is stored for a record: that of a game that ended early has no scores."""
    outcome: Document = record["outcome"]
    if sum("forfeit" not in score for score in outcome["scores"]) > 1:
        return outcome
    return shown_outcome(replay(record)) or outcome


def _outcome_faults(game: StoredGame, outcome: Document) -> Iterator[str]:
    """Where ranks, scores and forfeits of the tables are not those of the game as it was played again."""
    if len(game.seats) != len(outcome["ranks"]):
        yield f"{len(game.seats)} seats are stored, re-execution gives {len(outcome['ranks'])}"
        return
    for index, (seat, rank, score) in enumerate(zip(game.seats, outcome["ranks"], outcome["scores"], strict=True)):
        right = {"rank": rank, "score": score, "forfeit": score.get("forfeit", "")}
        for key, value in right.items():
            stored = getattr(seat, key)
            if not strict.same(stored, value):
                yield f"seat {index}: the stored {key} is {stored!r}, re-execution gives {value!r}"
