"""Matches with their records, logs and replays, and the bulk download of records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from msgspec.structs import asdict
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import BotVersion
from bots.names import BotName, bot_columns
from esr_platform.accounts.limits import wait_s
from esr_platform.api.authentication import identity
from esr_platform.api.documents import EXAMPLE_DIGEST, Document, Moment, about, choice, operation
from esr_platform.api.parameters import Asked, ChoiceParameter, Flag, Number, Text, Time
from esr_platform.api.resources.bots import NAMED, NamedBot, named_bot
from esr_platform.api.resources.views import HEADERS, Listing, One, Reading
from esr_platform.downloads import stored_json, streamed
from esr_platform.prepared import Prepared
from games.outcomes import has_score
from games.registry import GAMES
from games.rules import FORFEIT_REASONS
from ladder.access import (
    among_matches_seen_by,
    bot_seen_by,
    ladder_seen_by,
    match_among,
    matches_in_order_seen_by,
    with_seats_of,
)
from ladder.exports.documents import match_log_of, replay_of, sent_log_of, sent_record_of
from ladder.exports.json_lines import game_pieces, is_in_file
from ladder.matches.blocks import games_of
from ladder.matches.public_results import Occupancy, live_course
from ladder.models import Block, LedgerEntry, Match, Seat
from ladder.openness import opened, results_are_public
from ladder.ratings.elo import points

# --- Documents -------------------------------------------------------------------------------------------------------

_DUEL: Final = "edel-stein-reich-duel"
_STATUS: Final = choice(Match.Status.values, "Status of the match.", "finished")


class PlayerDocument(NamedBot):
    """A player at a seat. Rank, score and ratings are null if the match has no result."""

    seat: Annotated[int, about("Number of the seat, from 0.", 0)]
    version: Annotated[int, about("Number of the version; 1 for human players.", 3)]
    label: Annotated[str, about("Label of a remote bot's version; else empty.", "")]
    rank: Annotated[int | None, about("Competition rank; after two winners with rank 1 comes rank 3.", 1)]
    score: Annotated[
        Any,
        about(
            "Score in the format of the game; null without a result or if the game ended early.",
            {"money": 95, "gems": [3, 2, 4, 1]},
        ),
    ]
    forfeit: Annotated[str, choice(("", *FORFEIT_REASONS), "Reason for a forfeit, or empty.")]
    forfeit_at: Annotated[
        int | None,
        about("Number of steps recorded when the seat gave up; null without a forfeit and in old games.", None),
    ]
    rating_before: Annotated[float | None, about("Rating before the game, in points.", 1699.286)]
    rating_after: Annotated[float | None, about("Rating after the game, in points.", 1702.413)]


class MatchListed(Document):
    """A queued, running or finished match."""

    always = ("id",)

    id: Annotated[int, about("Id of the match.", 51007)]
    ladder: Annotated[str, about("Slug of the ladder.", _DUEL)]
    game: Annotated[str, choice(tuple(GAMES), "Slug of the game.", _DUEL)]
    seats: Annotated[int, about("Number of seats.", 2)]
    season: Annotated[int | None, about("Number of the season, or null.", 2)]
    purpose: Annotated[str, choice(Block.Purpose.values, "Purpose of the match.", Block.Purpose.LADDER)]
    rated: Annotated[bool, about("Whether the match is rated.", True)]
    live: Annotated[bool, about("Whether the match is a live game, with human players or remote bots.", False)]
    status: Annotated[str, _STATUS]
    reason: Annotated[str, about("Reason if the match has no result, or empty.", "")]
    open: Annotated[
        bool, about("Whether the deal, record, log and replay are public: after the last match of the block.", True)
    ]
    created: Annotated[Moment, about("Time at which the match was scheduled.")]
    started: Annotated[Moment | None, about("Time at which the latest attempt began, or null.")]
    ended: Annotated[Moment | None, about("Time at which the match ended, or null.")]
    players: Annotated[list[PlayerDocument], about("Players by seat.")]


class DealGame(Document):
    """A match that uses the deal."""

    id: Annotated[int, about("Id of the match.", 51007)]
    status: Annotated[str, _STATUS]


class DealDocument(Document):
    """The deal of a match."""

    series: Annotated[str | None, about("Name of the deal series, or null.", _DUEL)]
    number: Annotated[int | None, about("Number of the deal in its series or at its table of a cup, or null.", 5100)]
    commitment: Annotated[
        str, about("SHA-256 of the seed in hexadecimal. It is public from the start.", EXAMPLE_DIGEST)
    ]
    seed: Annotated[
        str | None, about("Seed in hexadecimal; null until the last match with the deal has ended.", EXAMPLE_DIGEST)
    ]
    games: Annotated[list[DealGame], about("All matches that use the deal.")]


class LedgerNumbers(Document):
    """The ledger numbers of a match."""

    result: Annotated[int | None, about("Number of the result, or null.", 48211)]
    void: Annotated[int | None, about("Number of the correction that voided the result, or null.", None)]


class OccupantDocument(Document):
    """A part of a live game in which one player, possibly a substitute bot, occupied a seat."""

    seat: Annotated[int, about("Number of the seat, from 0.", 0)]
    bot: Annotated[str, about("Slug of the player.", "miriam")]
    name: Annotated[str, about("Name of the player.", "miriam")]
    version: Annotated[int, about("Number of the version.", 1)]
    from_move: Annotated[int, about("First move of the player; moves that were not forced are counted from 0.", 0)]
    to_move: Annotated[
        int | None, about("First move of the next player; null if the player stayed until the end.", None)
    ]


class OutageDocument(Document):
    """An outage of the site. Running clocks were extended by its duration."""

    before_move: Annotated[int, about("Next move; moves that were not forced are counted from 0.", 4)]
    ended: Annotated[Moment, about("Time at which the site was available again.")]
    ms: Annotated[int, about("Duration of the outage in ms.", 12000)]


class MatchDocument(MatchListed):
    """A match with its deal and its ledger numbers."""

    deal: Annotated[DealDocument, about("Deal of the match.")]
    ledger: Annotated[LedgerNumbers, about("Ledger numbers of the match.")]
    occupants: Annotated[
        list[OccupantDocument], about("Occupants of the seats in a live game; empty until the record is public.", [])
    ]
    outages: Annotated[list[OutageDocument], about("Outages during a live game; empty until the record is public.", [])]


# --- Matches ---------------------------------------------------------------------------------------------------------

_MATCH: Final = (
    *("ladder__slug", "ladder__game", "ladder__seats", "block__series__season__number", "block__purpose"),
    "block__cup_table",
    *("status", "reason", "created", "started", "ended"),
)
_OPEN: Final = ExpressionWrapper(opened("block"), output_field=BooleanField())
_LISTED: Final = Match.objects.values("pk", *_MATCH, open=_OPEN)
_DEAL: Final = ("block", "block__series__name", "block__number", "block__commitment", "block__seed")
_WITH_DEAL: Final = Match.objects.values("pk", *_MATCH, *_DEAL, open=_OPEN)
_BOT: Final = "version__bot"
_SEAT: Final = (
    *("match", "index", *bot_columns(_BOT)),
    *("version__number", "version__label", "result__rank", "result__score", "result__forfeit"),
    *("result__forfeit_at", "result__rating_before", "result__rating_after"),
)
_SEATS: Final = Prepared(
    lambda matches: Seat.objects.filter(match__pk__in=matches).order_by("match", "index").values(*_SEAT)
)
_NUMBERS: Final = Prepared(
    lambda match: LedgerEntry.objects.filter(result__match__pk=match).order_by().values("kind", "number")
)
_FILTERS: Final = (
    ChoiceParameter("status", "Only matches with this status.", words=Match.Status.values, example="finished"),
    Flag("rated", "`true`: only rated matches; `false`: only unrated matches."),
    ChoiceParameter("purpose", "Only matches with this purpose.", words=Block.Purpose.values),
    Number("season", "Only matches of the season with this number.", least=1),
    Time("ended_from", "Only matches that ended at or after this time."),
    Time("ended_before", "Only matches that ended before this time."),
)
_LADDER: Final = Text("ladder", "Only matches on this ladder.", example="edel-stein-reich-4")
_GAME: Final = ChoiceParameter("game", "Only matches of this game.", words=tuple(GAMES))
_BOT_NAMED: Final = Text("bot", "Only matches in which this bot plays.", example="house-greedy")
_WITH: Final = Text("with", "Only matches in which this bot also plays.", example="house-random")


class _Matches(Listing):
    """Base class for lists of matches."""

    document = MatchListed

    def listed(self, matches: QuerySet[Match, dict[str, Any]]) -> Response:
        """Return the requested page of ``matches``, which are rows of ``_LISTED``. Makes two queries."""
        for name in ("bot", "with"):
            if self.asked.get(name):
                matches = with_seats_of(matches, BotVersion.objects.filter(bot__slug=self.asked[name]))
        part = self.part(matches.filter(_wanted(self.asked)))
        seats = _seats([row["pk"] for row in part])
        return self.answer([_match(row, seats[row["pk"]]) for row in part])


class Matches(_Matches):
    """Returns matches on all ladders, newest first."""

    parameters = (_LADDER, _GAME, _BOT_NAMED, _WITH, *_FILTERS)

    @operation("matches", "List matches")
    def get(self, _request: Request) -> Response:
        if self.asked["ladder"]:
            matches = _LISTED.filter(ladder=ladder_seen_by(self.viewer, self.asked["ladder"]))
        elif _is_selective(self.asked):
            matches = among_matches_seen_by(self.viewer, _LISTED)
        else:
            matches = matches_in_order_seen_by(self.viewer, _LISTED)
        if self.asked["game"]:
            matches = matches.filter(ladder__game=self.asked["game"])
        return self.listed(matches)


class LadderMatches(_Matches):
    """Returns matches on one ladder, newest first."""

    parameters = (_BOT_NAMED, _WITH, *_FILTERS)

    @operation("ladder_matches", "List the matches of a ladder")
    def get(self, _request: Request, slug: str) -> Response:
        return self.listed(_LISTED.filter(ladder=ladder_seen_by(self.viewer, slug)))


class BotMatches(_Matches):
    """Returns matches of one bot, newest first."""

    parameters = (_LADDER, _WITH, *_FILTERS)

    @operation("bot_matches", "List the matches of a bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot = bot_seen_by(self.viewer, slug, NAMED)
        matches = with_seats_of(among_matches_seen_by(self.viewer, _LISTED), bot.versions.all())
        if self.asked["ladder"]:
            matches = matches.filter(ladder=ladder_seen_by(self.viewer, self.asked["ladder"]))
        return self.listed(matches)


class OneMatch(One):
    """Returns one match with its players, deal and ledger numbers."""

    document = MatchDocument

    @operation("match", "Get a match")
    def get(self, _request: Request, match_id: int) -> Response:
        row = match_among(_WITH_DEAL, self.viewer, match_id)
        listed = _match(row, _seats([match_id])[match_id])
        course = live_course(match_id, row["block__purpose"], row["open"])
        return self.answer(
            MatchDocument(
                **asdict(listed),
                deal=_deal(row),
                ledger=_ledger(match_id),
                occupants=[_occupant(part) for part in course.occupancies],
                outages=[OutageDocument(**outage._asdict()) for outage in course.outages],
            )
        )


def _wanted(asked: Asked) -> Q:
    """Return the filters that all lists of matches have in common."""
    wanted = Q()
    if asked["status"]:
        wanted &= Q(status=asked["status"])
    if asked["rated"] is not None:
        rated = Q(block__purpose__in=Block.RATED)
        wanted &= rated if asked["rated"] else ~rated
    if asked["purpose"]:
        wanted &= Q(block__purpose=asked["purpose"])
    if asked["season"]:
        wanted &= Q(block__series__season__number=asked["season"])
    if asked["ended_from"]:
        wanted &= Q(ended__gte=asked["ended_from"])
    if asked["ended_before"]:
        wanted &= Q(ended__lt=asked["ended_before"])
    return wanted


def _is_selective(asked: Asked) -> bool:
    """Return whether few matches pass the filters, so that finding them by an index is faster than reading in order.

    Most matches are finished, so any other status is selective.
    """
    return bool(asked["bot"] or asked["with"] or asked["status"] not in (None, Match.Status.FINISHED))


def _seats(matches: Sequence[int]) -> Mapping[int, list[dict[str, Any]]]:
    """Return the seats of matches by match. Makes one query."""
    seats: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in _SEATS(matches=matches):
        seats[row["match"]].append(row)
    return seats


def _match(row: Mapping[str, Any], seats: Sequence[Mapping[str, Any]]) -> MatchListed:
    """Return a match from a row with ``_MATCH`` and ``_OPEN``."""
    purpose = row["block__purpose"]
    public = row["status"] == Match.Status.FINISHED and results_are_public(row["block__cup_table"], row["open"])
    return MatchListed(
        id=row["pk"],
        ladder=row["ladder__slug"],
        game=row["ladder__game"],
        seats=row["ladder__seats"],
        season=row["block__series__season__number"],
        purpose=purpose,
        rated=purpose in Block.RATED,
        live=purpose in Block.DRIVEN_BY_REQUESTS,
        status=row["status"],
        reason=row["reason"],
        open=row["open"],
        created=row["created"],
        started=row["started"],
        ended=row["ended"],
        players=[_player(seat, public) for seat in seats],
    )


def _player(row: Mapping[str, Any], public: bool) -> PlayerDocument:
    """Return the player at a seat. Results of unfinished and void matches and of running cup rounds are not shown."""
    return PlayerDocument(
        seat=row["index"],
        **named_bot(BotName.of(row, _BOT)),
        version=row["version__number"],
        label=row["version__label"],
        rank=row["result__rank"] if public else None,
        score=row["result__score"] if public and has_score(row["result__score"]) else None,
        forfeit=(row["result__forfeit"] or "") if public else "",
        forfeit_at=row["result__forfeit_at"] if public else None,
        rating_before=points(row["result__rating_before"]) if public else None,
        rating_after=points(row["result__rating_after"]) if public else None,
    )


def _deal(row: Mapping[str, Any]) -> DealDocument:
    return DealDocument(
        series=row["block__series__name"],
        number=row["block__number"],
        commitment=row["block__commitment"],
        seed=bytes(row["block__seed"]).hex() if row["open"] else None,
        games=[DealGame(id=game.pk, status=game.status) for game in games_of(row["block"])],
    )


def _occupant(part: Occupancy) -> OccupantDocument:
    return OccupantDocument(
        seat=part.seat,
        bot=part.bot,
        name=part.name,
        version=part.version,
        from_move=part.from_move,
        to_move=part.to_move,
    )


def _ledger(match_id: int) -> LedgerNumbers:
    numbers = {row["kind"]: row["number"] for row in _NUMBERS(match=match_id)}
    return LedgerNumbers(result=numbers.get("result"), void=numbers.get("void"))


# --- Records, logs and replays ---------------------------------------------------------------------------------------

_MATCHES: Final = Match.objects.select_related("ladder").only("status", "ladder__seats")
_SCORES: Final = [{"money": 95, "gems": [3, 2, 4, 1]}, {"money": 81, "gems": [1, 2, 0, 5]}]
_OUTCOME: Final = {"ranks": [1, 2], "scores": _SCORES}
_HEAD: Final = {"game": _DUEL, "rules": "1", "seats": 2, "commitment": EXAMPLE_DIGEST, "outcome": _OUTCOME}
_STEP: Final = {"chance": "age_order", "seats": [1, 0]}


class Record(Reading):
    """Returns the game record (`game-record/1`). For a match without a result, returns its deal (`match-log/1`).

    The record is public after the last match with the same deal. Its schema is `/games/{slug}/schemas/record`.
    """

    @operation(
        "record",
        "Get the record of a match",
        example={"format": "game-record/1", **_HEAD, "seed": EXAMPLE_DIGEST, "steps": [_STEP]},
    )
    def get(self, request: Request, match_id: int) -> HttpResponseBase:
        match = match_among(_MATCHES, self.viewer, match_id)
        record = sent_record_of(match)
        if record is not None:
            return stored_json(request._request, record.packed, record.tag)
        log = match_log_of(match)
        if log is None:
            raise _closed("record", match)
        return Response(log, headers=HEADERS)


class Log(Reading):
    """Returns the events of a finished match that one seat, or the public, could see (`game-log/1`).

    The log is public when the record is. Its schema is `/games/{slug}/schemas/log`.
    """

    parameters = (Number("seat", "Number of the seat, from 0; by default the public log.", most=4),)

    @operation(
        "log",
        "Get the log of a match",
        example={"format": "game-log/1", **_HEAD, "seat": None, "entries": [{"ply": 0, "step": _STEP}]},
    )
    def get(self, request: Request, match_id: int) -> HttpResponse:
        match, seat = match_among(_MATCHES, self.viewer, match_id), self.asked["seat"]
        if seat is not None and seat >= match.ladder.seats:
            raise Http404(f"Seat not found. Match {match_id} has seats 0 to {match.ladder.seats - 1}.")
        log = sent_log_of(match, seat)
        if log is None:
            raise _closed("log", match)
        return stored_json(request._request, log.packed, log.tag)


class Replay(Reading):
    """Returns the first view of the game, a patch for each step, and the move list (`replay/1`).

    The replay is public when the record is.
    """

    @operation("replay", "Get the replay of a match", example={"format": "replay/1"})
    def get(self, request: Request, match_id: int) -> HttpResponse:
        match = match_among(_MATCHES, self.viewer, match_id)
        replay = replay_of(match)
        if replay is None:
            raise _closed("replay", match)
        return stored_json(request._request, replay.packed, replay.tag)


def _closed(what: str, match: Match) -> Http404:
    """Return the error for a match whose record is not public or does not exist."""
    if match.status in (Match.Status.CANCELLED, Match.Status.VOID, Match.Status.ABORTED):
        return Http404(f"Match {match.pk} has no {what}, because it has no result.")
    return Http404(
        f"The {what} of match {match.pk} is not public yet. It becomes public after the last match with the same deal."
    )


# --- All records of a ladder -----------------------------------------------------------------------------------------

MOST_RECORDS: Final = 100_000
ALL_CLIENTS: Final = "all_clients"
"""Identity under which the bulk downloads of all clients are counted together."""


class Records(Reading):
    """At ``/api/v1/ladders/{slug}/records``."""

    throttle_scope = "bulk"
    parameters = (
        Number("after", "Id of the last match that you downloaded; only later games are returned.", example=123),
        Number("limit", "Maximum number of games.", default=MOST_RECORDS, least=1, most=MOST_RECORDS),
    )

    @operation("records", "Download the records of a ladder", media_type="application/gzip")
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Returns gzipped JSON lines with one game per line, in the order in which the blocks ended.

        A game is included one minute after its block has ended. A response can be incomplete because of `limit` or
        the rate limit. Repeat the request with `after` until the response is empty.
        """
        ladder = ladder_seen_by(self.viewer, slug)
        after, most = self.asked["after"], self.asked["limit"]
        who = identity(request._request, request.auth)
        if after is not None and not is_in_file(ladder, after):
            raise Http404(
                f"Match {after} is not in the records of this ladder. Pass the id of the last match you downloaded."
            )
        wait = wait_s("bulk_together", ALL_CLIENTS)
        if wait:
            raise Throttled(wait)

        def may_continue() -> bool:
            return not wait_s("bulk", who) and not wait_s("bulk_together", ALL_CLIENTS)

        pieces = game_pieces(ladder, after, most, may_continue)
        return streamed(request._request, f"{slug}-records.jsonl.gz", pieces, "application/gzip")
