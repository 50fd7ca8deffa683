"""Matches: scheduled, running and finished, with their records, logs and replays."""

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
from esr_platform.accounts.limits import wait_s
from esr_platform.api.authentication import identity
from esr_platform.api.documents import EXAMPLE_DIGEST, Document, Moment, about, choice, operation
from esr_platform.api.parameters import Asked, Choice, Flag, Number, Text, Time
from esr_platform.api.resources.bots import NAMED, OWNER, NamedBot, owner_of
from esr_platform.api.resources.views import HEADERS, Listing, One, Reading
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
from ladder.models import Block, LedgerEntry, Match, Occupant, Outage, Seat
from ladder.openness import opened
from ladder.pages.components.responses import streamed
from ladder.pages.replay import sent
from ladder.ratings.elo import points

# --- Documents -------------------------------------------------------------------------------------------------------

_DUEL: Final = "edel-stein-reich-duel"
_STATUS: Final = choice(Match.Status.values, "Status of the match.", "finished")


class PlayerDocument(NamedBot):
    """The player at a seat. Rank, score and ratings are null if there is no result."""

    seat: Annotated[int, about("Number of the seat, from 0.", 0)]
    version: Annotated[int, about("Number of the version; 1 for human players.", 3)]
    label: Annotated[str, about("The name of a version of a remote bot; else empty.", "")]
    rank: Annotated[int | None, about("Competition rank: two winners are 1, 1, 3.", 1)]
    score: Annotated[
        Any,
        about(
            "The score as the game defines it; null without a result, or if the game ended early.",
            {"money": 95, "gems": [3, 2, 4, 1]},
        ),
    ]
    forfeit: Annotated[
        str, choice(("", *FORFEIT_REASONS), "Why the player lost without playing to the end; else empty.")
    ]
    rating_before: Annotated[float | None, about("Rating before the game, in points.", 1699.286)]
    rating_after: Annotated[float | None, about("Rating after the game, in points.", 1702.413)]


class MatchListed(Document):
    """A scheduled, running or finished match."""

    always = ("id",)

    id: Annotated[int, about("Id of the match.", 51007)]
    ladder: Annotated[str, about("Slug of the ladder.", _DUEL)]
    game: Annotated[str, choice(tuple(GAMES), "Slug of the game.", _DUEL)]
    seats: Annotated[int, about("Number of seats.", 2)]
    season: Annotated[int | None, about("Number of the season.", 2)]
    purpose: Annotated[str, choice(Block.Purpose.values, "Why it is played.", Block.Purpose.LADDER)]
    rated: Annotated[bool, about("Whether it counts for ratings.", True)]
    live: Annotated[bool, about("Whether a human player or a remote bot takes part.", False)]
    status: Annotated[str, _STATUS]
    reason: Annotated[str, about("Why it has no result; else empty.", "")]
    open: Annotated[
        bool, about("Whether its deal, record, log and replay are open: after the last game of its block.", True)
    ]
    created: Annotated[Moment, about("When it was scheduled.")]
    started: Annotated[Moment | None, about("When the last attempt to play it began.")]
    ended: Annotated[Moment | None, about("When it ended.")]
    players: Annotated[list[PlayerDocument], about("The players by seat.")]


class DealGame(Document):
    """A match that is played with a deal."""

    id: Annotated[int, about("Id of the match.", 51007)]
    status: Annotated[str, _STATUS]


class DealDocument(Document):
    """The deal of a match."""

    series: Annotated[str | None, about("Name of the series that the deal comes from.", _DUEL)]
    number: Annotated[int | None, about("Number of the deal in the series.", 5100)]
    commitment: Annotated[str, about("SHA-256 of the seed, hexadecimal. It is public from the start.", EXAMPLE_DIGEST)]
    seed: Annotated[
        str | None, about("The seed, hexadecimal; null until the last game with the deal has ended.", EXAMPLE_DIGEST)
    ]
    games: Annotated[list[DealGame], about("All matches that are played with the deal.")]


class LedgerNumbers(Document):
    """The numbers of a match in the ledger of the ladder."""

    result: Annotated[int | None, about("Number of its result.", 48211)]
    void: Annotated[int | None, about("Number of the correction that made the result void.", None)]


class OccupantDocument(Document):
    """A stretch of a live game in which one player sat at a seat: a human player, or the substitute bot."""

    seat: Annotated[int, about("Number of the seat, from 0.", 0)]
    bot: Annotated[str, about("Slug of the player.", "miriam")]
    name: Annotated[str, about("Name of the player.", "miriam")]
    version: Annotated[int, about("Number of the version.", 1)]
    from_move: Annotated[int, about("The first move, counting from 0 those that were not forced.", 0)]
    to_move: Annotated[int | None, about("The first move of the next player; null at the end of the game.", None)]


class OutageDocument(Document):
    """A time in which the site was unavailable. Running clocks were extended by it."""

    before_move: Annotated[int, about("The next move, counting from 0 those that were not forced.", 4)]
    ended: Annotated[Moment, about("When the site was available again.")]
    ms: Annotated[int, about("How long it was unavailable, in ms.", 12000)]


