"""The standings of ladders: the one source of ranks, and of the values that pages, files and the API show of a member.

A new column is a property of :class:`StandingsRow`. The page shows it by a head and a cell in ``ladder.html`` (and
``rankings.css`` on phones), the CSV file by a line, and the API by a field and its value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, NullIf, Rank, RowNumber

from bots.models import Bot, BotVersion
from bots.names import BotName, bot_columns
from esr_platform.prepared import Prepared
from ladder.members.estimated_skill import Skill, skills_of
from ladder.models import Ladder, Match, Membership, Season
from ladder.models.ladders import Viewer
from ladder.ratings.elo import PROVISIONAL_GAMES
from ladder.ratings.shares import win_rate, wins

# --- Rows ------------------------------------------------------------------------------------------------------------

PROVISIONAL: Final = Q(games__lt=PROVISIONAL_GAMES)
"""Members with a provisional rating, which is based on few games."""

WIN_RATE: Final = F("win_shares") * 1.0 / NullIf(F("games"), 0)
"""Sorts members, or rows of final standings, by wins per game; null before the first game."""

Rows = QuerySet[Membership, dict[str, Any]]


class StandingsRow(NamedTuple):
    """A member of a ladder. ``rank`` is a competition rank by rating among all listed members.

    ``rating`` and ``last_change`` are in 1/1000 point, ``win_shares`` in 1/60 of a win. ``version`` is the number of
    the version that plays on the ladder, the frozen one or the active one; ``None`` for human players. ``skill`` is the
    estimated skill, ``None`` if it is unknown or was not asked for.
    """

    rank: int
    membership: int
    bot: BotName
    rating: int
    last_change: int
    games: int
    win_shares: int
    active: bool
    version: int | None = None
    skill: Skill | None = None

    @property
    def provisional(self) -> bool:
        """Whether the rating is provisional: it is based on few games."""
        return self.games < PROVISIONAL_GAMES

    @property
    def wins(self) -> float:
        """The number of wins; a win that k players share counts 1/k for each."""
        return wins(self.win_shares)

    @property
    def win_rate(self) -> float | None:
        """Wins per game, 0 to 1; ``None`` before the first game."""
        return win_rate(self.win_shares, self.games)


_COLUMNS: Final = ("pk", *bot_columns(), "rating", "last_change", "games", "win_shares", "active")
_MEMBERS: Final[Rows] = Membership.objects.listed().order_by("-rating", "pk").values(*_COLUMNS)


def members(ladder: Ladder) -> Rows:
    """The rows of the standings of ``ladder`` with the columns that ``ranked`` reads, best rating first."""
    return _MEMBERS.filter(ladder=ladder)


def members_with_versions(ladder: Ladder) -> Rows:
    """Like ``members``, with the number of the version that plays on the ladder."""
    active = BotVersion.objects.filter(bot=OuterRef("bot"), active=True).order_by().values("number")
    return members(ladder).annotate(version=Coalesce("frozen__number", Subquery(active)))


def _row(rank: int, row: Mapping[str, Any], skill: Skill | None = None) -> StandingsRow:
    bot = BotName.of(row)
    version = row.get("version") if bot.kind != Bot.Kind.PERSON else None
    return StandingsRow(
        rank=rank,
        membership=row["pk"],
        bot=bot,
        rating=row["rating"],
        last_change=row["last_change"],
        games=row["games"],
        win_shares=row["win_shares"],
        active=row["active"],
        version=version,
        skill=skill,
    )


# --- One ladder ------------------------------------------------------------------------------------------------------


def standings_of(ladder: Ladder, most: int | None = None) -> list[StandingsRow]:
    """The standings of ``ladder``, or the first ``most`` rows, best rating first; one query."""
    standings: list[StandingsRow] = []
    for place, row in enumerate(members_with_versions(ladder)[:most], 1):
        tied = bool(standings) and standings[-1].rating == row["rating"]
        standings.append(_row(standings[-1].rank if tied else place, row))
    return standings


def among_each_other(standings: Sequence[StandingsRow]) -> list[StandingsRow]:
    """Some rows, best rating first, with their ranks among each other."""
    ratings = [-row.rating for row in standings]
    return [row._replace(rank=bisect_left(ratings, -row.rating) + 1) for row in standings]


def page_of(
    ladder: Ladder, rows: Rows | Sequence[Mapping[str, Any]], number: str | None, size: int
) -> Page[StandingsRow]:
    """Page ``number`` of ``rows`` (some of ``members``, in any order), or the nearest page; four queries.

    The rows have their ranks in the whole standings, and their skills with draws.
    """
    shown: Page[Any] = Paginator(rows, size).get_page(number)
    shown.object_list = ranked(ladder, list(shown.object_list), draws=True)
    return shown


def ranked(ladder: Ladder, rows: Sequence[Mapping[str, Any]], *, draws: bool = False) -> list[StandingsRow]:
    """Some ``rows`` of ``members``, with their ranks in the whole standings and their skills; two queries."""
    ranks = _ranks(ladder, {row["rating"] for row in rows})
    skills = skills_of(ladder, [row["bot"] for row in rows], draws=draws)
    return [_row(ranks[row["rating"]], row, skills.get(row["bot"])) for row in rows]


_BETTER: Final = Prepared(
    lambda ladder, rating: (
        Membership.objects.listed()
        .filter(ladder__pk=ladder, rating__gt=rating)
        .order_by("-rating")
        .values_list("rating", flat=True)
    )
)


def _ranks(ladder: Ladder, ratings: Collection[int]) -> dict[int, int]:
    """By rating, its rank in the standings. Reads only better ratings than the worst one."""
    if not ratings:
        return {}
    falling = [-rating for rating in _BETTER(ladder=ladder.pk, rating=min(ratings))]
    return {rating: bisect_left(falling, -rating) + 1 for rating in ratings}


# --- Several ladders -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Top:
    """The first rows of the standings of a ladder that has ``members`` listed members."""

    rows: Sequence[StandingsRow]
    members: int


def tops(ladders: QuerySet[Ladder], most: int) -> dict[int, Top]:
    """By ladder with members, the first ``most`` rows of its standings; one query."""
    rows = _MEMBERS.filter(ladder__in=ladders).annotate(
        rank=Window(Rank(), partition_by=F("ladder"), order_by=F("rating").desc()),
        place=Window(RowNumber(), partition_by=F("ladder"), order_by=(F("rating").desc(), F("pk").asc())),
        members=Window(Count("pk"), partition_by=F("ladder")),
    )
    first = rows.filter(place__lte=most).order_by("ladder", "place").values("ladder", "rank", "members", *_COLUMNS)
    by_ladder = {ladder: list(group) for ladder, group in groupby(first, key=lambda row: row["ladder"])}
    return {
        ladder: Top([_row(row["rank"], row) for row in group], group[0]["members"])
        for ladder, group in by_ladder.items()
    }


@dataclass(frozen=True)
class LadderRank:
    """The rank of a player in the standings of ``ladder``, among ``of`` members."""

    rank: int
    of: int
    rating: int
    ladder: Ladder

    @property
    def order(self) -> tuple[int, int, int]:
        """The best rank first, then the rank among the most members, then the highest rating."""
        return self.rank, -self.of, -self.rating


def best_ranks(user: Viewer, game: str = "") -> dict[int, LadderRank]:
    """The best rank of every player with a rated game, on the ladders (of ``game``) that ``user`` may see.

    Two queries; the second reads the ratings of all members of these ladders.
    """
    ladders = {ladder.pk: ladder for ladder in Ladder.objects.visible_to(user) if game in ("", ladder.game)}
    listed = Membership.objects.listed().filter(ladder__in=ladders).order_by("ladder", "-rating", "pk")
    best: dict[int, LadderRank] = {}
    for ladder, members in groupby(listed.values_list("ladder", "bot", "rating", "games"), key=lambda row: row[0]):
        for bot, rank in _ladder_ranks(ladders[ladder], list(members)):
            best[bot] = min(best.get(bot, rank), rank, key=lambda rank: rank.order)
    return best


def _ladder_ranks(ladder: Ladder, members: Sequence[tuple[int, int, int, int]]) -> Iterator[tuple[int, LadderRank]]:
    rank, last = 0, None
    for number, (_, bot, rating, games) in enumerate(members, 1):
        rank, last = (rank if rating == last else number), rating
        if games:
            yield bot, LadderRank(rank, len(members), rating, ladder)


# --- One bot ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RankedMembership:
    """A membership with its ``rank`` ``among`` all, its number of ``queued`` matches, and the latest season.

    A membership without rated games has no rank.
    """

    membership: Membership
    rank: int | None
    among: int
    queued: int
    season: int | None

    @property
    def ladder(self) -> Ladder:
        return self.membership.ladder

    @property
    def games(self) -> int:
        return self.membership.games


def memberships_of(bot: Bot, viewer: Viewer) -> list[RankedMembership]:
    """The memberships of ``bot`` on ladders that ``viewer`` may see, in ladder order; one query."""
    there = Membership.objects.listed().filter(ladder=OuterRef("ladder")).order_by()
    everybody = there.values("ladder").annotate(number=Count("pk")).values("number")
    better = there.filter(rating__gt=OuterRef("rating")).values("ladder").annotate(number=Count("pk")).values("number")
    waiting = Match.objects.filter(
        ladder=OuterRef("ladder"), status=Match.Status.QUEUED, seats__membership=OuterRef("pk")
    )
    queued = waiting.order_by().values("ladder").annotate(number=Count("pk")).values("number")
    last = Season.objects.latest_of(OuterRef("ladder")).values("pk")
    memberships: QuerySet[Any] = (
        Membership.objects.filter(bot=bot, ladder__in=Ladder.objects.visible_to(viewer))
        .select_related("ladder")
        .annotate(among=Coalesce(Subquery(everybody), 0), rank=Coalesce(Subquery(better), 0) + 1)
        .annotate(queued=Coalesce(Subquery(queued), 0), season=Subquery(last))
        .order_by("ladder")
    )
    return [
        RankedMembership(member, member.rank if member.games else None, member.among, member.queued, member.season)
        for member in memberships
    ]
