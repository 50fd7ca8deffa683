"""Verify all finished games of a ladder or a cup, and all deals of a season."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import get_context
from operator import itemgetter
from typing import Any, Final

from django.db.models import QuerySet

from bots.tournaments.seasons import VerifiedSeries
from ladder.models import Block, Cup, DealSeries, Ladder, LedgerEntry, Match, Result, Season, SeatResult
from ladder.verification.reexecution import StoredGame, StoredSeat, faults_of


@dataclass(frozen=True)
class Verified:
    """The number of games or deals that were verified, and their faults as sentences."""

    number: int
    faults: Sequence[str]


# --- Games -----------------------------------------------------------------------------------------------------------

GAMES_AT_ONCE: Final = 128
"""Number of games that are read and sent to a process at once."""


def cores() -> int:
    """The number of available CPU cores."""
    return len(os.sched_getaffinity(0))


def count_games(of: Ladder | Cup) -> int:
    """The number of games to re-execute."""
    return Result.objects.filter(match__in=_matches(of)).count()


def _matches(of: Ladder | Cup) -> QuerySet[Match]:
    if isinstance(of, Cup):
        return Match.objects.filter(block__cup_table__round__cup=of)
    return Match.objects.filter(ladder=of)


def verify_games(of: Ladder | Cup, processes: int | None = None) -> Iterator[Verified]:
    """Re-execute all finished games of a ladder or a cup in batches, in the order of their results.

    ``processes`` is by default the number of cores, or 1 for a few games; with 1 no process is started. Results that
    are recorded meanwhile may be missing.
    """
    yield Verified(0, list(_without_result(of)))
    processes = processes or (cores() if count_games(of) > GAMES_AT_ONCE else 1)
    pieces = _pieces(of)
    if processes == 1:
        yield from (Verified(len(piece), faults_of(piece)) for piece in pieces)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from _in_order(pool, pieces, 2 * processes)


def _in_order(pool: ProcessPoolExecutor, pieces: Iterable[Sequence[StoredGame]], most: int) -> Iterator[Verified]:
    """At most ``most`` batches wait at once, so memory does not grow with the ladder."""
    waiting: deque[tuple[int, Future[list[str]]]] = deque()
    for piece in pieces:
        waiting.append((len(piece), pool.submit(faults_of, piece)))
        if len(waiting) >= most:
            games, done = waiting.popleft()
            yield Verified(games, done.result())
    for games, done in waiting:
        yield Verified(games, done.result())


def _without_result(of: Ladder | Cup) -> Iterator[str]:
    finished = _matches(of).filter(status=Match.Status.FINISHED, result=None)
    for match in finished.order_by("pk").values_list("pk", flat=True):
        yield f"match {match}: the finished match has no result"


def _pieces(of: Ladder | Cup) -> Iterator[Sequence[StoredGame]]:
    """The finished games, ``GAMES_AT_ONCE`` at a time; two queries each."""
    rows = Result.objects.filter(match__in=_matches(of)).order_by("pk")
    ladder = of.ladder if isinstance(of, Cup) else of
    columns = ("pk", "match", "packed_record", "match__block__seed", "match__block__commitment")
    last = 0
    while piece := list(rows.filter(pk__gt=last).values_list(*columns)[:GAMES_AT_ONCE]):
        last = piece[-1][0]
        seats = _seats([row[0] for row in piece])
        yield [_stored(ladder, row, seats.get(row[0], ())) for row in piece]


def _stored(ladder: Ladder, row: tuple[Any, ...], seats: Sequence[StoredSeat]) -> StoredGame:
    _, match, packed, seed, commitment = row
    return StoredGame(match, bytes(packed), ladder.game, ladder.seats, bytes(seed), commitment, seats)


def _seats(results: Sequence[int]) -> dict[int, Sequence[StoredSeat]]:
    """By result, its seats in order."""
    rows = SeatResult.objects.filter(result__in=results).order_by("result", "seat__index")
    by_result = groupby(rows.values_list("result", "rank", "score", "forfeit", "forfeit_at"), key=itemgetter(0))
    return {result: [StoredSeat(*row[1:]) for row in seats] for result, seats in by_result}


# --- Deals -----------------------------------------------------------------------------------------------------------

DEALS_AT_ONCE: Final = 500


def count_deals(season: Season) -> int:
    """The number of deals to verify."""
    return Block.objects.filter(series__season=season).count()


def verify_deals(season: Season) -> Iterator[Verified]:
    """Verify all deals of ``season``, and each series after its deals.

    Site admins can do this at any time, everyone else with ``esr verify-season`` once the keys are published.
    """
    promised = _promised(season)
    for stored in DealSeries.objects.filter(season=season).order_by("kind"):
        key, deals = bytes(stored.key), stored.next_number - 1
        series = VerifiedSeries(stored.name, season.number, stored.key_hash, key, deals)
        for block in _blocks(stored):
            yield Verified(1, list(series.deal_faults(block.number or 0, block.commitment, bytes(block.seed))))
        yield Verified(0, [*series.faults(), *_series_faults(stored, series, promised)])


def _promised(season: Season) -> dict[str, str]:
    """By series name, the key hashes that the ledger has contained since the season opened."""
    started = LedgerEntry.objects.filter(season=season, kind=LedgerEntry.Kind.SEASON).first()
    keys: dict[str, str] = started.document.get("keys", {}) if started else {}
    return keys


def _blocks(series: DealSeries) -> Iterator[Block]:
    """The blocks from before ``series`` was read, in batches, so that memory does not grow."""
    last, blocks = 0, Block.objects.filter(series=series, number__lt=series.next_number).order_by("number")
    while piece := list(blocks.filter(number__gt=last)[:DEALS_AT_ONCE]):
        yield from piece
        last = piece[-1].number or 0


def _series_faults(stored: DealSeries, series: VerifiedSeries, promised: dict[str, str]) -> Iterator[str]:
    """The faults that only the site can see."""
    name = f"{series.name}/{series.season}"
    unended = Match.objects.filter(block__series=stored, block__ended__isnull=False, status__in=Match.PENDING)
    for match in unended.order_by("pk").values_list("pk", flat=True):
        yield f"{name}: the deal of match {match} is public, but the match has not ended"
    if promised.get(series.name, series.key_hash) != series.key_hash:
        yield f"{name}: the key hash differs from the one in the ledger"
