"""The pages of ladders: all of them with their leaders, and one with its whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.db.models import Count, F, Q, Window
from django.db.models.functions import RowNumber
from django.urls import reverse

from bots.models import BotVersion
from games.base import Game
from games.registry import GAMES
from ladder.books import rated_results
from ladder.filling_up import people_on
from ladder.freezing import playing_versions
from ladder.models import Entry, Ladder, Match
from ladder.models.ladders import Viewer
from ladder.pages.axis import Axis, axis
from ladder.pages.estimates import Estimated, estimated
from ladder.pages.tabs import Tabs, ladder_tabs
from ladder.ratings.elo import PROVISIONAL_GAMES
from ladder.standings import Standing, page_of

ROWS = 50
LEADERS = 5
"""Entries that are named as the best, at most."""


@dataclass(frozen=True)
class Board:
    """A ladder in a list of ladders, with its best entries."""

    ladder: Ladder
    leaders: Sequence[Entry]
    entries: int
    finished: int

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]


@dataclass(frozen=True)
class Books:
    """What is to be played on a ladder, and how many rated matches have a result that counts."""

    finished: int
    running: int
    queued: int


@dataclass(frozen=True)
class LadderPage:
    """One ladder's table, a page of it, with everything that is drawn beside it.

    ``leaders`` are those of rank 1 on this page, a few at most. ``people`` have bots that play here, counted up to the
    seats of a table.
    """

    ladder: Ladder
    tabs: Sequence[Tabs]
    standings: Page[Standing]
    leaders: Sequence[Standing]
    versions: Mapping[int, int]
    estimated: Estimated
    axis: Axis
    books: Books
    people: int

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
    """Every ladder that ``user`` may see, with its leaders; three queries."""
    ladders: Any = Ladder.objects.visible_to(user).annotate(standing=Count("entries", filter=Q(entries__active=True)))
    place = Window(RowNumber(), partition_by=F("ladder"), order_by=(F("rating").desc(), F("pk").asc()))
    best = (
        Entry.objects.filter(active=True, ladder__in=Ladder.objects.visible_to(user))
        .annotate(place=place)
        .filter(place__lte=LEADERS)
    )
    leaders = list(best.select_related("bot__owner").order_by("place"))
    shown = list(ladders.order_by("pk"))
    finished = rated_results(shown)
    return [
        Board(ladder, [one for one in leaders if one.ladder_id == ladder.pk], ladder.standing, finished[ladder.pk])
        for ladder in shown
    ]


def books(ladder: Ladder) -> Books:
    """The books of ``ladder``; two queries, neither of which reads the finished matches."""
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING).order_by().values_list("status")
    found = dict(pending.annotate(number=Count("pk")))
    return Books(
        finished=rated_results([ladder])[ladder.pk],
        running=found.get(Match.Status.RUNNING, 0),
        queued=found.get(Match.Status.QUEUED, 0),
    )


def ladder_page(ladder: Ladder, page: str | None, user: Viewer) -> LadderPage:
    """Page ``page`` of the table of ``ladder``, the nearest there is; nine queries, however many stand there."""
    shown = page_of(ladder, page, ROWS)
    its_estimates = estimated(ladder, list(shown))
    return LadderPage(
        ladder=ladder,
        tabs=ladder_tabs(Ladder.objects.visible_to(user).order_by("pk"), ladder, _address),
        standings=shown,
        leaders=[standing for standing in shown if standing.rank == 1][:LEADERS],
        versions=_versions(ladder, [standing.entry for standing in shown]),
        estimated=its_estimates,
        axis=axis([*(standing.entry.rating for standing in shown), *its_estimates.bounds]),
        books=books(ladder),
        people=people_on(ladder),
    )


def _address(ladder: Ladder) -> str:
    return reverse("pages:ladder", args=[ladder.slug])


def _versions(ladder: Ladder, entries: Sequence[Entry]) -> dict[int, int]:
    """By bot, the number of the version that plays on ``ladder``; one query, two where versions freeze."""
    if ladder.freezes_at is None:
        return active_versions([entry.bot_id for entry in entries])
    return {bot: version.number for bot, version in playing_versions(entries).items()}


def active_versions(bots: Sequence[int]) -> dict[int, int]:
    """By bot, the number of the version that new matches are given; one query."""
    return dict(BotVersion.objects.filter(bot__in=bots, active=True).values_list("bot", "number"))
