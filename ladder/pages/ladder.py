"""The page of a ladder: its standings, with filters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, overload

from django.core.paginator import Page
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import NullIf
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from bots import remote
from bots.languages import LANGUAGES
from bots.models import Bot, BotVersion
from games.game import Game
from games.registry import GAMES
from ladder.access import ladder_seen_by
from ladder.matches.candidates import people_on, playing_versions
from ladder.members.standings import StandingsEntry, listed, page_of
from ladder.models import Estimate, Ladder, Match, Membership, Season
from ladder.models.ladders import Viewer
from ladder.pages.components.chart import Axis, axis
from ladder.pages.components.filters import OF, Choice, Column, Parameters, TableQuery, Tabs, ladder_tabs, table_query
from ladder.pages.components.words import Clock
from ladder.pages.ladders import GameCounts, active_versions, game_counts
from ladder.ratings.draws import Centred
from ladder.ratings.elo import PROVISIONAL_GAMES

# --- Estimates -------------------------------------------------------------------------------------------------------

VERSIONS_SHOWN: Final = 24
"""The maximum number of rows on a bot page."""


def estimated(ladder: Ladder, memberships: Iterable[Membership]) -> dict[int, Estimate]:
    """By bot, the estimate of the version that it played last, of the ladder's last season; one query."""
    rows = _of_last_season(Estimate.objects.filter(season__ladder=ladder, rank_low__isnull=False))
    return {
        row.version.bot_id: row
        for row in rows.filter(version__bot__in=[membership.bot_id for membership in memberships])
    }


def of_bot(bot: Bot, viewer: Viewer) -> list[Estimate]:
    """The estimates of its newest versions on each ladder that ``viewer`` may see, in its last season; one query."""
    seen = Estimate.objects.filter(version__bot=bot, season__ladder__in=Ladder.objects.visible_to(viewer))
    newest = _of_last_season(seen).order_by("-version__number", "season__ladder")[:VERSIONS_SHOWN]
    return sorted(newest, key=lambda row: (row.season.ladder_id, -row.version.number))


def _of_last_season(estimates: QuerySet[Estimate]) -> QuerySet[Estimate]:
    last = Season.objects.filter(ladder=OuterRef("season__ladder")).order_by("-number").values("pk")[:1]
    return (
        estimates.filter(season=Subquery(last))
        .select_related("season__ladder", "version")
        .defer("version__check_report")
    )


# --- Order by estimated skill ----------------------------------------------------------------------------------------


class ByStrength(Sequence[Membership]):
    """``memberships`` sorted by the estimates of ``season``; those without an estimate come last in their own order.

    Two queries read the numbers for the order, and one query reads the memberships of each slice.
    """

    def __init__(self, memberships: QuerySet[Membership], season: Season | None, *, falling: bool) -> None:
        self._entries, self._season, self._falling = memberships, season, falling

    @cached_property
    def _order(self) -> list[int]:
        """The ids of all memberships."""
        known = Estimate.objects.filter(season=self._season, rank_low__isnull=False).order_by()
        strengths = dict(known.values_list("version__bot", "rating"))
        found = list(self._entries.values_list("pk", "bot"))
        sign = -1 if self._falling else 1
        rated = [(sign * strengths[bot], place) for place, (_, bot) in enumerate(found) if bot in strengths]
        rest = [membership for membership, bot in found if bot not in strengths]
        return [*(found[place][0] for _, place in sorted(rated)), *rest]

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Membership: ...
    @overload
    def __getitem__(self, index: slice) -> list[Membership]: ...
    def __getitem__(self, index: int | slice) -> Membership | list[Membership]:
        if isinstance(index, int):
            return self[index : index + 1][0] if index >= 0 else self[len(self) + index]
        wanted = self._order[index]
        found = self._entries.in_bulk(wanted)
        return [found[membership] for membership in wanted]


# --- Statistically tied neighbors ------------------------------------------------------------------------------------

MOST_LANES: Final = 3
"""The maximum number of lines side by side. Further lines are left out, but each row also has its ties as text."""

Run = tuple[int, int]
"""The places of the first and the last row of a line."""


