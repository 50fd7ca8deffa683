"""Ladders: what is played on them, and who stands where."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.db.models import Count, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from bots.protocol import Limits
from esr_platform.api.reading.documents import EntryDocument, LadderDocument
from esr_platform.api.reading.naming import OWNER, first_places, owner_of
from esr_platform.api.reading.parameters import Choice, Flag, Number
from esr_platform.api.reading.views import OLDEST, Listing, One, Order
from esr_platform.prepared import Prepared
from games.registry import GAMES
from ladder.access import ladder_seen_by
from ladder.ledger.audit import rated_results
from ladder.members.standings import listed
from ladder.models import Entry, Estimate, Ladder, Season
from ladder.ratings.elo import PROVISIONAL_GAMES, points

_LADDER: Final = (
    *("slug", "name", "game", "seats", "players", "open", "by_invitation", "private", "freezes_at", "created"),
)
_SEASON: Final = ("number", "opened", "closes_at", "closing", "closed")
_ENTRY: Final = (
    *("pk", "bot", "bot__slug", "bot__name", *(f"bot__{name}" for name in OWNER)),
    *("rating", "last_change", "games", "wins", "active"),
)
_ESTIMATE: Final = (
    *("version__bot", "version__number", "rating", "low", "high", "rank_low", "rank_high"),
    *("blocks", "games", "computed"),
)
_LIMITS: Final = asdict(Limits())
_LADDERS: Final = Ladder.objects.values("pk", "limits", "next_ledger", *_LADDER)
_ESTIMATES: Final = Prepared(
    lambda ladder, bots: (
        Estimate.objects.filter(
            season=Season.objects.filter(ladder__pk=ladder).order_by("-number").values("pk")[:1],
            rank_low__isnull=False,
            version__bot__pk__in=bots,
        )
        .order_by()
        .values(*_ESTIMATE)
    )
)
_SEASONS: Final = Prepared(
    lambda ladders: Season.objects.filter(ladder__pk__in=ladders).order_by("number").values("ladder", *_SEASON)
)
_BOTS: Final = Prepared(
    lambda ladders: (
        Entry.objects.filter(active=True, ladder__pk__in=ladders).order_by().values("ladder").annotate(bots=Count("pk"))
    )
)


class Ladders(Listing):
    """All ladders, in the order in which they were opened."""

    document = LadderDocument
    always = ("slug",)
    orders = OLDEST
    parameters = (
        Choice("game", "only ladders of this game", words=tuple(GAMES)),
        Number("seats", "only ladders with so many seats", least=2, most=5),
        Choice("players", "only ladders at whose tables these sit", words=Ladder.Players.values),
        Flag("open", "only ladders that schedule games, or only those that do not"),
    )

    @extend_schema(operation_id="ladders", summary="Ladders")
    def get(self, _request: Request) -> Response:
        named = ("game", "seats", "players", "open")
        wanted = {name: self.asked[name] for name in named if self.asked[name] is not None}
        rows = _LADDERS.visible_to(self.viewer).filter(**wanted)
        part = self.part(rows)
        return self.answer(part, documents(part[: self.asked["limit"]]))


class OneLadder(One):
    """One ladder."""

    document = LadderDocument
    always = ("slug",)

    @extend_schema(operation_id="ladder", summary="A ladder")
    def get(self, _request: Request, slug: str) -> Response:
        found = ladder_seen_by(self.viewer, slug)
        row = {name: getattr(found, name) for name in ("pk", "limits", "next_ledger", *_LADDER)}
        return self.answer(documents([row])[0])


class Entries(Listing):
    """Everybody who plays or has played on a ladder, best rating first."""

    document = EntryDocument
    always = ("bot",)
    orders = {
        "-rating": Order("rating", falling=True),
        "rating": Order("rating"),
        "-games": Order("games", falling=True),
        "games": Order("games"),
        "-id": Order("pk", falling=True),
        "id": Order("pk"),
    }
    parameters = (
        Flag("active", "only bots that are given games here, or only those that are not"),
        Flag("house", "only house bots, or only people and theirs"),
    )

    @extend_schema(operation_id="entries", summary="The table of a ladder")
    def get(self, _request: Request, slug: str) -> Response:
        ladder = ladder_seen_by(self.viewer, slug)
        everybody = listed(ladder).select_related(None)
        wanted = everybody
        if self.asked["active"] is not None:
            wanted = wanted.filter(active=self.asked["active"])
        if self.asked["house"] is not None:
            wanted = wanted.filter(bot__owner__isnull=self.asked["house"])
        part = self.part(wanted.values(*_ENTRY))
        return self.answer(part, _entries(ladder, everybody, part[: self.asked["limit"]]))


def documents(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The documents of ladders; three queries for all of them."""
    ids = [row["pk"] for row in rows]
    games = rated_results([Ladder(pk=row["pk"], next_ledger=row["next_ledger"]) for row in rows])
    bots = {row["ladder"]: row["bots"] for row in _BOTS(ladders=ids)}
    seasons = {row.pop("ladder"): row for row in _SEASONS(ladders=ids)}
    return [
        {name: row[name] for name in _LADDER}
        | {
            "limits": {**_LIMITS, **row["limits"]},
            "bots": bots.get(row["pk"], 0),
            "games": games[row["pk"]],
            "season": seasons.get(row["pk"]),
        }
        for row in rows
    ]


def _entries(ladder: Ladder, everybody: QuerySet[Entry], rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The documents of some rows of a ladder's table; two queries."""
    ranks = _ranks(everybody, [row["rating"] for row in rows])
    estimates = _estimates(ladder, [row["bot"] for row in rows])
    return [
        {
            "rank": ranks[row["rating"]],
            "bot": row["bot__slug"],
            "name": row["bot__name"],
            **owner_of(row, "bot__"),
            "rating": points(row["rating"]),
            "last_change": points(row["last_change"]),
            "games": row["games"],
            "wins": first_places(row["wins"]),
            "active": row["active"],
            "provisional": row["games"] < PROVISIONAL_GAMES,
            "estimate": estimates.get(row["bot"]),
        }
        for row in rows
    ]


def _ranks(everybody: QuerySet[Entry], ratings: Sequence[int]) -> dict[int, int]:
    """By rating, its competition rank in the whole table; of everybody who is better, no more than ratings are read."""
    if not ratings:
        return {}
    better = everybody.filter(rating__gt=min(ratings)).order_by("-rating").values_list("rating", flat=True)
    falling = [-rating for rating in better]
    return {rating: bisect_left(falling, -rating) + 1 for rating in ratings}


def _estimates(ladder: Ladder, bots: Sequence[int]) -> dict[int, dict[str, Any]]:
    """By bot, the estimate of the version that it played last, of the ladder's newest season; one query."""
    rows = _ESTIMATES(ladder=ladder.pk, bots=bots)
    return {row["version__bot"]: _estimate(row) for row in rows}


def _estimate(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "version": row["version__number"],
        **{name: points(row[name]) for name in ("rating", "low", "high")},
        **{name: row[name] for name in ("rank_low", "rank_high", "blocks", "games", "computed")},
    }
