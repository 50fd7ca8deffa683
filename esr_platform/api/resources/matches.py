"""Matches: scheduled, running and finished, with their records, logs and replays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import BotVersion
from esr_platform.api.resources.bots import NAMED, OWNER, owner_of
from esr_platform.api.resources.documents import MatchDocument, MatchListed
from esr_platform.api.resources.views import HEADERS, Asked, Choice, Flag, Listing, Moment, Number, One, Reading, Text
from esr_platform.prepared import Prepared
from games.outcomes import has_score
from games.registry import GAMES
from ladder.access import (
    among_matches_seen_by,
    bot_seen_by,
    ladder_seen_by,
    match_among,
    matches_in_order_seen_by,
    with_seats_of,
)
from ladder.exports.documents import match_log_of, replay_of, sent_log_of, sent_record_of
from ladder.models import Block, LedgerEntry, Match, Occupant, Outage, Seat
from ladder.openness import opened
from ladder.pages.replay import sent
from ladder.ratings.elo import points

# --- Matches ---------------------------------------------------------------------------------------------------------

_MATCH: Final = (
    *("ladder__slug", "ladder__game", "ladder__seats", "block__series__season__number", "block__purpose"),
    *("status", "reason", "created", "started", "ended"),
)
_OPEN: Final = ExpressionWrapper(opened("block"), output_field=BooleanField())
_LISTED: Final = Match.objects.values("pk", *_MATCH, open=_OPEN)
_DEAL: Final = ("block", "block__series__name", "block__number", "block__commitment", "block__seed")
_WITH_DEAL: Final = Match.objects.values("pk", *_MATCH, *_DEAL, open=_OPEN)
_BOT: Final = "version__bot__"
_SEAT: Final = (
    *("match", "index", f"{_BOT}slug", f"{_BOT}name", *(f"{_BOT}{name}" for name in OWNER)),
    *("version__number", "version__label", "result__rank", "result__score", "result__forfeit"),
    *("result__rating_before", "result__rating_after"),
)
_SEATS: Final = Prepared(
    lambda matches: Seat.objects.filter(match__pk__in=matches).order_by("match", "index").values(*_SEAT)
)
_GAMES: Final = Prepared(
    lambda block: Match.objects.filter(block__pk=block).order_by("lineup", "seating").values("pk", "status")
)
_NUMBERS: Final = Prepared(
    lambda match: LedgerEntry.objects.filter(result__match__pk=match).order_by().values("kind", "number")
)
_OUTAGES: Final = Prepared(
    lambda match: Outage.objects.filter(match__pk=match).order_by("ended").values("before_move", "ended", "ms")
)
_OCCUPANTS: Final = Prepared(
    lambda match: (
        Occupant.objects.filter(match__pk=match)
        .order_by("seat__index", "from_move", "pk")
        .values(*("seat__index", "version__bot__slug", "version__bot__name", "version__number"), "from_move", "to_move")
    )
)
_FILTERS: Final = (
    Choice("status", "only games that are there", words=Match.Status.values, example="finished"),
    Flag("rated", "only games that count for ratings, or only those that do not"),
    Choice("purpose", "only games that are played for that", words=Block.Purpose.values),
    Number("season", "only games of the season with this number", least=1),
    Moment("ended_from", "only games that ended then or later"),
    Moment("ended_before", "only games that ended before then"),
)
_LADDER: Final = Text("ladder", "only games of this ladder", example="edel-stein-reich-4")
_GAME: Final = Choice("game", "only games of this kind", words=tuple(GAMES))
_BOT_NAMED: Final = Text("bot", "only games with this bot at the table", example="house-greedy")
_WITH: Final = Text("with", "only games with this bot at the table, too", example="house-random")


class _Matches(Listing):
    """A list of matches that somebody may know of."""

    document = MatchListed

    def listed(self, matches: QuerySet[Match, dict[str, Any]]) -> Response:
        """Those of ``matches``, rows of ``_LISTED``, that are asked for; two queries."""
        wanted = _wanted(self.asked)
        part = self.part(matches.filter(wanted) if wanted else matches)
        return self.answer(part, documents(part[: self.asked["limit"]]))


class Matches(_Matches):
    """Matches of everybody, the newest first."""

    parameters = (_LADDER, _GAME, _BOT_NAMED, _WITH, *_FILTERS)

    @extend_schema(operation_id="matches", summary="Matches")
    def get(self, _request: Request) -> Response:
        matches = (among_matches_seen_by if _few(self.asked) else matches_in_order_seen_by)(self.viewer, _LISTED)
        if self.asked["ladder"]:
            matches = _LISTED.filter(ladder=ladder_seen_by(self.viewer, self.asked["ladder"]))
        if self.asked["game"]:
            matches = matches.filter(ladder__game=self.asked["game"])
        for name in ("bot", "with"):
            if self.asked[name]:
                matches = _of_bot(matches, self.asked[name])
        return self.listed(matches)


class LadderMatches(_Matches):
    """Matches of one ladder, the newest first."""

    parameters = (_BOT_NAMED, _WITH, *_FILTERS)

    @extend_schema(operation_id="ladder_matches", summary="Matches of a ladder")
    def get(self, _request: Request, slug: str) -> Response:
        matches = _LISTED.filter(ladder=ladder_seen_by(self.viewer, slug))
        for name in ("bot", "with"):
            if self.asked[name]:
                matches = _of_bot(matches, self.asked[name])
        return self.listed(matches)


class BotMatches(_Matches):
    """Matches with one bot at the table, the newest first."""

    parameters = (_LADDER, _WITH, *_FILTERS)

    @extend_schema(operation_id="bot_matches", summary="Matches of a bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot = bot_seen_by(self.viewer, slug, NAMED)
        matches = with_seats_of(among_matches_seen_by(self.viewer, _LISTED), bot.versions.all())
        if self.asked["ladder"]:
            matches = matches.filter(ladder=ladder_seen_by(self.viewer, self.asked["ladder"]))
        if self.asked["with"]:
            matches = _of_bot(matches, self.asked["with"])
        return self.listed(matches)


class OneMatch(One):
    """One match, with its deal and its numbers in the ladder's ledger."""

    document = MatchDocument
    always = ("id",)

    @extend_schema(operation_id="match", summary="A match")
    def get(self, _request: Request, match_id: int) -> Response:
        row = match_among(_WITH_DEAL, self.viewer, match_id)
        whole = {"deal": _deal(row), "ledger": _ledger(match_id), "occupants": _occupants(row)}
        whole["outages"] = _outages(row)
        return self.answer({**documents([row])[0], **whole})