@dataclass(frozen=True)
class TieGroups:
    """``runs`` are the longest sequences of rows that are all statistically tied with each other, from the top."""

    runs: Sequence[Run]
    lanes: Sequence[Sequence[Run]]

    def reach(self, place: int) -> Run:
        """The first and last row that are statistically tied with the row; the row itself if there are no ties."""
        its = [run for run in self.runs if run[0] <= place <= run[1]]
        return min([place, *(run[0] for run in its)]), max([place, *(run[1] for run in its)])

    def marks(self, place: int) -> list[str]:
        """The part of each line next to a row: ``start``, ``middle``, ``end`` or nothing."""
        return [_mark(place, lane) for lane in self.lanes]


def tie_groups(estimates: Sequence[Estimate | None]) -> TieGroups:
    """The lines for rows with these estimates, in table order. Rows without an estimate have no ties. No queries."""
    rows = [Centred.of(row.rating, row.draws) if row else None for row in estimates]
    runs: list[Run] = []
    start = 0
    for place in range(len(rows) + 1):
        begins = _begins(rows, start, place)
        if begins > start and place - 1 > start:
            runs.append((start, place - 1))
        start = begins
    return TieGroups(runs, _lanes(runs))


def _begins(rows: Sequence[Centred | None], start: int, place: int) -> int:
    """The first row at or after ``start`` from which all rows up to ``place`` are statistically tied with ``place``."""
    its = rows[place] if place < len(rows) else None
    if its is None:
        return place + 1
    for other in range(place - 1, start - 1, -1):
        above = rows[other]
        if above is None or its.told_apart_from(above):
            return other + 1
    return start


def _lanes(runs: Sequence[Run]) -> list[list[Run]]:
    lanes: list[list[Run]] = []
    for run in runs:
        free = next((lane for lane in lanes if lane[-1][1] < run[0]), None)
        if free is not None:
            free.append(run)
        elif len(lanes) < MOST_LANES:
            lanes.append([run])
    return lanes


def _mark(place: int, lane: Sequence[Run]) -> str:
    for start, end in lane:
        if start <= place <= end:
            return "start" if place == start else "end" if place == end else "middle"
    return ""


# --- Blocks that are being played ------------------------------------------------------------------------------------
#
# Nothing is known about a running game of a worker, so the progress of its block is shown instead.


@dataclass(frozen=True)
class LiveTable:
    """A block with the ``running`` game and the numbers of finished and all games."""

    running: Match
    over: int
    games: int

    @property
    def since(self) -> datetime | None:
        """The start of the running game."""
        return self.running.started

    @property
    def steps(self) -> list[str]:
        """The state of each game of the block: ``over``, ``now`` or ``to-come``."""
        return ["over"] * self.over + ["now"] + ["to-come"] * (self.games - self.over - 1)


def live_tables(matches: Iterable[Match]) -> list[LiveTable]:
    """The running blocks among ``matches``, the longest running game first."""
    by_block: dict[int, list[Match]] = {}
    for match in matches:
        by_block.setdefault(match.block_id, []).append(match)
    tables = [table for block in by_block.values() for table in _table(block)]
    return sorted(tables, key=lambda table: (table.running.started, table.running.pk))


def _table(block: Sequence[Match]) -> Iterator[LiveTable]:
    running = next((match for match in block if match.status == Match.Status.RUNNING), None)
    if running:
        yield LiveTable(running, sum(match.status in Match.ENDED for match in block), len(block))


# --- The page --------------------------------------------------------------------------------------------------------

ROWS: Final = 50
NAMED: Final = 3
"""The maximum number of tied players that are named in the sentence above the standings."""

COLUMNS: Final = (
    Column("rating", gettext_lazy("Rating")),
    Column("bot", gettext_lazy("Player"), falling=False, numeric=False),
    Column("strength", gettext_lazy("Skill")),
    Column("change", gettext_lazy("Last game")),
    Column("games", gettext_lazy("Games")),
    Column("first", gettext_lazy("First (%)")),
)
FIELDS: Final = {
    "rating": "rating",
    "bot": "bot__name",
    "change": "last_change",
    "games": "games",
    "first": "share",
}
"""The sort field of each column; estimated skill is sorted by ``ByStrength``."""