class MatchDocument(MatchListed):
    """A match with its deal and its numbers in the ledger."""

    deal: Annotated[DealDocument, about("The deal.")]
    ledger: Annotated[LedgerNumbers, about("The numbers in the ledger.")]
    occupants: Annotated[
        list[OccupantDocument], about("Who sat where in a game with human players; empty until it is open.", [])
    ]
    outages: Annotated[
        list[OutageDocument], about("Outages of the site during a live game; empty until it is open.", [])
    ]


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
    Choice("status", "Only matches with this status.", words=Match.Status.values, example="finished"),
    Flag("rated", "Only rated matches, or only unrated ones."),
    Choice("purpose", "Only matches that are played for this purpose.", words=Block.Purpose.values),
    Number("season", "Only matches of the season with this number.", least=1),
    Time("ended_from", "Only matches that ended at this time or later."),
    Time("ended_before", "Only matches that ended before this time."),
)
_LADDER: Final = Text("ladder", "Only matches of this ladder.", example="edel-stein-reich-4")
_GAME: Final = Choice("game", "Only matches of this game.", words=tuple(GAMES))
_BOT_NAMED: Final = Text("bot", "Only matches with this bot.", example="house-greedy")
_WITH: Final = Text("with", "Only matches that also have this bot.", example="house-random")


class _Matches(Listing):
    """A list of matches."""

    document = MatchListed

    def listed(self, matches: QuerySet[Match, dict[str, Any]]) -> Response:
        """The requested part of ``matches``, which are rows of ``_LISTED``; two queries."""
        for name in ("bot", "with"):
            if self.asked.get(name):
                matches = with_seats_of(matches, BotVersion.objects.filter(bot__slug=self.asked[name]))
        wanted = _wanted(self.asked)
        part = self.part(matches.filter(wanted) if wanted else matches)
        seats = _seats([row["pk"] for row in part])
        return self.answer([_match(row, seats[row["pk"]]) for row in part])


class Matches(_Matches):
    """Matches of all ladders, the newest first."""

    parameters = (_LADDER, _GAME, _BOT_NAMED, _WITH, *_FILTERS)

    @operation("matches", "List matches")
    def get(self, _request: Request) -> Response:
        matches = (among_matches_seen_by if _few(self.asked) else matches_in_order_seen_by)(self.viewer, _LISTED)
        if self.asked["ladder"]:
            matches = _LISTED.filter(ladder=ladder_seen_by(self.viewer, self.asked["ladder"]))
        if self.asked["game"]:
            matches = matches.filter(ladder__game=self.asked["game"])
        return self.listed(matches)


class LadderMatches(_Matches):
    """Matches of a ladder, the newest first."""

    parameters = (_BOT_NAMED, _WITH, *_FILTERS)

    @operation("ladder_matches", "List the matches of a ladder")
    def get(self, _request: Request, slug: str) -> Response:
        return self.listed(_LISTED.filter(ladder=ladder_seen_by(self.viewer, slug)))


class BotMatches(_Matches):
    """Matches of a bot, the newest first."""

    parameters = (_LADDER, _WITH, *_FILTERS)

    @operation("bot_matches", "List the matches of a bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot = bot_seen_by(self.viewer, slug, NAMED)
        matches = with_seats_of(among_matches_seen_by(self.viewer, _LISTED), bot.versions.all())
        if self.asked["ladder"]:
            matches = matches.filter(ladder=ladder_seen_by(self.viewer, self.asked["ladder"]))
        return self.listed(matches)


class OneMatch(One):
    """A match with its deal and its numbers in the ledger."""

    document = MatchDocument

    @operation("match", "Get a match")
    def get(self, _request: Request, match_id: int) -> Response:
        row = match_among(_WITH_DEAL, self.viewer, match_id)
        listed = _match(row, _seats([match_id])[match_id])
        told = row["open"] and row["block__purpose"] in Block.DRIVEN_BY_REQUESTS  # numbers of moves tell hidden ones
        return self.answer(
            MatchDocument(
                **asdict(listed),
                deal=_deal(row),
                ledger=_ledger(match_id),
                occupants=_occupants(match_id) if told else [],
                outages=[OutageDocument(**one) for one in _OUTAGES(match=match_id)] if told else [],
            )
        )


def _wanted(asked: Asked) -> Q:
    """The filters that every list of matches has."""
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
    """Whether few matches may pass the filters, so that an index finds them sooner than reading in order does."""
    return bool(asked["bot"] or asked["with"] or (asked["status"] or Match.Status.FINISHED) != Match.Status.FINISHED)


def _seats(matches: Sequence[int]) -> Mapping[int, list[dict[str, Any]]]:
    """The seats of matches, by match; one query."""
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in _SEATS(matches=matches):
        found[row["match"]].append(row)
    return found


def _match(row: Mapping[str, Any], seats: Sequence[Mapping[str, Any]]) -> MatchListed:
    """A match from a row of ``_MATCH`` and ``_OPEN``."""
    purpose, over = row["block__purpose"], row["status"] == Match.Status.FINISHED
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
        players=[_player(seat, over) for seat in seats],
    )


