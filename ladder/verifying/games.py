"""All finished games of a ladder, re-executed on all cores: the stored outcome must be what the rules give again."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import groupby
from multiprocessing import get_context
from operator import itemgetter
from typing import Any, Final

from ladder.models import Ladder, Match, Result, SeatResult
from ladder.verifying.reexecuting import StoredGame, StoredSeat, faults_of
from ladder.verifying.verified import Verified

PIECE: Final = 128
"""Games that are read, and sent to a process, at once."""


def cores() -> int:
    """How many processes can work at once."""
    return len(os.sched_getaffinity(0))


def count(ladder: Ladder) -> int:
    """How many games there are to re-execute."""
    return Result.objects.filter(match__ladder=ladder).count()


def verify_games(ladder: Ladder, processes: int | None = None) -> Iterator[Verified]:
    """Re-execute every finished game of ``ladder``, in pieces as they are done, in the order in which they came in.

    ``processes`` is every core unless it is given; with 1 nothing is started. Results that come in meanwhile may or may
    not be among them.
    """
    yield Verified(0, list(_without_result(ladder)))
    processes = processes or cores()
    pieces = _pieces(ladder)
    if processes == 1:
        yield from (Verified(len(piece), faults_of(piece)) for piece in pieces)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from _in_order(pool, pieces, 2 * processes)


def _in_order(pool: ProcessPoolExecutor, pieces: Iterable[Sequence[StoredGame]], most: int) -> Iterator[Verified]:
    """No more than ``most`` pieces wait at once, so memory does not grow with the ladder."""
    waiting: deque[tuple[int, Future[list[str]]]] = deque()
    for piece in pieces:
        waiting.append((len(piece), pool.submit(faults_of, piece)))
        if len(waiting) >= most:
            games, done = waiting.popleft()
            yield Verified(games, done.result())
    for games, done in waiting:
        yield Verified(games, done.result())


def _without_result(ladder: Ladder) -> Iterator[str]:
    finished = Match.objects.filter(ladder=ladder, status=Match.Status.FINISHED, result=None)
    for match in finished.order_by("pk").values_list("pk", flat=True):
        yield f"match {match}: it is finished, and has no result"


def _pieces(ladder: Ladder) -> Iterator[Sequence[StoredGame]]:
    """The finished games, ``PIECE`` at once; two queries each."""
    rows = Result.objects.filter(match__ladder=ladder).order_by("pk")
    columns = ("pk", "match", "packed_record", "match__block__seed", "match__block__commitment")
    last = 0
    while piece := list(rows.filter(pk__gt=last).values_list(*columns)[:PIECE]):
        last = piece[-1][0]
        seats = _seats([row[0] for row in piece])
        yield [_stored(ladder, row, seats.get(row[0], ())) for row in piece]


def _stored(ladder: Ladder, row: tuple[Any, ...], seats: Sequence[StoredSeat]) -> StoredGame:
    _, match, packed, seed, commitment = row
    return StoredGame(match, bytes(packed), ladder.game, ladder.seats, bytes(seed), commitment, seats)


def _seats(results: Sequence[int]) -> dict[int, Sequence[StoredSeat]]:
    """By result, its seats in order."""
    rows = SeatResult.objects.filter(result__in=results).order_by("result", "seat__index")
    by_result = groupby(rows.values_list("result", "rank", "score", "forfeit"), key=itemgetter(0))
    return {result: [StoredSeat(*row[1:]) for row in seats] for result, seats in by_result}
