"""Rated blocks as the statistics see them. A block is told when its last game has ended, not before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from django.db.models import QuerySet

from ladder.figures import exchanges_in, figures_of, habits_in, seats_in
from ladder.models import Block, Match, Result, Season, SeatResult
from ladder.openness import opened
from ladder.pairings.seatings import games_of_a_deal
from ladder.statistics.blocks import PlayedBlock, PlayedGame


def ended_blocks(season: Season) -> QuerySet[Block]:
    """The rated blocks of ``season`` whose every game has ended, whether they count or not."""
    return Block.objects.filter(series__season=season, purpose__in=Block.COUNTED, ended__isnull=False)


def played_blocks(block_ids: Collection[int], *, habits: bool = False) -> dict[int, PlayedBlock]:
    """By id, those of the ended blocks that count: every game finished, and every seat still rated; two queries.

    A live game is a block of one. With ``habits`` their games have those, too: results that kept none are played again
    from their records.
    """
    ended = SeatResult.objects.filter(opened("result__match__block"), result__match__block__in=block_ids)
    rows = ended.select_related("seat").defer("evidence", "score").order_by("result__match__seating", "seat__index")
    by_result: dict[int, list[SeatResult]] = defaultdict(list)
    for row in rows:
        by_result[row.result_id].append(row)
    results = Result.objects.filter(pk__in=by_result).select_related("match__block").defer("report", "packed_record")
    games: dict[Block, dict[int, PlayedGame]] = defaultdict(dict)
    for result in results:
        seats = by_result[result.pk]
        if all(seat.rating_after is not None for seat in seats) and result.match.status == Match.Status.FINISHED:
            games[result.match.block][result.match.seating] = _game(result, seats, habits)
    return {
        block.pk: PlayedBlock([game for _, game in sorted(its.items())])
        for block, its in games.items()
        if len(its) == _games_in(block, len(next(iter(its.values())).players))
    }


def _games_in(block: Block, seats: int) -> int:
    """How many games its deal is played in: all seatings, but that of a live game once."""
    return games_of_a_deal(seats, live=block.purpose in Block.DRIVEN_BY_REQUESTS)


def _game(result: Result, seats: list[SeatResult], habits: bool) -> PlayedGame:
    told = figures_of(result, habits=habits)
    return PlayedGame(
        players=tuple(row.seat.entry_id or 0 for row in seats),
        ranks=tuple(row.rank for row in seats),
        exchanges=exchanges_in(told),
        versions=tuple(row.seat.version_id for row in seats),
        forfeits=tuple(bool(row.forfeit) for row in seats),
        figures=seats_in(told),
        habits=habits_in(told),
    )