STATE: Final = Choice(
    "state",
    gettext_lazy("Activity"),
    {"": gettext_lazy("Active or not"), "playing": gettext_lazy("Active"), "resting": gettext_lazy("Inactive")},
)
CERTAINTY: Final = Choice(
    "games",
    gettext_lazy("Rating"),
    {
        "": gettext_lazy("All ratings"),
        "settled": gettext_lazy("Established ratings"),
        "provisional": gettext_lazy("Provisional ratings"),
    },
)
LANGUAGE: Final = Choice(
    "language",
    gettext_lazy("Language"),
    {"": gettext_lazy("All languages"), **{one.name: one.title for one in LANGUAGES.values()}},
)
MINE: Final = Choice(OF.name, OF.label, {**OF.values, "mine": gettext_lazy("My bots")})
"""The filter by owner for signed-in users."""


@dataclass(frozen=True)
class Row:
    """A row of the standings with its active version and estimated skill.

    ``marks`` are the parts of the lines at the left. ``reach`` are the first and last rank of statistically tied
    neighbors, ``None`` without ties.
    """

    standing: StandingsEntry
    version: int | None
    estimate: Estimate | None
    marks: Sequence[str]
    reach: tuple[int, int] | None
    own: bool

    @property
    def membership(self) -> Membership:
        return self.standing.membership


@dataclass(frozen=True)
class LadderPage:
    """A page of the standings of a ladder.

    ``standing_bots`` is the number of all members, ``people`` the number of users with an active bot (counted up to the
    number of seats), and ``here`` the number of members that are online remote bots.
    """

    ladder: Ladder
    season: Season | None
    tabs: Sequence[Tabs]
    asked: TableQuery
    standings: Page[StandingsEntry]
    rows: Sequence[Row]
    lanes: int
    standing_bots: int
    games: GameCounts
    people: int
    here: int

    @property
    def clock(self) -> Clock:
        """The time control of live games."""
        return Clock.of(self.ladder)

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def fair_share(self) -> float:
        """The average share of first places, 0 to 1."""
        return 1 / self.ladder.seats

    @property
    def widest_share(self) -> float:
        """The share of first places that fills its bar, 0 to 1: at least twice the average."""
        return max([2 * self.fair_share, *(row.membership.win_share or 0 for row in self.rows)])

    @cached_property
    def axis(self) -> Axis:
        """The common axis of all rows."""
        ends = [end for row in self.rows for end in _ends(row)]
        return axis(ends)

    @property
    def provisional_games(self) -> int:
        return PROVISIONAL_GAMES

    @property
    def leaders(self) -> list[str]:
        """The names of the leaders, if the page shows the top of the default standings."""
        if not self.asked.usual or self.standings.number > 1:
            return []
        return [row.membership.bot.name for row in self.rows if row.standing.rank == 1][:NAMED]

    @property
    def level(self) -> list[str]:
        """The names of players that are statistically tied with a single leader."""
        if len(self.leaders) != 1 or self.rows[0].reach is None:
            return []
        last = self.rows[0].reach[1]
        return [row.membership.bot.name for row in self.rows[1:] if row.standing.rank <= last]


def ladder_page(ladder: Ladder, parameters: Parameters, user: Viewer) -> LadderPage:
    """The page of the standings of ``ladder`` for a query string; at most eleven queries for the whole request."""
    season = ladder.seasons.order_by("-number").first()
    asked = table_query(parameters, COLUMNS, (*_of_bots(ladder, user), STATE, CERTAINTY))
    shown, everybody = page_of(ladder, _wanted(ladder, season, asked, user), parameters("page"), ROWS)
    lines, rows = _rows(ladder, list(shown), asked, user)
    return LadderPage(
        ladder=ladder,
        season=season,
        tabs=ladder_tabs(Ladder.objects.visible_to(user).order_by("pk"), ladder, _address),
        asked=asked,
        standings=shown,
        rows=rows,
        lanes=len(lines.lanes),
        standing_bots=everybody,
        games=game_counts(ladder),
        people=people_on(ladder),
        here=_here(ladder) if ladder.live and ladder.players != Ladder.Players.PEOPLE else 0,
    )


