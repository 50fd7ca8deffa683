"""The pages of ladders: all of them with their leaders, and one with its whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, Sum, Window
from django.db.models.functions import RowNumber
from django.urls import reverse

from bots.models import BotVersion
from games.base import Game
from games.registry import GAMES
from ladder.models import Entry, Ladder, Match
from ladder.models.ladders import Viewer
from ladder.pages.axis import Axis, axis
from ladder.pages.tabs import Tabs, ladder_tabs
from ladder.ratings.elo import PROVISIONAL_GAMES, START_RATING
from ladder.standings import Standing, table

ROWS = 50
LEADERS = 5


@dataclass(frozen=True)
class Board:
    """A ladder in a list of ladders, with its best entries."""

    ladder: Ladder
    leaders: Sequence[Entry]
    entries: int

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def finished(self) -> int:
        """Rated matches: the ledger counts them without gaps."""
        return self.ladder.next_ledger - 1


@dataclass(frozen=True)
class Books:
    """What has become of everything scheduled on a ladder, and whether the ratings still sum to what was given out."""

    finished: int
    void: int
    cancelled: int
    running: int
    queued: int
    surplus: int

    @property
    def scheduled(self) -> int:
        return self.finished + self.void + self.cancelled + self.running + self.queued


@dataclass(frozen=True)
class LadderPage:
    """One ladder's table, a page of it, with everything that is drawn beside it."""

    ladder: Ladder
    tabs: Sequence[Tabs]
    standings: Page[Standing]
    leaders: Sequence[Standing]
    versions: Mapping[int, int]
    axis: Axis
    books: Books

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def fair_share(self) -> float:
        """The share of first places that luck alone gives, 0 to 1."""
        return 1 / self.ladder.seats

    @property
    def widest_share(self) -> float:
        """The share of first places that fills its bar, 0 to 1: never less than twice the fair one."""
        shown = [standing.entry.win_share or 0 for standing in self.standings]
        return max(2 * self.fair_share, *shown) if shown else 1

    @property
    def provisional_games(self) -> int:
        return PROVISIONAL_GAMES


def boards(user: Viewer) -> list[Board]:
    """Every ladder that ``user`` may see, with its leaders; two queries."""
    ladders: Any = Ladder.objects.visible_to(user).annotate(standing=Count("entries", filter=Q(entries__active=True)))
    place = Window(RowNumber(), partition_by=F("ladder"), order_by=(F("rating").desc(), F("pk").asc()))
    best = (
        Entry.objects.filter(active=True, ladder__in=Ladder.objects.visible_to(user))
        .annotate(place=place)
        .filter(place__lte=LEADERS)
    )
    leaders = list(best.select_related("bot__owner").order_by("place"))
    return [
        Board(ladder, [entry for entry in leaders if entry.ladder_id == ladder.pk], ladder.standing)
        for ladder in ladders.order_by("pk")
    ]


def books(ladder: Ladder) -> Books:
    """The books of ``ladder``; two queries, neither of which reads the finished matches."""
    others = [Match.Status.QUEUED, Match.Status.RUNNING, Match.Status.VOID, Match.Status.CANCELLED]
    rows = Match.objects.filter(ladder=ladder, status__in=others).order_by().values_list("status")
    found = dict(rows.annotate(number=Count("pk")))
    totals = Entry.objects.filter(ladder=ladder).aggregate(rating=Sum("rating", default=0), number=Count("pk"))
    return Books(
        finished=ladder.next_ledger - 1,
        surplus=totals["rating"] - START_RATING * totals["number"],
        **{status.value: found.get(status.value, 0) for status in others},
    )


def ladder_page(ladder: Ladder, page: str | None, user: Viewer) -> LadderPage:
    """Page ``page`` of the table of ``ladder``, the nearest there is; five queries."""
    standings = table(ladder)
    shown = Paginator(standings, ROWS).get_page(page)
    bots = [standing.entry.bot_id for standing in shown]
    return LadderPage(
        ladder=ladder,
        tabs=ladder_tabs(Ladder.objects.visible_to(user).order_by("pk"), ladder, _address),
        standings=shown,
        leaders=[standing for standing in standings if standing.rank == 1],
        versions=active_versions(bots),
        axis=axis([standing.entry.rating for standing in shown]),
        books=books(ladder),
    )


def _address(ladder: Ladder) -> str:
    return reverse("pages:ladder", args=[ladder.slug])


def active_versions(bots: Sequence[int]) -> dict[int, int]:
    """By bot, the number of the version that new matches are given; one query."""
    return dict(BotVersion.objects.filter(bot__in=bots, active=True).values_list("bot", "number"))
