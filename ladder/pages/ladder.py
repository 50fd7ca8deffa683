"""The page of a ladder: its standings, with filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.core.paginator import Page
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from bots import remote
from bots.languages import LANGUAGES
from bots.models import BotVersion
from games.game import Game
from games.registry import GAMES
from ladder.access import ladder_seen_by
from ladder.ledger.entries import rating_rules_of
from ladder.matches.house_bots import owners_on
from ladder.members.estimated_skill import Run, SkillOrder, tie_groups
from ladder.members.invitations import is_asked
from ladder.members.standings import PROVISIONAL, WIN_RATE, Rows, StandingsRow, members, members_with_versions, page_of
from ladder.models import Ladder, Membership, Season
from ladder.models.ladders import Viewer
from ladder.pages.components.chart import Axis, axis
from ladder.pages.components.filters import (
    OF,
    Choice,
    Column,
    Fields,
    Parameters,
    TableQuery,
    Tabs,
    ladder_tabs,
    table_query,
)
from ladder.pages.components.people import player_name
from ladder.pages.components.words import TimeControl
from ladder.pages.ladders import GameCounts, game_counts
from ladder.ratings.elo import PROVISIONAL_GAMES, KFactor

# --- Statistically tied neighbors ------------------------------------------------------------------------------------

MOST_LANES: Final = 3
"""The maximum number of lines side by side. Further lines are left out, but each row also has its ties as text."""


def lanes_of(runs: Sequence[Run]) -> list[list[Run]]:
    """The lines of ties, side by side where they overlap."""
    lanes: list[list[Run]] = []
    for run in runs:
        free = next((lane for lane in lanes if lane[-1][1] < run[0]), None)
        if free is not None:
            free.append(run)
        elif len(lanes) < MOST_LANES:
            lanes.append([run])
    return lanes


def _mark(place: int, lane: Sequence[Run]) -> str:
    """The part of a line next to a row: ``start``, ``middle``, ``end`` or nothing."""
    for start, end in lane:
        if start <= place <= end:
            return "start" if place == start else "end" if place == end else "middle"
    return ""


# --- The page --------------------------------------------------------------------------------------------------------

MEMBERS_PER_PAGE: Final = 50
NAMED: Final = 3
"""The maximum number of tied players that are named in the sentence above the standings."""

COLUMNS: Final = (
    Column("rating", gettext_lazy("Rating")),
    Column("bot", gettext_lazy("Player"), falling=False, numeric=False),
    Column("skill", gettext_lazy("Skill")),
    Column("change", gettext_lazy("Last game")),
    Column("games", gettext_lazy("Games")),
    Column("first", gettext_lazy("First (%)")),
)
FIELDS: Final[Fields] = {
    "rating": "rating",
    "bot": "bot__name",
    "change": "last_change",
    "games": "games",
    "first": WIN_RATE,
}
"""The sort field of each column; estimated skill is sorted by ``SkillOrder``."""

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
    {"": gettext_lazy("All languages"), **{language.name: language.title for language in LANGUAGES.values()}},
)
MINE: Final = Choice(OF.name, OF.label, {**OF.values, "mine": gettext_lazy("My bots")})
"""The filter by owner for signed-in users."""


@dataclass(frozen=True)
class DrawnRow:
    """A row of the standings on the page.

    ``marks`` are the parts of the lines at the left. ``reach`` are the first and last rank of statistically tied
    neighbors, ``None`` without ties. ``own`` is whether the bot belongs to the viewer.
    """

    standing: StandingsRow
    marks: Sequence[str]
    reach: tuple[int, int] | None
    own: bool


@dataclass(frozen=True)
class LadderPage:
    """A page of the standings of a ladder.

    ``members`` is the number of all members, ``people`` the number of users with an active bot (counted up to the
    number of seats), and ``here`` the number of members that are online remote bots.
    """

    ladder: Ladder
    season: Season | None
    tabs: Sequence[Tabs]
    asked: TableQuery
    standings: Page[StandingsRow]
    rows: Sequence[DrawnRow]
    lanes: int
    members: int
    games: GameCounts
    people: int
    here: int

    @property
    def clock(self) -> TimeControl:
        """The time control of live games."""
        return TimeControl.of(self.ladder)

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
        return max([2 * self.fair_share, *(row.standing.win_rate or 0 for row in self.rows)])

    @cached_property
    def axis(self) -> Axis:
        """The common axis of all rows."""
        rows = self.standings.object_list
        return axis([end for row in rows for end in ((row.skill.low, row.skill.high) if row.skill else (row.rating,))])

    @property
    def provisional_games(self) -> int:
        return PROVISIONAL_GAMES

    @cached_property
    def k(self) -> KFactor:
        """The K-factor of the ladder; one query."""
        return rating_rules_of(self.ladder).k

    @property
    def leaders(self) -> list[str]:
        """The names of the leaders, if the page shows the top of the default standings."""
        if not self.asked.usual or self.standings.number > 1:
            return []
        return [player_name(row.standing.bot) for row in self.rows if row.standing.rank == 1][:NAMED]

    @property
    def level(self) -> list[str]:
        """The names of players that are statistically tied with a single leader."""
        if len(self.leaders) != 1 or self.rows[0].reach is None:
            return []
        last = self.rows[0].reach[1]
        return [player_name(row.standing.bot) for row in self.rows[1:] if row.standing.rank <= last]


def ladder_page(ladder: Ladder, parameters: Parameters, user: Viewer) -> LadderPage:
    """The page of the standings of ``ladder`` for a query string; at most eleven queries for the whole request."""
    season = Season.objects.latest_of(ladder.pk).first()
    asked = table_query(parameters, COLUMNS, (*_of_bots(ladder, user), STATE, CERTAINTY))
    shown = page_of(ladder, _wanted(ladder, season, asked, user), parameters("page"), MEMBERS_PER_PAGE)
    lanes, rows = _rows(list(shown), asked, user)
    return LadderPage(
        ladder=ladder,
        season=season,
        tabs=ladder_tabs(Ladder.objects.visible_to(user).order_by("pk"), ladder, _address),
        asked=asked,
        standings=shown,
        rows=rows,
        lanes=lanes,
        members=members(ladder).count() if asked.filtered else shown.paginator.count,
        games=game_counts(ladder),
        people=owners_on(ladder),
        here=_here(ladder) if ladder.live and ladder.players != Ladder.Players.PEOPLE else 0,
    )


def _of_bots(ladder: Ladder, user: Viewer) -> tuple[Choice, ...]:
    """The filter by owner, for ladders with bots, and the language filter, for ladders with hosted bots."""
    owners = () if ladder.players == Ladder.Players.PEOPLE else (MINE if user.pk else OF,)
    return (*owners, LANGUAGE) if ladder.for_house else owners


def _here(ladder: Ladder) -> int:
    return remote.here().filter(bot__in=Membership.objects.filter(ladder=ladder, active=True).values("bot")).count()


def _wanted(ladder: Ladder, season: Season | None, asked: TableQuery, user: Viewer) -> Rows | SkillOrder:
    """The members with the requested filters and order."""
    rows: Rows = asked.search(members_with_versions(ladder), "bot__")
    for name, value in asked.values.items():
        condition = _conditions(user).get((name, value))
        if condition is not None:
            rows = rows.filter(condition)
    if "language" in asked.values:
        playing = BotVersion.objects.filter(bot=OuterRef("bot"), active=True, language=asked.values["language"])
        rows = rows.filter(Exists(playing))
    return _ordered(rows, season, asked)


def _conditions(user: Viewer) -> Mapping[tuple[str, str], Q]:
    return {
        ("of", "house"): Q(bot__owner=None),
        ("of", "people"): Q(bot__owner__isnull=False),
        ("of", "mine"): Q(bot__owner=user.pk),
        ("state", "playing"): Q(active=True),
        ("state", "resting"): Q(active=False),
        ("games", "settled"): ~PROVISIONAL,
        ("games", "provisional"): PROVISIONAL,
    }


def _ordered(rows: Rows, season: Season | None, asked: TableQuery) -> Rows | SkillOrder:
    """The members sorted by a column, then by rating; missing values come last."""
    key = asked.column.key
    if key == "skill":
        return SkillOrder(rows, season, falling=asked.falling)
    return rows.order_by(asked.order(FIELDS), *(["-rating"] if key != "rating" else []), "pk")


def _rows(standings: Sequence[StandingsRow], asked: TableQuery, user: Viewer) -> tuple[int, list[DrawnRow]]:
    """The number of lines side by side, and the rows with their parts of these lines."""
    by_skill = asked.column.key in ("rating", "skill")
    ties = tie_groups([row.skill for row in standings] if by_skill else [])
    lanes = lanes_of(ties.runs)
    rows = []
    for place, row in enumerate(standings):
        first, last = ties.reach(place)
        rows.append(
            DrawnRow(
                standing=row,
                marks=[_mark(place, lane) for lane in lanes],
                reach=(standings[first].rank, standings[last].rank) if last > first else None,
                own=row.bot.owner_id is not None and row.bot.owner_id == user.pk,
            )
        )
    return len(lanes), rows


def _address(ladder: Ladder) -> str:
    return reverse("pages:ladder", args=[ladder.slug])


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    shown = ladder_seen_by(request.user, slug)
    page = ladder_page(shown, request.GET.get, request.user)
    return render(request, "pages/ladder.html", {"page": page, "is_asked": is_asked(shown, request.user)})