def _of_bots(ladder: Ladder, user: Viewer) -> tuple[Choice, ...]:
    """The filter by owner, for ladders with bots, and the language filter, for ladders with hosted bots."""
    owners = () if ladder.players == Ladder.Players.PEOPLE else (MINE if user.pk else OF,)
    return (*owners, LANGUAGE) if ladder.for_house else owners


def _here(ladder: Ladder) -> int:
    return remote.here().filter(bot__in=Membership.objects.filter(ladder=ladder, active=True).values("bot")).count()


def _wanted(
    ladder: Ladder, season: Season | None, asked: TableQuery, user: Viewer
) -> QuerySet[Membership] | ByStrength:
    """The memberships with the requested filters and order."""
    memberships = listed(ladder)
    if asked.looked_for:
        word = asked.looked_for
        memberships = memberships.filter(Q(bot__name__icontains=word) | Q(bot__owner__username__icontains=word))
    for name, value in asked.values.items():
        condition = _conditions(user).get((name, value))
        if condition is not None:
            memberships = memberships.filter(condition)
    if "language" in asked.values:
        playing = BotVersion.objects.filter(bot=OuterRef("bot"), active=True, language=asked.values["language"])
        memberships = memberships.filter(Exists(playing))
    return _ordered(memberships, season, asked)


def _conditions(user: Viewer) -> Mapping[tuple[str, str], Q]:
    return {
        ("of", "house"): Q(bot__owner=None),
        ("of", "people"): Q(bot__owner__isnull=False),
        ("of", "mine"): Q(bot__owner=user.pk),
        ("state", "playing"): Q(active=True),
        ("state", "resting"): Q(active=False),
        ("games", "settled"): Q(games__gte=PROVISIONAL_GAMES),
        ("games", "provisional"): Q(games__lt=PROVISIONAL_GAMES),
    }


def _ordered(
    memberships: QuerySet[Membership], season: Season | None, asked: TableQuery
) -> QuerySet[Membership] | ByStrength:
    """The memberships sorted by a column, then by rating; missing values come last."""
    key = asked.column.key
    if key == "strength":
        return ByStrength(memberships, season, falling=asked.falling)
    if key == "first":
        memberships = memberships.alias(share=F("wins") * 1.0 / NullIf(F("games"), 0))
    field, last = F(FIELDS[key]), True if key == "first" else None
    order = field.desc(nulls_last=last) if asked.falling else field.asc(nulls_last=last)
    return memberships.order_by(order, *(["-rating"] if key != "rating" else []), "pk")


def _rows(
    ladder: Ladder, shown: Sequence[StandingsEntry], asked: TableQuery, user: Viewer
) -> tuple[TieGroups, list[Row]]:
    memberships = [standing.membership for standing in shown]
    estimates, versions = estimated(ladder, memberships), _versions(ladder, memberships)
    by_strength = asked.column.key in ("rating", "strength")
    lines = tie_groups([estimates.get(membership.bot_id) for membership in memberships] if by_strength else [])
    rows = []
    for place, standing in enumerate(shown):
        bot = standing.membership.bot
        first, last = lines.reach(place)
        rows.append(
            Row(
                standing=standing,
                version=versions.get(bot.pk),
                estimate=estimates.get(bot.pk),
                marks=lines.marks(place),
                reach=(shown[first].rank, shown[last].rank) if last > first else None,
                own=bot.owner_id is not None and bot.owner_id == user.pk,
            )
        )
    return lines, rows


def _ends(row: Row) -> list[int]:
    its = row.estimate
    return [its.low, its.high] if its else [row.membership.rating]


def _address(ladder: Ladder) -> str:
    return reverse("pages:ladder", args=[ladder.slug])


def _versions(ladder: Ladder, memberships: Sequence[Membership]) -> dict[int, int]:
    """By bot, the number of its version on ``ladder``; one query, or two after a deadline."""
    if ladder.freezes_at is None:
        return active_versions([membership.bot_id for membership in memberships])
    playing = playing_versions(memberships).items()
    return {bot: version.number for bot, version in playing if version.bot.kind != Bot.Kind.PERSON}


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    page = ladder_page(ladder_seen_by(request.user, slug), request.GET.get, request.user)
    return render(request, "pages/ladder.html", {"page": page})
