"""Which level suits a player, by the results of their games against the levels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from django.db.models import OuterRef, Q, Subquery

from bots.house.catalogue import LEVELS
from ladder.models import Block, LiveSeat, Match, Seat

FIRST: Final = 2
"""The level for newcomers. Winning and losing soon leads to a better one."""

COUNTED: Final = 4
"""The last games against a level that decide whether the next level is recommended."""

WINS: Final = 2
"""The number of wins among these games that recommends the next level."""

LOSSES: Final = 3
"""The number of losses in a row that recommends the level below."""

_MOST_SEATS: Final = 200
"""The seats of levels whose results are read, the latest first."""


def recommended_levels(own: Q) -> dict[str, int]:
    """The recommended level by game, of games with a result; one query.

    ``own`` selects the seats of the player among ``LiveSeat`` rows. The level of the latest game counts: see
    :func:`next_level`. A casual game is won by ranking ahead of more than half of the bots of the level, and lost by
    ranking behind more than half of them.
    """
    theirs = LiveSeat.objects.filter(own, kind__in=LiveSeat.OF_PEOPLE)
    own_rank = theirs.filter(table=OuterRef("match")).values("seat__result__rank")[:1]
    ended = Seat.objects.filter(
        match__in=theirs.values("table"),
        match__status=Match.Status.FINISHED,
        match__block__purpose=Block.Purpose.CASUAL,
        version__bot__house_name__in=LEVELS.values(),
    )
    ranked = ended.annotate(own_rank=Subquery(own_rank)).order_by("-match")
    rows = ranked.values_list("match", "match__ladder__game", "version__bot__house_name", "result__rank", "own_rank")
    numbers = {name: number for number, name in LEVELS.items()}
    seats: dict[tuple[int, str, int], Counter[int]] = defaultdict(Counter)
    for match, game, name, rank, mine in rows[:_MOST_SEATS]:
        seats[match, game, numbers[name]][(rank > mine) - (rank < mine)] += 1
    games: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for (_match, game, level), met in seats.items():
        games[game].append((level, (2 * met[1] > met.total()) - (2 * met[-1] > met.total())))
    return {game: next_level(results) for game, results in games.items()}


def next_level(results: Sequence[tuple[int, int]]) -> int:
    """The level that suits a player with these results, the latest first.

    A result is the level and 1 for a win, -1 for a loss or 0. The level of the latest game is kept, but after
    ``WINS`` wins in the last ``COUNTED`` games against it the next level follows, and after ``LOSSES`` losses in a row
    the one below.
    """
    level = results[0][0]
    last = [result for played, result in results if played == level][:COUNTED]
    if last.count(1) >= WINS:
        return min(level + 1, max(LEVELS))
    if last[:LOSSES] == [-1] * LOSSES:
        return max(level - 1, min(LEVELS))
    return level
