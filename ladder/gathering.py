"""What blocks add up to, kept in rows, so that a page reads a few of them and not a season's results.

A block is gathered once, after its last game has ended: nothing of a deal is told before. Only rated blocks whose every
game is finished and counts are gathered; a block with a void game drops out as a whole. When the ledger takes something
back (a void, a merge) the season's tallies are begun anew, from the same results.

The row of the season's statistics is held while its tallies change, so each block is added once, however many gather;
what a transaction has added it marks as gathered in the same transaction.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, F, Q

from ladder.models import Block, LedgerEntry, PairTally, Season, SeasonStatistics, SeatTally, VersionTally
from ladder.played_blocks import ended_blocks, played_blocks
from ladder.statistics.habits import added_habits
from ladder.statistics.tallies import PairSum, SeatSum, Sums, VersionSum, added, added_seats, tallied

logger = logging.getLogger(__name__)

AT_ONCE: Final = 200
"""Blocks a transaction."""

SPARE_S: Final = 3.0
"""Of every ten seconds; else the one clerk would do nothing else after an update that begins all tallies anew."""

_WRITTEN_AT_ONCE: Final = 100
_SEAT_FIELDS: Final = [one.name for one in fields(SeatSum)]
"""``figures`` stands last: all others are numbers."""

_PAIR_FIELDS: Final = [one.name for one in fields(PairSum)]
"""``seats`` stands last: all others are numbers."""

_VERSION_FIELDS: Final = [one.name for one in fields(VersionSum)]
_Tally = SeatTally | PairTally | VersionTally
_CORRECTIONS: Final = (LedgerEntry.Kind.VOID, LedgerEntry.Kind.MERGE)


def gather(seconds: float = SPARE_S) -> int:
    """Gather what has ended in all seasons, for about ``seconds``; how many blocks were looked at.

    The rest is gathered by the next call: whoever calls it has other things to do, too.
    """
    waiting = Block.objects.filter(gathered=False, ended__isnull=False, purpose__in=Block.COUNTED)
    corrected = SeasonStatistics.objects.annotate(
        now=Count("season__ledger", filter=Q(season__ledger__kind__in=_CORRECTIONS))
    ).exclude(now=F("corrections"))
    seasons = {
        *waiting.order_by().values_list("series__season", flat=True).distinct(),
        *corrected.values_list("season", flat=True),
    }
    until, looked_at = time.monotonic() + seconds, 0
    for season in Season.objects.filter(pk__in=seasons).select_related("ladder").order_by("pk"):
        try:
            looked_at += _gather_season(season, until)
        except Exception:  # a record that nobody can read any more keeps no other season from its statistics
            logger.exception("the blocks of %s, season %s, are not gathered", season.ladder, season.number)
        if time.monotonic() >= until:
            break
    return looked_at


def _gather_season(season: Season, until: float) -> int:
    """Gather what has ended in ``season``, a piece at a time; how many blocks were looked at."""
    looked_at = 0
    while True:
        count = _gather_piece(season)
        looked_at += count
        if count < AT_ONCE or time.monotonic() >= until:
            return looked_at


def _gather_piece(season: Season) -> int:
    """Gather some blocks, if nobody else has done that meanwhile; how many were looked at.

    They are read before anything is locked: results without habits are played again, and SQLite has one writer. The
    ledger is counted before any result is read: what is taken back meanwhile is seen the next time.
    """
    before = SeasonStatistics.objects.get_or_create(season=season)[0].corrections
    corrections = LedgerEntry.objects.filter(season=season, kind__in=_CORRECTIONS).count()
    ended = ended_blocks(season) if before != corrections else ended_blocks(season).filter(gathered=False)
    blocks = list(ended.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    played = played_blocks(blocks, habits=True)
    with transaction.atomic():
        statistics = SeasonStatistics.objects.select_for_update(no_key=True).get(season=season)
        if statistics.corrections != before:
            return 0
        if corrections != before:
            _begin_anew(statistics, corrections)
        left = set(Block.objects.filter(pk__in=blocks, gathered=False).values_list("pk", flat=True))
        mine = [block for pk, block in played.items() if pk in left]
        sums = tallied(mine)
        _add(season, sums)
        Block.objects.filter(pk__in=left).update(gathered=True)
        statistics.blocks += len(mine)
        statistics.habits = added_habits(statistics.habits, sums.habits)
        statistics.save(update_fields=["blocks", "habits"])
    return len(blocks)


def _begin_anew(statistics: SeasonStatistics, corrections: int) -> None:
    """Empty the tallies of a season in which something was taken back since they were begun."""
    season = statistics.season_id
    for model in (SeatTally, PairTally, VersionTally):
        model._default_manager.filter(season=season).delete()
    Block.objects.filter(series__season=season, gathered=True).update(gathered=False)
    statistics.corrections, statistics.blocks, statistics.measured_blocks = corrections, 0, 0
    statistics.habits = {}
    statistics.save(update_fields=["corrections", "blocks", "measured_blocks", "habits"])


def _add(season: Season, sums: Sums) -> None:
    """Add ``sums`` to the tallies of ``season``, whose statistics' row is held."""
    entries = {entry for entry, *_ in sums.seats}
    of_season = Q(season=season, entry__in=entries)
    seats = {(its.entry_id, its.version_id, its.seat): its for its in SeatTally.objects.filter(of_season)}
    for key in sums.seats.keys() - seats.keys():
        seats[key] = SeatTally(season=season, entry_id=key[0], version_id=key[1], seat=key[2])
    for key, seat_sum in sums.seats.items():
        _add_to_seat(seats[key], seat_sum)
    _write(SeatTally, [seats[key] for key in sorted(sums.seats)], _SEAT_FIELDS)
    pairs = {(its.entry_id, its.opponent_id): its for its in PairTally.objects.filter(of_season, opponent__in=entries)}
    for pair in sums.pairs.keys() - pairs.keys():
        pairs[pair] = PairTally(season=season, entry_id=pair[0], opponent_id=pair[1])
    for pair, pair_sum in sums.pairs.items():
        _add_to_pair(pairs[pair], pair_sum)
    _write(PairTally, [pairs[pair] for pair in sorted(sums.pairs)], _PAIR_FIELDS)
    _add_versions(season, sums)


