"""Seasons with their deal series and final standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from bots.names import BotName, bot_columns
from esr_platform.api.documents import EXAMPLE_DIGEST, Document, Moment, about, choice, operation
from esr_platform.api.resources.bots import NamedBot, named_bot
from esr_platform.api.resources.views import Listing, One, orders
from esr_platform.prepared import Prepared
from ladder.access import ladder_seen_by, season_among
from ladder.models import DealSeries, FinalStanding, Season
from ladder.ratings.elo import points
from ladder.ratings.shares import wins

# --- Documents -------------------------------------------------------------------------------------------------------


class SeriesDocument(Document):
    """A series of deals that are derived from one key."""

    name: Annotated[
        str, about("Name of the series, which is hashed with the key to derive each deal.", "edel-stein-reich-4")
    ]
    kind: Annotated[str, choice(DealSeries.Kind.values, "Purpose of the deals.")]
    deals: Annotated[int, about("Number of deals so far.", 812)]
    key_hash: Annotated[str, about("SHA-256 of the key in hexadecimal. It is public from the start.", EXAMPLE_DIGEST)]
    key: Annotated[
        str | None,
        about("Key in hexadecimal; null until the season is closed and its last deal has been played.", None),
    ]


class NamedSeason(Document):
    """The dates of a season."""

    number: Annotated[int, about("Number of the season, from 1.", 2)]
    opened: Annotated[Moment, about("Time at which the season opened.")]
    closes_at: Annotated[Moment | None, about("Scheduled end of the season, or null.", None)]
    closing: Annotated[Moment | None, about("Time at which the season stopped scheduling new games, or null.", None)]
    closed: Annotated[Moment | None, about("Time at which the standings became final, or null.", None)]


class SeasonDocument(NamedSeason):
    """A season of a ladder. Each season has its own ratings and deals."""

    always = ("number",)

    ladder: Annotated[str, about("Slug of the ladder.", "edel-stein-reich-4")]
    winners: Annotated[list[str], about("Slugs of the winners; empty until the season is closed.", [])]
    series: Annotated[list[SeriesDocument], about("Deal series of the season.")]


class StandingDocument(NamedBot):
    """One row of the final standings of a season."""

    always = ("bot",)

    rank: Annotated[int, about("Competition rank; after two winners with rank 1 comes rank 3.", 1)]
    rating: Annotated[float, about("Rating in points.", 1702.413)]
    games: Annotated[int, about("Number of rated games.", 2048)]
    wins: Annotated[float, about("Number of wins; a win that k players share counts 1/k for each.", 811.5)]


# --- Views -----------------------------------------------------------------------------------------------------------

DATES: Final = NamedSeason.__struct_fields__
_SEASONS: Final = Season.objects.values("pk", "ladder__slug", *DATES)
_BOT: Final = "membership__bot"
_STANDINGS: Final = FinalStanding.objects.values("pk", "rank", "rating", "games", "win_shares", *bot_columns(_BOT))
_WINNERS: Final = Prepared(
    lambda seasons: (
        FinalStanding.objects.winners().filter(season__pk__in=seasons).values_list("season", f"{_BOT}__slug")
    )
)
_SERIES: Final = DealSeries.objects.order_by("kind")


class Seasons(Listing):
    """Returns all seasons of a ladder, newest first."""

    document = SeasonDocument
    orders = orders("number", falling=True)

    @operation("seasons", "List the seasons of a ladder")
    def get(self, _request: Request, slug: str) -> Response:
        return self.answer(_documents(self.part(_SEASONS.filter(ladder=ladder_seen_by(self.viewer, slug)))))


class OneSeason(One):
    """Returns one season with its deal series."""

    document = SeasonDocument

    @operation("season", "Get a season")
    def get(self, _request: Request, slug: str, number: int) -> Response:
        return self.answer(_documents([season_among(_SEASONS, self.viewer, slug, number)])[0])


class Standings(Listing):
    """Returns the final standings of a closed season, winner first. While the season is open, the list is empty."""

    document = StandingDocument
    orders = orders("rank")

    @operation("standings", "Get the final standings of a season")
    def get(self, _request: Request, slug: str, number: int) -> Response:
        season = season_among(_SEASONS, self.viewer, slug, number)
        return self.answer([_standing(row) for row in self.part(_STANDINGS.filter(season=season["pk"]))])


def _documents(rows: Sequence[Mapping[str, Any]]) -> list[SeasonDocument]:
    """Return the documents of seasons. Makes two queries."""
    ids = [row["pk"] for row in rows]
    winners, series = _WINNERS(seasons=ids), list(_SERIES.filter(season__in=ids))
    return [
        SeasonDocument(
            ladder=row["ladder__slug"],
            **{name: row[name] for name in DATES},
            winners=[bot for season, bot in winners if season == row["pk"]],
            series=[_series(deal_series) for deal_series in series if deal_series.season_id == row["pk"]],
        )
        for row in rows
    ]


def _series(series: DealSeries) -> SeriesDocument:
    return SeriesDocument(
        name=series.name,
        kind=series.kind,
        deals=series.deals,
        key_hash=series.key_hash,
        key=series.public_key,
    )


def _standing(row: Mapping[str, Any]) -> StandingDocument:
    return StandingDocument(
        rank=row["rank"],
        **named_bot(BotName.of(row, _BOT)),
        rating=points(row["rating"]),
        games=row["games"],
        wins=wins(row["win_shares"]),
    )