def _player(row: Mapping[str, Any], over: bool) -> PlayerDocument:
    """The player at a seat. A result that does not count is not shown."""
    return PlayerDocument(
        seat=row["index"],
        bot=row[f"{_BOT}slug"],
        name=row[f"{_BOT}name"],
        **owner_of(row, _BOT),
        version=row["version__number"],
        label=row["version__label"],
        rank=row["result__rank"] if over else None,
        score=row["result__score"] if over and has_score(row["result__score"]) else None,
        forfeit=(row["result__forfeit"] or "") if over else "",
        rating_before=points(row["result__rating_before"]) if over else None,
        rating_after=points(row["result__rating_after"]) if over else None,
    )


def _deal(row: Mapping[str, Any]) -> DealDocument:
    return DealDocument(
        series=row["block__series__name"],
        number=row["block__number"],
        commitment=row["block__commitment"],
        seed=bytes(row["block__seed"]).hex() if row["open"] else None,
        games=[DealGame(id=one["pk"], status=one["status"]) for one in _GAMES(block=row["block"])],
    )


def _occupants(match_id: int) -> list[OccupantDocument]:
    return [
        OccupantDocument(
            seat=one["seat__index"],
            bot=one["version__bot__slug"],
            name=one["version__bot__name"],
            version=one["version__number"],
            from_move=one["from_move"],
            to_move=one["to_move"],
        )
        for one in _OCCUPANTS(match=match_id)
    ]


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
    """The game record (`game-record/1`), or the deal of a match without a result (`match-log/1`).

    It is open after the last game with the same deal. `/games/{slug}/schemas/record` describes it.
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
            return sent(request._request, record)
        log = match_log_of(match)
        if log is None:
            raise _closed("record", match)
        return Response(log, headers=HEADERS)


class Log(Reading):
    """What one seat, or everybody, could see of a finished game (`game-log/1`).

    It is open when the record is. `/games/{slug}/schemas/log` describes it.
    """

    parameters = (Number("seat", "The seat, from 0. By default the log of everybody.", most=4),)

    @operation(
        "log",
        "Get the log of a match",
        example={"format": "game-log/1", **_HEAD, "seat": None, "entries": [{"ply": 0, "step": _STEP}]},
    )
    def get(self, request: Request, match_id: int) -> HttpResponse:
        match, seat = match_among(_MATCHES, self.viewer, match_id), self.asked["seat"]
        if seat is not None and seat >= match.ladder.seats:
            raise Http404(f"Match {match_id} has seats 0 to {match.ladder.seats - 1}.")
        log = sent_log_of(match, seat)
        if log is None:
            raise _closed("log", match)
        return sent(request._request, log)


class Replay(Reading):
    """The game as its first view, a patch for each step, and sentences (`replay/1`). It is open when the record is."""

    @operation("replay", "Get the replay of a match", example={"format": "replay/1"})
    def get(self, request: Request, match_id: int) -> HttpResponse:
        match = match_among(_MATCHES, self.viewer, match_id)
        found = replay_of(match)
        if found is None:
            raise _closed("replay", match)
        return sent(request._request, found)


def _closed(what: str, match: Match) -> Http404:
    """The error for a match whose record is not open yet, or that has no record."""
    if match.status in (Match.Status.CANCELLED, Match.Status.VOID, Match.Status.ABORTED):
        return Http404(f"Match {match.pk} has no result, so it has no {what}.")
    return Http404(f"The {what} of match {match.pk} opens when the last game of its deal has ended.")


# --- All records of a ladder -----------------------------------------------------------------------------------------

MOST_RECORDS: Final = 100_000
EVERYBODY: Final = "everybody"
"""The identity that counts the bulk downloads of all clients."""


class Records(Reading):
    """At ``/api/v1/ladders/{slug}/records``."""

    throttle_scope = "bulk"
    parameters = (
        Number("after", "Only games after this one: `match` of the last line that you have.", example=123),
        Number("limit", "The maximum number of games.", default=MOST_RECORDS, least=1, most=MOST_RECORDS),
    )

    @operation("records", "Download all records of a ladder", media_type="application/gzip")
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Gzipped JSON lines, one game per line, in the order in which their blocks ended.

        A game is included one minute after the end of its block. A response may end before the last game, at `limit`
        or at the rate limit of a client. Ask again with `after` until a response is empty.
        """
        ladder = ladder_seen_by(self.viewer, slug)
        after, most = self.asked["after"], self.asked["limit"]
        who = identity(request._request, request.auth)
        if after is not None and not is_in_file(ladder, after):
            raise Http404(f"Match {after} is no line of this file. Name the last one that you have.")
        wait = wait_s("bulk_together", EVERYBODY)
        if wait:
            raise Throttled(wait)

        def go_on() -> bool:
            return not wait_s("bulk", who) and not wait_s("bulk_together", EVERYBODY)

        found = game_pieces(ladder, after, most, go_on)
        response = streamed(request._request, f"{slug}-records.jsonl.gz", found, "application/gzip")
        response["Content-Encoding"] = "identity"  # the file is compressed already
        return response
