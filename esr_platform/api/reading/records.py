"""What was played, move by move: records, logs and replays of games whose deal is open, and nothing of any other."""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.api.reading.parameters import Number
from esr_platform.api.reading.views import HEADERS, Reading
from ladder.access import match_among
from ladder.exports.documents import match_log_of, replay_of, sent_log_of, sent_record_of
from ladder.models import Match
from ladder.pages.replay import sent

_MATCHES: Final = Match.objects.select_related("ladder").only("status", "ladder__seats")
_SEAT: Final = Number("seat", "what this seat saw, from 0; without it, what everybody saw", most=4)


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

    parameters = (_SEAT,)

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
