"""Statistics of a season's blocks, collected in rows, so that a page reads a few rows and not a season's results."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now

from bots.tournaments.seatings import games_of_a_deal
from games.rules import Document
from ladder.matches.results import exchanges_in, figures_of, habits_in, seats_in
from ladder.models import (
    Block,
    Cup,
    LedgerEntry,
    Match,
    PairTally,
    Result,
    Season,
    SeasonStatistics,
    SeatResult,
    SeatTally,
    VersionTally,
)
from ladder.openness import opened
from ladder.statistics.blocks import PlayedBlock, PlayedGame
from ladder.statistics.collusion import Transfer, transfers
from ladder.statistics.habits import added_habits
from ladder.statistics.seats import seat_effect
from ladder.statistics.tallies import PairSum, SeatSum, Sums, VersionSum, added, added_seats, tallied
from ladder.statistics.wins import Winning, winnings

# --- Rated blocks ----------------------------------------------------------------------------------------------------


def ended_blocks(season: Season) -> QuerySet[Block]:
    """The rated blocks of ``season`` whose every game has ended, whether they count or not."""
    return Block.objects.filter(series__season=season, purpose__in=Block.COUNTED, ended__isnull=False)


def played_blocks(block_ids: Collection[int], *, habits: bool = False, rated: bool = True) -> dict[int, PlayedBlock]:
    """By id, those of the ended blocks that count: every game finished, and every seat still rated; two queries.

    A live game is a block of one. With ``habits`` their games have those, too: results that kept none are played again
    from their records. The players of rated blocks are ids of memberships; blocks that are not ``rated``, such as those
    of cups, have bots.
    """
    ended = SeatResult.objects.filter(opened("result__match__block"), result__match__block__in=block_ids)
    seated = ended.select_related("seat" if rated else "seat__version").defer("evidence", "score")
    rows = seated.order_by("result__match__seating", "seat__index")
    by_result: dict[int, list[SeatResult]] = defaultdict(list)
    for row in rows:
        by_result[row.result_id].append(row)
    results = Result.objects.filter(pk__in=by_result).select_related("match__block").defer("report", "packed_record")
    games: dict[Block, dict[int, PlayedGame]] = defaultdict(dict)
    for result in results:
        seats = by_result[result.pk]
        counts = not rated or all(seat.rating_after is not None for seat in seats)
        if counts and result.match.status == Match.Status.FINISHED:
            games[result.match.block][result.match.seating] = _game(result, seats, habits, rated)
    return {
        block.pk: PlayedBlock([game for _, game in sorted(by_seating.items())])
        for block, by_seating in games.items()
        if len(by_seating) == _games_in(block, len(next(iter(by_seating.values())).players))
    }


def _games_in(block: Block, seats: int) -> int:
    """How many games its deal is played in: all seatings, but that of a live game once."""
    return games_of_a_deal(seats, live=block.purpose in Block.DRIVEN_BY_REQUESTS)


def _game(result: Result, seats: list[SeatResult], habits: bool, rated: bool) -> PlayedGame:
    figures = figures_of(result, habits=habits)
    return PlayedGame(
        players=tuple((row.seat.membership_id if rated else row.seat.version.bot_id) or 0 for row in seats),
        ranks=tuple(row.rank for row in seats),
        exchanges=exchanges_in(figures),
        versions=tuple(row.seat.version_id for row in seats),
        forfeits=tuple(bool(row.forfeit) for row in seats),
        figures=seats_in(figures),
        habits=habits_in(figures),
    )


# --- Totals ----------------------------------------------------------------------------------------------------------
#
# A block is gathered once, after its last game has ended: nothing of a deal is told before. Only rated blocks whose
# every game is finished and counts are gathered; a block with a void game drops out as a whole. When the ledger takes
# something back (a void, a merge) the season's tallies are begun anew, from the same results.
#
# The row of the season's statistics is held while its tallies change, so each block is added once, however many gather;
# what a transaction has added it marks as gathered in the same transaction.

logger = logging.getLogger(__name__)

BLOCKS_PER_TRANSACTION: Final = 200
"""Blocks a transaction."""

SPARE_S: Final = 3.0
"""Seconds out of ten. The default worker does everything else in the rest, also after all tallies were reset."""

_TALLIES_PER_QUERY: Final = 100
_SEAT_FIELDS: Final = [field.name for field in fields(SeatSum)]
"""``figures`` stands last: all others are numbers."""

_PAIR_FIELDS: Final = [field.name for field in fields(PairSum)]
"""``seats`` stands last: all others are numbers."""

_VERSION_FIELDS: Final = [field.name for field in fields(VersionSum)]
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
            logger.exception("statistics of %s, season %s, not updated", season.ladder, season.number)
        if time.monotonic() >= until:
            break
    return looked_at


def _gather_season(season: Season, until: float) -> int:
    """Gather what has ended in ``season``, a piece at a time; how many blocks were looked at."""
    looked_at = 0
    while True:
        count = _gather_piece(season)
        looked_at += count
        if count < BLOCKS_PER_TRANSACTION or time.monotonic() >= until:
            return looked_at


def _gather_piece(season: Season) -> int:
    """Gather some blocks, if nobody else has done that meanwhile; how many were looked at.

    They are read before anything is locked: results without habits are played again, and SQLite has one writer. The
    ledger is counted before any result is read: what is taken back meanwhile is seen the next time.
    """
    before = SeasonStatistics.objects.get_or_create(season=season)[0].corrections
    corrections = LedgerEntry.objects.filter(season=season, kind__in=_CORRECTIONS).count()
    ended = ended_blocks(season) if before != corrections else ended_blocks(season).filter(gathered=False)
    blocks = list(ended.order_by("pk").values_list("pk", flat=True)[:BLOCKS_PER_TRANSACTION])
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
    memberships = {membership for membership, *_ in sums.seats}
    of_season = Q(season=season, membership__in=memberships)
    seats = {
        (tally.membership_id, tally.version_id, tally.seat): tally for tally in SeatTally.objects.filter(of_season)
    }
    for key in sums.seats.keys() - seats.keys():
        seats[key] = SeatTally(season=season, membership_id=key[0], version_id=key[1], seat=key[2])
    for key, seat_sum in sums.seats.items():
        _add_to_seat(seats[key], seat_sum)
    _write(SeatTally, [seats[key] for key in sorted(sums.seats)], _SEAT_FIELDS)
    pairs = {
        (tally.membership_id, tally.opponent_id): tally
        for tally in PairTally.objects.filter(of_season, opponent__in=memberships)
    }
    for pair in sums.pairs.keys() - pairs.keys():
        pairs[pair] = PairTally(season=season, membership_id=pair[0], opponent_id=pair[1])
    for pair, pair_sum in sums.pairs.items():
        _add_to_pair(pairs[pair], pair_sum)
    _write(PairTally, [pairs[pair] for pair in sorted(sums.pairs)], _PAIR_FIELDS)
    _add_versions(season, sums)


def _add_versions(season: Season, sums: Sums) -> None:
    memberships = {membership for membership, _ in sums.versions}
    known = VersionTally.objects.filter(season=season, membership__in=memberships)
    tallies = {(tally.membership_id, tally.version_id): tally for tally in known}
    for key, version_sum in sums.versions.items():
        if key not in tallies:
            tallies[key] = VersionTally(season=season, membership_id=key[0], version_id=key[1])
        tallies[key].blocks += version_sum.blocks
        tallies[key].games += version_sum.games
        tallies[key].points += version_sum.points
        tallies[key].squares += version_sum.squares
        tallies[key].habits = added_habits(tallies[key].habits, version_sum.habits)
        tallies[key].seats = added_seats(tallies[key].seats, version_sum.seats)
    _write(VersionTally, [tallies[key] for key in sorted(sums.versions)], _VERSION_FIELDS)


def _write(model: type[_Tally], tallies: Sequence[Any], names: Sequence[str]) -> None:
    """Insert the tallies that are new and update the others."""
    known = [tally for tally in tallies if tally.pk is not None]
    model._default_manager.bulk_create([tally for tally in tallies if tally.pk is None], _TALLIES_PER_QUERY)
    model._default_manager.bulk_update(known, names, _TALLIES_PER_QUERY)


def _add_to_seat(tally: SeatTally, seat_sum: SeatSum) -> None:
    for name in _SEAT_FIELDS[:-1]:
        setattr(tally, name, getattr(tally, name) + getattr(seat_sum, name))
    tally.figures = added(tally.figures, seat_sum.figures)


def _add_to_pair(tally: PairTally, pair_sum: PairSum) -> None:
    for name in _PAIR_FIELDS[:-1]:
        setattr(tally, name, getattr(tally, name) + getattr(pair_sum, name))
    tally.seats = added_seats(tally.seats, pair_sum.seats)


# --- Measures --------------------------------------------------------------------------------------------------------
#
# Seat values and block savings are public; the collusion report is for site admins.

MOST_BLOCKS: Final = 5000
"""The latest blocks of a season over which it is measured: enough for any interval that anybody can see."""

NAMED: Final = 100
"""Maximum pairs kept in the collusion report, the most significant first."""

_BLOCKS_PER_QUERY: Final = 500
_GROWTH: Final = 50


def measure() -> int:
    """Measure every season whose tallies have grown by a fiftieth since it was measured; how many."""
    grown = SeasonStatistics.objects.filter(blocks__gt=F("measured_blocks") + F("measured_blocks") / _GROWTH)
    return sum(measure_season(statistics) for statistics in grown.select_related("season__ladder").order_by("season"))


def measure_season(statistics: SeasonStatistics) -> bool:
    """Measure one season; false if somebody else has done that meanwhile."""
    blocks = latest_blocks(statistics.season)
    mine = SeasonStatistics.objects.filter(pk=statistics.pk, measured_blocks=statistics.measured_blocks)
    return bool(
        mine.update(
            measured=Now(),
            measured_blocks=statistics.blocks,
            document=season_document(blocks) | {"totals": seat_totals(statistics.season)},
            collusion=collusion_document(blocks, with_people=statistics.season.ladder.for_people),
        )
    )


def latest_blocks(season: Season) -> list[PlayedBlock]:
    """The latest blocks in the tallies of ``season``, the oldest first."""
    return _latest(ended_blocks(season).filter(gathered=True))


def cup_blocks(cup: Cup) -> list[PlayedBlock]:
    """The latest finished blocks of ``cup``, the oldest first; its players are ids of bots."""
    return _latest(Block.objects.filter(cup_table__round__cup=cup, ended__isnull=False), rated=False)


def _latest(blocks: QuerySet[Block], *, rated: bool = True) -> list[PlayedBlock]:
    ids = list(blocks.order_by("-pk").values_list("pk", flat=True)[:MOST_BLOCKS])[::-1]
    played: dict[int, PlayedBlock] = {}
    for first in range(0, len(ids), _BLOCKS_PER_QUERY):
        played |= played_blocks(ids[first : first + _BLOCKS_PER_QUERY], rated=rated)
    return [played[block] for block in ids if block in played]


def season_document(blocks: Sequence[PlayedBlock]) -> Document:
    """``{"blocks", "seats": [{"value", "margin", "count"}], "saving": {…} or None}``, as the functions answer."""
    from ladder.statistics.block_savings import variance_saved  # only processes that measure pay for numpy in memory

    saving = variance_saved(blocks)
    return {
        "blocks": len(blocks),
        "seats": [asdict(mean) for mean in seat_effect(blocks)],
        "saving": saving and asdict(saving),
    }


def seat_totals(season: Season) -> list[Document]:
    """By seat, the sums of all tallies of ``season``, in their units: ``{"games", "win_shares", "figures"}``."""
    totals: dict[int, SeatSum] = {}
    tallies = SeatTally.objects.filter(season=season).order_by()
    for seat, games, shares, figures in tallies.values_list("seat", "games", "win_shares", "figures").iterator():
        total = totals.setdefault(seat, SeatSum())
        total.games, total.win_shares = total.games + games, total.win_shares + shares
        total.figures = added(total.figures, figures)
    columns = ("games", "win_shares", "figures")
    return [{column: getattr(total, column) for column in columns} for _, total in sorted(totals.items())]


def collusion_document(blocks: Sequence[PlayedBlock], *, with_people: bool = False) -> Document:
    """``{"blocks", "pairs": how many were compared, "found": [Transfer, …]}``; players are memberships' ids.

    ``with_people`` it has the same of who wins for whom: ``"won": {"pairs", "found": [Winning, …]}``.
    """
    document = {"blocks": len(blocks), **_named(transfers(blocks))}
    return {**document, "won": _named(winnings(blocks))} if with_people else document


def _named(findings: Sequence[Transfer | Winning]) -> Document:
    rows: list[dict[str, Any]] = [
        asdict(finding) | {"excess": finding.excess, "stands_out": finding.stands_out} for finding in findings[:NAMED]
    ]
    return {"pairs": len(findings), "found": rows}