def _add_versions(season: Season, sums: Sums) -> None:
    entries = {entry for entry, _ in sums.versions}
    known = VersionTally.objects.filter(season=season, entry__in=entries)
    tallies = {(its.entry_id, its.version_id): its for its in known}
    for key, its in sums.versions.items():
        if key not in tallies:
            tallies[key] = VersionTally(season=season, entry_id=key[0], version_id=key[1])
        tallies[key].blocks += its.blocks
        tallies[key].games += its.games
        tallies[key].points += its.points
        tallies[key].squares += its.squares
        tallies[key].habits = added_habits(tallies[key].habits, its.habits)
        tallies[key].seats = added_seats(tallies[key].seats, its.seats)
    _write(VersionTally, [tallies[key] for key in sorted(sums.versions)], _VERSION_FIELDS)


def _write(model: type[_Tally], tallies: Sequence[Any], names: Sequence[str]) -> None:
    """Insert the tallies that are new and update the others."""
    known = [tally for tally in tallies if tally.pk is not None]
    model._default_manager.bulk_create([tally for tally in tallies if tally.pk is None], _WRITTEN_AT_ONCE)
    model._default_manager.bulk_update(known, names, _WRITTEN_AT_ONCE)


def _add_to_seat(tally: SeatTally, its: SeatSum) -> None:
    for name in _SEAT_FIELDS[:-1]:
        setattr(tally, name, getattr(tally, name) + getattr(its, name))
    tally.figures = added(tally.figures, its.figures)


def _add_to_pair(tally: PairTally, its: PairSum) -> None:
    for name in _PAIR_FIELDS[:-1]:
        setattr(tally, name, getattr(tally, name) + getattr(its, name))
    tally.seats = added_seats(tally.seats, its.seats)
