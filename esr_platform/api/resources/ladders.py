"""Ladders and their standings, ratings over time, and results between bots."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.db.models import Count, F, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from bots.protocol import Limits
from esr_platform.api.resources.bots import NAMED, OWNER, first_places, owner_of
from esr_platform.api.resources.documents import LadderDocument, MembershipDocument, PairDocument, RatingDocument
from esr_platform.api.resources.views import OLDEST, Choice, Flag, Listing, Number, One, Order, Text
from esr_platform.prepared import Prepared
from games.registry import GAMES
from ladder.access import bot_seen_by, ladder_seen_by
from ladder.ledger.audit import rated_results
from ladder.members.standings import listed
from ladder.models import Estimate, Ladder, LedgerEntry, Membership, PairTally, Season, SeatResult
from ladder.ratings.elo import PROVISIONAL_GAMES, points
from ladder.statistics.pair_share import pair_share

# --- Ladders ---------------------------------------------------------------------------------------------------------

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
        Membership.objects.filter(active=True, ladder__pk__in=ladders)
        .order_by()
        .values("ladder")
        .annotate(bots=Count("pk"))
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


class Members(Listing):
    """Everybody who plays or has played on a ladder, best rating first."""

    document = MembershipDocument
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

    @extend_schema(operation_id="members", summary="The table of a ladder")
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


def _entries(
    ladder: Ladder, everybody: QuerySet[Membership], rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
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


def _ranks(everybody: QuerySet[Membership], ratings: Sequence[int]) -> dict[int, int]:
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


# --- Ratings over time -----------------------------------------------------------------------------------------------

_LEDGER: Final = "result__ledger_entries__"
_RATING: Final = ("rank", "rating_before", "rating_after", "seat__version__number", "result__match")


class Ratings(Listing):
    """What every rated game of a bot on a ladder did to its rating, in the order in which games counted."""

    document = RatingDocument
    always = ("number",)
    orders = {"number": Order("number"), "-number": Order("number", falling=True)}
    parameters = (
        Text("ladder", "the ladder that it is rated on", required=True, example="edel-stein-reich-4"),
        Number("season", "only games of the season with this number", least=1),
    )

    @extend_schema(operation_id="ratings", summary="Ratings of a bot over time")
    def get(self, _request: Request, slug: str) -> Response:
        bot, ladder = bot_seen_by(self.viewer, slug, NAMED), ladder_seen_by(self.viewer, self.asked["ladder"])
        counted = {
            f"{_LEDGER}kind": LedgerEntry.Kind.RESULT
        }  # all of one filter, or each would be of another membership
        if self.asked["season"]:
            counted[f"{_LEDGER}season__number"] = self.asked["season"]
        membership = bot.memberships.filter(ladder=ladder).values("pk")
        rows = SeatResult.objects.filter(**counted, seat__membership__in=membership, rating_after__isnull=False)
        of_ledger = {"season": F(f"{_LEDGER}season__number"), "counted": F(f"{_LEDGER}created")}
        part = self.part(rows.annotate(number=F(f"{_LEDGER}number")).values("pk", "number", *_RATING, **of_ledger))
        return self.answer(part, [_rating_document(row) for row in part])


def _rating_document(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "number": row["number"],
        "match": row["result__match"],
        "season": row["season"],
        "version": row["seat__version__number"],
        "rank": row["rank"],
        "before": points(row["rating_before"]),
        "after": points(row["rating_after"]),
        "counted": row["counted"],
    }


# --- Head to head ----------------------------------------------------------------------------------------------------

_PAIR: Final = (
    *("membership__bot__slug", "opponent__bot__slug", "games", "blocks", "share_sum", "share_squares"),
    *("bought", "paid", "sold", "received"),
)
_PAIRS: Final = PairTally.objects.values("pk", *_PAIR)


class HeadToHead(Listing):
    """Results of bots against each other, each pair from both sides."""

    document = PairDocument
    always = ("bot", "opponent")
    orders = {
        "id": Order("pk"),
        "-games": Order("games", falling=True),
        "games": Order("games"),
    }
    parameters = (
        Text("ladder", "the ladder on which they met", required=True, example="edel-stein-reich-4"),
        Text("bot", "only results of this bot", example="house-greedy"),
        Text("opponent", "only results against this bot", example="house-random"),
        Number("season", "of the season with this number; without it, of the newest", least=1),
    )

    @extend_schema(operation_id="head_to_head", summary="Results of bots against each other")
    def get(self, _request: Request) -> Response:
        ladder = ladder_seen_by(self.viewer, self.asked["ladder"])
        seasons = Season.objects.filter(ladder=ladder).order_by("-number")
        if self.asked["season"]:
            seasons = seasons.filter(number=self.asked["season"])
        rows = _PAIRS.filter(season=seasons.values("pk")[:1])
        for name, field in (("bot", "membership__bot__slug"), ("opponent", "opponent__bot__slug")):
            if self.asked[name]:
                rows = rows.filter(**{field: self.asked[name]})
        part = self.part(rows)
        return self.answer(part, [_head_to_head_document(row) for row in part])


def _head_to_head_document(row: Mapping[str, Any]) -> dict[str, Any]:
    share = asdict(pair_share(row["blocks"], row["share_sum"], row["share_squares"]))
    return {
        "bot": row["membership__bot__slug"],
        "opponent": row["opponent__bot__slug"],
        "share": {name: share[name] for name in ("value", "low", "high")},
        **{name: row[name] for name in ("games", "blocks", "bought", "paid", "sold", "received")},
    }
