"""The verdict on a whole record: its shape, its steps and its outcome (`record.md`)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from .games import GAMES
from .walk import Walk, same

KEYS = {"format", "game", "rules", "seats", "seed", "commitment", "steps", "outcome"}
FORFEITS = ["strikes", "exit", "not_ready", "memory", "time", "resign", "abandoned"]


def check(record: dict[str, Any]) -> list[str]:
    """The faults of a record; empty when it is sound. A record of a running game has `outcome` null."""
    faults = list(shape_faults(record))
    if faults:
        return faults
    walk = Walk(record)
    faults = list(walk.faults)
    if walk.over:
        if walk.ply < len(walk.steps):
            faults.append(f"step {walk.ply}: the game was over before this step (rules.md 2.9, 4.2)")
        faults += outcome_faults(record["outcome"], walk)
    return faults


def shape_faults(record: Any) -> Iterator[str]:
    if not isinstance(record, dict) or record.keys() != KEYS:
        yield f"record: must have exactly the keys {sorted(KEYS)} (record.md Shape)"
        return
    if not (same(record["format"], "game-record/1") and same(record["rules"], "1")):
        yield f"record: unknown format {record['format']!r} or rules {record['rules']!r} (record.md Versions)"
    game = record["game"]
    allowed = GAMES[game].seats if isinstance(game, str) and game in GAMES else []
    if not any(same(record["seats"], seats) for seats in allowed):
        yield f"record: {game!r} with {record['seats']!r} seats is unknown (record.md)"
    if not isinstance(record["steps"], list):
        yield "record: steps must be a list (record.md Shape)"
    yield from seed_faults(record["seed"], record["commitment"])


def seed_faults(seed: Any, commitment: Any) -> Iterator[str]:
    if not all(isinstance(text, str) and re.fullmatch("[0-9a-f]{64}", text) for text in (seed, commitment)):
        yield "record: seed and commitment must be 64 lower-case hex digits (record.md Shape)"
    elif hashlib.sha256(bytes.fromhex(seed)).hexdigest() != commitment:
        yield "record: the commitment is not the SHA-256 of the seed (record.md Shape)"


def outcome_faults(outcome: Any, walk: Walk) -> Iterator[str]:
    scores = outcome.get("scores") if isinstance(outcome, dict) else None
    if not isinstance(scores, list) or len(scores) != walk.table.seats:
        yield "outcome: must be given, with one object a seat in scores (record.md)"
        return
    forfeits = [score.get("forfeit") if isinstance(score, dict) else None for score in scores]
    times = [score.get("forfeit_at") if isinstance(score, dict) else None for score in scores]
    yield from time_faults(forfeits, times, walk)
    for seat, score in enumerate(scores):
        if isinstance(score, dict) and "forfeit" in score and score["forfeit"] not in FORFEITS:
            yield f"outcome: unknown forfeit {score['forfeit']!r} of seat {seat} (record.md)"
        if seat in walk.forfeited and forfeits[seat] is None:
            yield f"outcome: seat {seat} played default forfeit, its score must carry forfeit (record.md Exactly)"
    expected = expected_outcome(walk, forfeits, times)
    if not same(outcome, expected):
        yield f"outcome: expected {expected}, found {outcome} (rules.md 2.9, 4.2, record.md Exactly)"


def time_faults(forfeits: list[Any], times: list[Any], walk: Walk) -> Iterator[str]:
    """Faults in `forfeit_at`: it is at every forfeit or at none, and not after the seat was played for."""
    if any(time is not None for time in times):
        for seat, (reason, time) in enumerate(zip(forfeits, times, strict=True)):
            if (reason is None) != (time is None):
                yield f"outcome: seat {seat}: forfeit_at must be at every forfeit or at none (record.md Exactly)"
            elif time is not None and not (type(time) is int and 0 <= time <= walk.forfeited.get(seat, walk.ply)):
                yield f"outcome: seat {seat} cannot have given up after {time!r} steps (record.md)"


def expected_outcome(walk: Walk, forfeits: list[Any], times: list[Any]) -> dict[str, Any]:
    """Ranks and scores as the rules and these forfeits, and the steps at which seats gave up, give them."""
    seats = range(walk.table.seats)
    finishers = [seat for seat in seats if forfeits[seat] is None]
    merits = [walk.game.merit(walk.table, seat) for seat in seats]
    ranks, scores = [], []
    for seat in seats:
        ahead = [other for other in finishers if seat not in finishers or merits[other] > merits[seat]]
        score = walk.game.score(walk.table, seat)
        if forfeits[seat] is not None:
            score["forfeit"] = forfeits[seat]
        if type(times[seat]) is int:
            score["forfeit_at"] = times[seat]
            ahead += [other for other in seats if type(times[other]) is int and times[other] > times[seat]]
        ranks.append(1 + len(ahead))
        scores.append(score)
    return {"ranks": ranks, "scores": scores}
