"""Seasons of a ladder: their deals, and how they ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.api.resources.bots import OWNER, first_places, owner_of
from esr_platform.api.resources.documents import SeasonDocument, StandingDocument
from esr_platform.api.resources.views import Listing, One, Order
from esr_platform.prepared import Prepared
from ladder.access import ladder_seen_by
from ladder.models import DealSeries, FinalStanding, Season
from ladder.pages.seasons import season_among
from ladder.ratings.elo import points

_SEASON: Final = ("ladder__slug", "number", "opened", "closes_at", "closing", "closed")
_BOT: Final = "membership__bot__"
_STANDING: Final = (
    *("rank", "rating", "games", "wins", f"{_BOT}slug", f"{_BOT}name", *(f"{_BOT}{name}" for name in OWNER)),
)
_SEASONS: Final = Season.objects.values("pk", *_SEASON)
_STANDINGS: Final = FinalStanding.objects.values("pk", *_STANDING)
_WINNERS: Final = Prepared(
    lambda seasons: (
        FinalStanding.objects.filter(rank=1, season__pk__in=seasons).order_by("pk").values("season", f"{_BOT}slug")
    )
)
_SERIES: Final = DealSeries.objects.order_by("kind")
_BY_NUMBER: Final = {"-number": Order("number", falling=True), "number": Order("number")}


class Seasons(Listing):
    """All seasons of a ladder, the newest first."""

    document = SeasonDocument
    always = ("number",)
    orders = _BY_NUMBER

    @extend_schema(operation_id="seasons", summary="Seasons of a ladder")
    def get(self, _request: Request, slug: str) -> Response:
        part = self.part(_SEASONS.filter(ladder=ladder_seen_by(self.viewer, slug)))
        return self.answer(part, _documents(part[: self.asked["limit"]]))


class OneSeason(One):
    """One season of a ladder, with the series that its deals come from."""

    document = SeasonDocument
    always = ("number",)

    @extend_schema(operation_id="season", summary="A season")
    def get(self, _request: Request, slug: str, number: int) -> Response:
        return self.answer(_documents([season_among(_SEASONS, self.viewer, slug, number)])[0])


class Standings(Listing):
    """The final table of a closed season, the winner first; empty while it is open."""

    document = StandingDocument
    always = ("bot",)
    orders = {"rank": Order("rank"), "-rank": Order("rank", falling=True)}

    @extend_schema(operation_id="standings", summary="The final table of a season")
    def get(self, _request: Request, slug: str, number: int) -> Response:
        season = season_among(_SEASONS, self.viewer, slug, number)
        part = self.part(_STANDINGS.filter(season=season["pk"]))
        return self.answer(part, [_standing(row) for row in part])


def _documents(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The documents of seasons; two queries for all of them."""
    ids = [row["pk"] for row in rows]
    first, series = _WINNERS(seasons=ids), list(_SERIES.filter(season__in=ids))
    return [
        {
            "ladder": row["ladder__slug"],
            **{name: row[name] for name in _SEASON[1:]},
            "winners": [one[f"{_BOT}slug"] for one in first if one["season"] == row["pk"]],
            "series": [_series(one) for one in series if one.season_id == row["pk"]],
        }
        for row in rows
    ]


def _series(series: DealSeries) -> dict[str, Any]:
    return {
        "name": series.name,
        "kind": series.kind,
        "deals": series.next_number - 1,
        "key_hash": series.key_hash,
        "key": series.public_key,
    }


def _standing(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "rank": row["rank"],
        "bot": row[f"{_BOT}slug"],
        "name": row[f"{_BOT}name"],
        **owner_of(row, _BOT),
        "rating": points(row["rating"]),
        "games": row["games"],
        "wins": first_places(row["wins"]),
    }
