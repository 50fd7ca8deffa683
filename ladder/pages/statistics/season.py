"""The statistics of a ladder's season: what its seats are worth, what its blocks save, what happens in which phase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from games.base import Game
from games.registry import GAMES
from ladder.access import ladder_seen_by
from ladder.models import Ladder, Season, SeasonStatistics
from ladder.models.ladders import Viewer
from ladder.pages.paging import cursor
from ladder.pages.statistics.figures import FigureRow, FigureTable, figure_table, together
from ladder.pages.tabs import Tab, Tabs
from ladder.pairings.seatings import games_of_a_deal
from ladder.ratings.means import Mean
from ladder.ratings.shares import WIN

_NARROWEST = 0.05
"""The axis of the seats reaches at least so far from one half, either way."""


@dataclass(frozen=True)
class Of:
    """What a page of numbers is of: a ladder and one of its seasons, ``None`` before the first."""

    ladder: Ladder
    season: Season | None
    seasons: Sequence[Season]

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def tabs(self) -> list[Tabs]:
        """Links to the other seasons; none where there is one."""
        links = [
            Tab(
                f"{season.number}",
                _("Season %(number)s") % {"number": season.number},
                f"?season={season.number}",
                season == self.season,
            )
            for season in self.seasons
        ]
        return [Tabs(_("season"), links)] if len(links) > 1 else []

    @property
    def keep(self) -> str:
        """What the address of another page of the same list begins with, so that the season is kept."""
        return f"season={self.season.number}&" if self.season and self.tabs else ""


@dataclass(frozen=True)
class SeatRow:
    """A seat from 0: the share of opponents beaten there, first places a game and the game's figures over the whole."""

    seat: int
    share: Mean
    first: float
    figures: FigureRow


@dataclass(frozen=True)
class SeatAxis:
    """An axis around one half that holds all intervals; places in per cent from the left."""

    reach: float

    def place(self, share: float) -> float:
        return round(50 + 50 * (share - 0.5) / self.reach, 2)


@dataclass(frozen=True)
class StatisticsPage:
    """A season's statistics; ``document`` is what was measured, empty until then."""

    of: Of
    blocks: int
    measured: datetime | None
    document: Mapping[str, Any]

    @property
    def totals(self) -> Sequence[Mapping[str, Any]]:
        """By seat, what all tallies came to when it was measured."""
        totals: Sequence[Mapping[str, Any]] = self.document.get("totals", ())
        return totals

    @property
    def games(self) -> int:
        """Finished games of the blocks that count."""
        return self.blocks * games_of_a_deal(self.of.ladder.seats, live=self.of.ladder.live)

    @property
    def saving(self) -> Mapping[str, Any] | None:
        return self.document.get("saving")

    @cached_property
    def shares(self) -> list[Mean]:
        return [Mean(**row) for row in self.document.get("seats", ())]

    @property
    def axis(self) -> SeatAxis:
        """The one axis for all seats."""
        return SeatAxis(max([_NARROWEST, *(abs(share.value - 0.5) + (share.margin or 0) for share in self.shares)]))

    @property
    def columns(self) -> Sequence[Any]:
        return self.of.game.figure_columns()

    @cached_property
    def seats(self) -> list[SeatRow]:
        """A row a seat; empty until it was measured."""
        rows = []
        for seat, (total, share) in enumerate(zip(self.totals, self.shares, strict=False)):
            table = figure_table(self.of.game, total["figures"], total["games"])
            if table is not None:
                rows.append(SeatRow(seat, share, total["wins"] / WIN / total["games"], table.rows[-1]))
        return rows

    @cached_property
    def phases(self) -> FigureTable | None:
        """What a seat comes to in each stretch of the game."""
        games = sum(total["games"] for total in self.totals)
        return figure_table(self.of.game, together(total["figures"] for total in self.totals), games)


def season_of(user: Viewer, slug: str, number: str | None) -> Of:
    """The ladder at an address with the season that is asked for, else its latest. Raises ``Http404``."""
    ladder = ladder_seen_by(user, slug)
    seasons = list(ladder.seasons.order_by("-number"))
    wanted = cursor(number)
    chosen = [season for season in seasons if wanted in (None, season.number)]
    if number is not None and not (wanted and chosen):
        raise Http404(_("%(ladder)s has no season %(number)s.") % {"ladder": ladder, "number": number})
    return Of(ladder, chosen[0] if chosen else None, seasons)


def statistics_page(of: Of) -> StatisticsPage:
    """The statistics of a season; one query, however many games it has had."""
    kept = SeasonStatistics.objects.filter(season=of.season).defer("feeding").first() if of.season else None
    return StatisticsPage(
        of=of,
        blocks=kept.blocks if kept else 0,
        measured=kept.measured if kept else None,
        document=kept.document if kept else {},
    )