def documents(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The documents of matches that a query gave as rows of ``_MATCH`` and ``_OPEN``; one query for all seats."""
    seats = _seats(row["pk"] for row in rows)
    return [_document(row, seats[row["pk"]]) for row in rows]


def _wanted(asked: Asked) -> Q:
    """What of matches is asked for, whichever list it is."""
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


def _few(asked: Asked) -> bool:
    """Whether only few matches may be wanted, so that an index finds them sooner than reading in order does."""
    return bool(asked["bot"] or asked["with"] or (asked["status"] or Match.Status.FINISHED) != Match.Status.FINISHED)


def _of_bot(matches: QuerySet[Match, dict[str, Any]], slug: str) -> QuerySet[Match, dict[str, Any]]:
    return with_seats_of(matches, BotVersion.objects.filter(bot__slug=slug))


def _seats(matches: Iterable[int]) -> Mapping[int, list[dict[str, Any]]]:
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in _SEATS(matches=list(matches)):
        found[row["match"]].append(row)
    return found


def _document(row: Mapping[str, Any], seats: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    purpose, over = row["block__purpose"], row["status"] == Match.Status.FINISHED
    return {
        "id": row["pk"],
        "ladder": row["ladder__slug"],
        "game": row["ladder__game"],
        "seats": row["ladder__seats"],
        "season": row["block__series__season__number"],
        "purpose": purpose,
        "rated": purpose in Block.RATED,
        "live": purpose in Block.DRIVEN_BY_REQUESTS,
        "status": row["status"],
        "reason": row["reason"],
        "open": row["open"],
        "created": row["created"],
        "started": row["started"],
        "ended": row["ended"],
        "players": [_player(seat, over) for seat in seats],
    }


def _player(row: Mapping[str, Any], over: bool) -> dict[str, Any]:
    """A seat; of a result that does not count any more, nothing is told."""
    return {
        "seat": row["index"],
        "bot": row[f"{_BOT}slug"],
        "name": row[f"{_BOT}name"],
        **owner_of(row, _BOT),
        "version": row["version__number"],
        "label": row["version__label"],
        "rank": row["result__rank"] if over else None,
        "score": row["result__score"] if over and has_score(row["result__score"]) else None,
        "forfeit": (row["result__forfeit"] or "") if over else "",
        "rating_before": points(row["result__rating_before"]) if over else None,
        "rating_after": points(row["result__rating_after"]) if over else None,
    }


def _deal(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "series": row["block__series__name"],
        "number": row["block__number"],
        "commitment": row["block__commitment"],
        "seed": bytes(row["block__seed"]).hex() if row["open"] else None,
        "games": [{"id": one["pk"], "status": one["status"]} for one in _GAMES(block=row["block"])],
    }


def _occupants(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Who sat where from when to when; nothing before the game is open: numbers of moves tell of what is hidden."""
    if not row["open"] or row["block__purpose"] not in Block.DRIVEN_BY_REQUESTS:
        return []
    return [
        {
            "seat": one["seat__index"],
            "bot": one["version__bot__slug"],
            "name": one["version__bot__name"],
            "version": one["version__number"],
            "from_move": one["from_move"],
            "to_move": one["to_move"],
        }
        for one in _OCCUPANTS(match=row["pk"])
    ]


def _outages(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """When the site was unavailable; nothing before the game is open, as of sittings."""
    if not row["open"] or row["block__purpose"] not in Block.DRIVEN_BY_REQUESTS:
        return []
    return [dict(one) for one in _OUTAGES(match=row["pk"])]


def _ledger(match_id: int) -> dict[str, int | None]:
    numbers = {row["kind"]: row["number"] for row in _NUMBERS(match=match_id)}
    return {kind: numbers.get(kind) for kind in ("result", "void")}


# --- Records, logs and replays ---------------------------------------------------------------------------------------

_MATCHES: Final = Match.objects.select_related("ladder").only("status", "ladder__seats")
_SEEN_BY: Final = Number("seat", "what this seat saw, from 0; without it, what everybody saw", most=4)


class Record(Reading):
    """The whole game (`game-record/1`), or the deal of one that ended without a result (`match-log/1`).

    It opens when the last game of its deal has ended. `/games/{slug}/schemas/record` says what it looks like.
    """

    @extend_schema(operation_id="record", summary="The record of a match", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, match_id: int) -> HttpResponseBase:
        match = match_among(_MATCHES, self.viewer, match_id)
        record = sent_record_of(match)
        if record is not None:
            return sent(request._request, record)
        log = match_log_of(match)
        if log is None:
            raise _closed("record", match)
        return Response(log, headers=HEADERS)


class Log(Reading):
    """What one seat, or everybody, was allowed to see of a game that has ended (`game-log/1`).

    It opens with the record. `/games/{slug}/schemas/log` says what it looks like.
    """

    parameters = (_SEEN_BY,)

    @extend_schema(operation_id="log", summary="What a seat saw of a match", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, match_id: int) -> HttpResponse:
        match, seat = match_among(_MATCHES, self.viewer, match_id), self.asked["seat"]
        if seat is not None and seat >= match.ladder.seats:
            raise Http404(f"Match {match_id} has seats 0 to {match.ladder.seats - 1}.")
        log = sent_log_of(match, seat)
        if log is None:
            raise _closed("log", match)
        return sent(request._request, log)


class Replay(Reading):
    """The game as a first view, a patch of it a step, and sentences (`replay/1`). It opens with the record."""

    @extend_schema(operation_id="replay", summary="The replay of a match", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, match_id: int) -> HttpResponse:
        match = match_among(_MATCHES, self.viewer, match_id)
        found = replay_of(match)
        if found is None:
            raise _closed("replay", match)
        return sent(request._request, found)


def _closed(what: str, match: Match) -> Http404:
    """Why there is none: either it is not open yet, or there never will be one."""
    if match.status in (Match.Status.CANCELLED, Match.Status.VOID, Match.Status.ABORTED):
        return Http404(f"Match {match.pk} has no result, so it has no {what}.")
    return Http404(f"The {what} of match {match.pk} opens when the last game of its deal has ended.")
