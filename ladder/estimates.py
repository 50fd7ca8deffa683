"""Compute the estimated skill of the versions of a season.

The computation has its own queue and runs once per season at a time, only if the season's ledger has grown, and at most
a tenth of the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils import timezone

from bots.models import BotVersion
from esr_platform import leases
from esr_platform.leases import FREE, Lease
from ladder.models import Block, Estimate, Estimation, LedgerEntry, Match, Season, SeatResult
from ladder.ratings.bootstrap import Estimates, estimate
from ladder.ratings.draws import packed, rank_intervals
from ladder.ratings.plackett_luce import GameResults

LEASE: Final = timedelta(minutes=10)
"""The maximum duration of a run before another one may replace it."""

REST: Final = 9
"""The pause after a run, as a multiple of its duration."""

_SEATS_PER_QUERY: Final = 5000
_ESTIMATES_PER_QUERY: Final = 500


@dataclass(frozen=True)
class _Turn:
    """The right to write the estimates of a season, which include its ledger up to the hash ``head``."""

    season: Season
    head: str
    lease: Lease[Estimation]


def estimate_due() -> int:
    """Compute the estimates of every season whose ledger has grown, and return the number of seasons."""
    newest = LedgerEntry.objects.filter(season=OuterRef("pk")).order_by("-number").values("hash")[:1]
    seasons = Season.objects.annotate(head=Subquery(newest)).exclude(head=None).select_related("ladder")
    changed: QuerySet[Any] = seasons.filter(Q(estimation=None) | ~Q(estimation__head=F("head")))
    turns = (_turn(season, season.head) for season in changed.order_by("pk"))
    return sum(_run(turn) for turn in turns if turn)


def counting_blocks(season: Season) -> QuerySet[Block]:
    """The rated blocks of ``season`` in which every game counts: none is void or has an excluded member."""
    unfinished = Match.objects.filter(block=OuterRef("pk")).exclude(status=Match.Status.FINISHED)
    uncounted = SeatResult.objects.filter(seat__match__block=OuterRef("pk"), rating_after=None)
    ended = Block.objects.filter(series__season=season, purpose__in=Block.COUNTED, ended__isnull=False)
    return ended.exclude(Exists(unfinished)).exclude(Exists(uncounted))


def _turn(season: Season, head: str) -> _Turn | None:
    """The turn to compute ``season``; ``None`` during its pause or another run."""
    Estimation.objects.bulk_create([Estimation(season=season)], ignore_conflicts=True)
    last = Estimation.objects.get(season=season)
    if last.computed and timezone.now() < last.computed + timedelta(seconds=REST * last.seconds):
        return None
    lease = leases.claim(Estimation.objects.filter(FREE, head=last.head), last.pk, LEASE)
    return None if lease is None else _Turn(season, head, lease)


def _run(turn: _Turn) -> bool:
    """Compute and write the estimates. Returns false if another process has taken the turn meanwhile."""
    began = perf_counter()
    rows, blocks = _estimated(turn)
    taken = perf_counter() - began
    with transaction.atomic():
        if not turn.lease.release(head=turn.head, computed=Now(), seconds=taken, blocks=blocks):
            return False
        Estimate.objects.filter(season=turn.season).delete()
        Estimate.objects.bulk_create(rows, batch_size=_ESTIMATES_PER_QUERY)
    return True


def _estimated(turn: _Turn) -> tuple[list[Estimate], int]:
    """The unsaved estimates of all versions that have played, and the number of blocks."""
    blocks: list[int] = []
    versions: list[int] = []
    ranks: list[int] = []
    seats = turn.season.ladder.seats
    for block, version, rank in _results(turn.season):
        if len(versions) % seats == 0:
            blocks.append(block)
        versions.append(version)
        ranks.append(rank)
    if not blocks:
        return [], 0
    games, ids = GameResults.flat(seats, versions, ranks, blocks)
    estimates = estimate(games, seed=int(turn.head[:8], 16))  # the same ledger gives the same draws
    return _written(turn.season, estimates, ids.tolist(), _played_last(versions)), games.block_count


def _results(season: Season) -> Iterable[tuple[int, int, int]]:
    """Block, version and rank of every seat that counts, by game and seat."""
    rows = SeatResult.objects.filter(seat__match__block__in=counting_blocks(season))
    ordered = rows.order_by("seat__match_id", "seat__index")
    return ordered.values_list("seat__match__block_id", "seat__version_id", "rank").iterator(_SEATS_PER_QUERY)


def _played_last(versions: list[int]) -> set[int]:
    """The last version of each bot; ``versions`` are in the order of the games."""
    bot_of = dict(BotVersion.objects.filter(pk__in=set(versions)).values_list("pk", "bot_id"))
    return set({bot_of[version]: version for version in versions}.values())


def _written(season: Season, estimates: Estimates, ids: list[int], last: set[int]) -> list[Estimate]:
    computed = timezone.now()
    rows = [
        Estimate(
            season=season,
            version_id=version,
            rating=estimate.rating,
            low=estimate.rating - estimate.margin,
            high=estimate.rating + estimate.margin,
            blocks=estimate.blocks,
            games=estimate.games,
            kept_draws=packed(estimate.draws),
            computed=computed,
        )
        for version, estimate in zip(ids, estimates.rows(), strict=True)
    ]
    ranked = [row for row in rows if row.version_id in last]
    for row, ranks in zip(ranked, rank_intervals([(row.low, row.high) for row in ranked]), strict=True):
        row.rank_low, row.rank_high = ranks
    return rows
