"""Ladders with their standings, memberships, rating histories and head-to-head results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final

from django.db.models import Count, F
from rest_framework.request import Request
from rest_framework.response import Response

from bots.protocol import Limits
from esr_platform.api.documents import Document, Moment, about, choice, operation
from esr_platform.api.http import refusals
from esr_platform.api.parameters import ChoiceParameter, Flag, Number, Text
from esr_platform.api.resources.bots import NAMED, NamedBot, named_bot
from esr_platform.api.resources.seasons import DATES, NamedSeason
from esr_platform.api.resources.views import OLDEST, Listing, One, Writing, orders, person_of
from esr_platform.prepared import Prepared
from games.registry import GAMES
from ladder.access import bot_changed_by, bot_seen_by, ladder_seen_by
from ladder.keyset import Order
from ladder.ledger.integrity import rated_results
from ladder.members import memberships
from ladder.members.estimated_skill import Skill
from ladder.members.standings import StandingsRow, members, ranked
from ladder.models import Ladder, LedgerEntry, Membership, PairTally, Season, SeatResult
from ladder.ratings.elo import PROVISIONAL_GAMES, points
from ladder.statistics.pair_share import pair_share

# --- Ladders ---------------------------------------------------------------------------------------------------------

_DEFAULT_LIMITS: Final = asdict(Limits())


class LadderDocument(Document):
    """A ladder, which rates one game with a fixed number of seats."""

    always = ("slug",)

    slug: Annotated[str, about("Slug, the name in URLs.", "edel-stein-reich-4")]
    name: Annotated[str, about("Display name.", "Edel, Stein & Reich, 4 players")]
    game: Annotated[str, choice(tuple(GAMES), "Slug of the game.", "edel-stein-reich")]
    seats: Annotated[int, about("Number of seats.", 4, ge=2, le=5)]
    players: Annotated[
        str,
        choice(
            Ladder.Players.values,
            "Kind of players: hosted bots, remote bots, human players (`people`), or all of them (`open`).",
        ),
    ]
    open: Annotated[bool, about("Whether the ladder schedules new games.", True)]
    paused: Annotated[Moment | None, about("Time from which operators let no game begin, or null.", None)]
    pause_reason: Annotated[str, about("Why it is paused, else empty.", "")]
    by_invitation: Annotated[bool, about("Whether users need an invitation to join.", False)]
    private: Annotated[bool, about("Whether only members can see the ladder.", False)]
    freezes_at: Annotated[Moment | None, about("Time from which versions can no longer change, or null.", None)]
    created: Annotated[Moment, about("Time of creation.")]
    limits: Annotated[dict[str, int], about("Limits per player in a game, in ms and MiB.", _DEFAULT_LIMITS)]
    bots: Annotated[int, about("Number of active members: bots and human players.", 12)]
    games: Annotated[int, about("Number of rated games in all seasons.", 48212)]
    season: Annotated[NamedSeason | None, about("Newest season.")]


_PLAIN: Final = LadderDocument.__struct_fields__[:12]
_LADDERS: Final = Ladder.objects.values("pk", "limits", "next_ledger", *_PLAIN)
_SEASONS: Final = Prepared(
    lambda ladders: Season.objects.filter(ladder__pk__in=ladders).order_by("number").values("ladder", *DATES)
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
    """Returns all ladders, oldest first. With a token, the list includes your private ladders."""

    document = LadderDocument
    orders = OLDEST
    parameters = (
        ChoiceParameter("game", "Only ladders of this game.", words=tuple(GAMES)),
        Number("seats", "Only ladders with this number of seats.", least=2, most=5),
        ChoiceParameter("players", "Only ladders for this kind of players.", words=Ladder.Players.values),
        Flag("open", "`true`: only ladders that schedule new games; `false`: only closed ladders."),
    )

    @operation("ladders", "List ladders")
    def get(self, _request: Request) -> Response:
        names = (parameter.name for parameter in Ladders.parameters)
        wanted = {name: self.asked[name] for name in names if self.asked[name] is not None}
        return self.answer(_documents(self.part(_LADDERS.visible_to(self.viewer).filter(**wanted))))


class OneLadder(One):
    """Returns one ladder."""

    document = LadderDocument

    @operation("ladder", "Get a ladder")
    def get(self, _request: Request, slug: str) -> Response:
        ladder = ladder_seen_by(self.viewer, slug)
        row = {name: getattr(ladder, name) for name in ("pk", "limits", "next_ledger", *_PLAIN)}
        return self.answer(_documents([row])[0])


def _documents(rows: Sequence[Mapping[str, Any]]) -> list[LadderDocument]:
    """Return the documents of ladders. Makes three queries."""
    ids = [row["pk"] for row in rows]
    games = rated_results([Ladder(pk=row["pk"], next_ledger=row["next_ledger"]) for row in rows])
    bots = {row["ladder"]: row["bots"] for row in _BOTS(ladders=ids)}
    seasons = {row.pop("ladder"): NamedSeason(**row) for row in _SEASONS(ladders=ids)}
    return [
        LadderDocument(
            **{name: row[name] for name in _PLAIN},
            limits={**_DEFAULT_LIMITS, **row["limits"]},
            bots=bots.get(row["pk"], 0),
            games=games[row["pk"]],
            season=seasons.get(row["pk"]),
        )
        for row in rows
    ]


# --- Standings -------------------------------------------------------------------------------------------------------


class EstimateDocument(Document):
    """Estimated skill from all games of the season, with its 95% confidence interval."""

    version: Annotated[int, about("Number of the version.", 3)]
    rating: Annotated[float, about("Estimated skill in points.", 1688.2)]
    low: Annotated[float, about("Lower bound of the interval, in points.", 1671.5)]
    high: Annotated[float, about("Upper bound of the interval, in points.", 1704.9)]
    rank_low: Annotated[int | None, about("Best possible rank.", 1)]
    rank_high: Annotated[int | None, about("Worst possible rank.", 2)]
    blocks: Annotated[int, about("Number of blocks.", 512)]
    games: Annotated[int, about("Number of games.", 2048)]
    computed: Annotated[Moment, about("Time of the estimate.")]


class MembershipDocument(NamedBot):
    """A member of a ladder, a bot or a human player, with its results in the season."""

    always = ("bot",)

    rank: Annotated[int, about("Competition rank by rating among all members.", 1)]
    rating: Annotated[float, about("Rating in points.", 1702.413)]
    last_change: Annotated[float, about("Rating change in the last game, in points.", 3.127)]
    games: Annotated[int, about("Rated games in the season.", 2048)]
    wins: Annotated[float, about("Number of wins; a win that k players share counts 1/k for each.", 811.5)]
    active: Annotated[bool, about("Whether the bot gets new games.", True)]
    provisional: Annotated[
        bool, about(f"Whether the rating is provisional: fewer than {PROVISIONAL_GAMES} rated games.", False)
    ]
    estimate: Annotated[
        EstimateDocument | None, about("Estimated skill of the latest version that played; null without an estimate.")
    ]


class Members(Listing):
    """Returns the current standings: all members of a ladder, best rating first."""

    document = MembershipDocument
    orders = {
        **orders("rating", falling=True),
        **orders("games", falling=True),
        **orders("pk", falling=True, name="id"),
    }
    parameters = (
        Flag("active", "`true`: only members that get new games; `false`: only the other members."),
        Flag("house", "`true`: only house bots; `false`: only human players and bots of users."),
    )

    @operation("members", "Get the standings of a ladder")
    def get(self, _request: Request, slug: str) -> Response:
        ladder = ladder_seen_by(self.viewer, slug)
        rows = members(ladder)
        if self.asked["active"] is not None:
            rows = rows.filter(active=self.asked["active"])
        if self.asked["house"] is not None:
            rows = rows.filter(bot__owner__isnull=self.asked["house"])
        return self.answer([_member(row) for row in ranked(ladder, self.part(rows))])


def _member(row: StandingsRow) -> MembershipDocument:
    return MembershipDocument(
        **named_bot(row.bot),
        rank=row.rank,
        rating=points(row.rating),
        last_change=points(row.last_change),
        games=row.games,
        wins=row.wins,
        active=row.active,
        provisional=row.provisional,
        estimate=_estimate(row.skill),
    )


def _estimate(skill: Skill | None) -> EstimateDocument | None:
    if skill is None:
        return None
    return EstimateDocument(
        version=skill.version,
        rating=points(skill.rating),
        low=points(skill.low),
        high=points(skill.high),
        rank_low=skill.rank_low,
        rank_high=skill.rank_high,
        blocks=skill.blocks,
        games=skill.games,
        computed=skill.computed,
    )


# --- Memberships -----------------------------------------------------------------------------------------------------


class OwnMembershipDocument(Document):
    """The membership of your bot on a ladder."""

    ladder: Annotated[str, about("Slug of the ladder.", "edel-stein-reich-4")]
    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    active: Annotated[bool, about("Whether the bot gets new games.", True)]
    declined: Annotated[bool, about("Whether the owner left the ladder with this bot.", False)]
    rating: Annotated[float, about("Rating in points.", 1702.413)]
    games: Annotated[int, about("Rated games in the season.", 2048)]


class OneMember(Writing):
    """At ``/api/v1/ladders/{slug}/members/{bot}``."""

    @operation("join_ladder", "Join a ladder", OwnMembershipDocument)
    def put(self, request: Request, slug: str, bot: str) -> Response:
        """Adds your bot to the ladder. A former member returns with its old rating. The call is idempotent."""
        person = person_of(request)
        ladder, own_bot = ladder_seen_by(person, slug), bot_changed_by(person, bot)
        with refusals():
            return Response(_membership(memberships.join(own_bot, ladder)))

    @operation("leave_ladder", "Leave a ladder", OwnMembershipDocument)
    def delete(self, request: Request, slug: str, bot: str) -> Response:
        """Removes your bot from the ladder. Scheduled games are still played. A bot that rejoins keeps its rating."""
        person = person_of(request)
        ladder, own_bot = ladder_seen_by(person, slug), bot_changed_by(person, bot)
        return Response(_membership(memberships.leave(own_bot, ladder)))


def _membership(membership: Membership) -> OwnMembershipDocument:
    return OwnMembershipDocument(
        ladder=membership.ladder.slug,
        bot=membership.bot.slug,
        active=membership.active,
        declined=membership.declined,
        rating=membership.points,
        games=membership.games,
    )


# --- Ratings over time -----------------------------------------------------------------------------------------------


class RatingDocument(Document):
    """The rating change of a bot in one game."""

    always = ("number",)

    number: Annotated[int, about("Number of the result in the ledger. Games are rated in this order.", 48211)]
    match: Annotated[int, about("Id of the match.", 51007)]
    season: Annotated[int, about("Number of the season.", 2)]
    version: Annotated[int, about("Number of the version.", 3)]
    rank: Annotated[int, about("Competition rank in the game.", 1)]
    before: Annotated[float, about("Rating before the game, in points.", 1699.286)]
    after: Annotated[float, about("Rating after the game, in points.", 1702.413)]
    counted: Annotated[Moment, about("Time at which the game was added to the ledger.")]


_LEDGER: Final = "result__ledger_entries__"
_RATING: Final = ("rank", "rating_before", "rating_after", "seat__version__number", "result__match")


class Ratings(Listing):
    """Returns the rating change of a bot in each of its rated games on a ladder, in ledger order."""

    document = RatingDocument
    orders = orders("number")
    parameters = (
        Text("ladder", "Slug of the ladder.", required=True, example="edel-stein-reich-4"),
        Number("season", "Only games of the season with this number.", least=1),
    )

    @operation("ratings", "Get the rating history of a bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot, ladder = bot_seen_by(self.viewer, slug, NAMED), ladder_seen_by(self.viewer, self.asked["ladder"])
        counted = {
            f"{_LEDGER}kind": LedgerEntry.Kind.RESULT
        }  # in one filter, so that all conditions apply to the same row
        if self.asked["season"]:
            counted[f"{_LEDGER}season__number"] = self.asked["season"]
        membership = bot.memberships.filter(ladder=ladder).values("pk")
        rows = SeatResult.objects.filter(**counted, seat__membership__in=membership, rating_after__isnull=False)
        of_ledger = {"season": F(f"{_LEDGER}season__number"), "counted": F(f"{_LEDGER}created")}
        part = self.part(rows.annotate(number=F(f"{_LEDGER}number")).values("pk", "number", *_RATING, **of_ledger))
        return self.answer([_rating(row) for row in part])


def _rating(row: Mapping[str, Any]) -> RatingDocument:
    return RatingDocument(
        number=row["number"],
        match=row["result__match"],
        season=row["season"],
        version=row["seat__version__number"],
        rank=row["rank"],
        before=points(row["rating_before"]),
        after=points(row["rating_after"]),
        counted=row["counted"],
    )


# --- Head to head ----------------------------------------------------------------------------------------------------


class ShareDocument(Document):
    """The mean share of points, from 0 to 1, with its 95% confidence interval."""

    value: Annotated[float, about("Mean.", 0.71)]
    low: Annotated[float, about("Lower bound of the interval.", 0.67)]
    high: Annotated[float, about("Upper bound of the interval.", 0.75)]


class PairDocument(Document):
    """Results of a bot against another bot in the finished blocks of a season."""

    always = ("bot", "opponent")

    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    opponent: Annotated[str, about("Slug of the opponent.", "house-greedy")]
    share: Annotated[ShareDocument, about("Share of points of the bot against the opponent.")]
    games: Annotated[int, about("Number of games.", 640)]
    blocks: Annotated[int, about("Number of blocks.", 160)]
    bought: Annotated[int, about("Number of barters that the bot won from the opponent.", 512)]
    paid: Annotated[int, about("Total price of these barters, in the currency of the game.", 1490)]
    sold: Annotated[int, about("Number of barters that the opponent won from the bot.", 488)]
    received: Annotated[int, about("Total price of these barters, in the currency of the game.", 1377)]


_COUNTS: Final = PairDocument.__struct_fields__[3:]
_PAIRS: Final = PairTally.objects.values(
    "pk", "membership__bot__slug", "opponent__bot__slug", "share_sum", "share_squares", *_COUNTS
)


class HeadToHead(Listing):
    """Returns head-to-head results of bots. Each pair appears twice, once for each bot."""

    document = PairDocument
    orders = {"id": Order("pk"), **orders("games", falling=True)}
    parameters = (
        Text("ladder", "Slug of the ladder.", required=True, example="edel-stein-reich-4"),
        Text("bot", "Only results of this bot.", example="house-greedy"),
        Text("opponent", "Only results against this bot.", example="house-random"),
        Number("season", "Number of the season; by default the newest.", least=1),
    )

    @operation("head_to_head", "Get head-to-head results")
    def get(self, _request: Request) -> Response:
        ladder = ladder_seen_by(self.viewer, self.asked["ladder"])
        seasons = Season.objects.filter(ladder=ladder).order_by("-number")
        if self.asked["season"]:
            seasons = seasons.filter(number=self.asked["season"])
        rows = _PAIRS.filter(season=seasons.values("pk")[:1])
        for name, field in (("bot", "membership__bot__slug"), ("opponent", "opponent__bot__slug")):
            if self.asked[name]:
                rows = rows.filter(**{field: self.asked[name]})
        return self.answer([_pair(row) for row in self.part(rows)])


def _pair(row: Mapping[str, Any]) -> PairDocument:
    share = pair_share(row["blocks"], row["share_sum"], row["share_squares"])
    return PairDocument(
        bot=row["membership__bot__slug"],
        opponent=row["opponent__bot__slug"],
        share=ShareDocument(value=share.value, low=share.low, high=share.high),
        **{name: row[name] for name in _COUNTS},
    )
