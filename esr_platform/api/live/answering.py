"""Answers to decisions. What becomes of one is judged by ``ladder.tables.answering``; here it gets its status."""

from __future__ import annotations

from http import HTTPStatus
from time import monotonic
from typing import Any, Final

import orjson
from django.http import HttpResponse
from rest_framework.request import Request

from esr_platform.accounts.models import Scope, Token
from esr_platform.api.live import threads
from esr_platform.api.live.view import ARRIVED, LiveView
from esr_platform.api.players import player_of
from esr_platform.api.problems import CONTENT_TYPE, problem
from ladder.tables.answering import Ruling, Verdict, answer

_STATUSES: Final = {
    Verdict.OTHER: (
        HTTPStatus.CONFLICT,
        "answered",
        "This decision has another answer already: 'played' is what counts. Go on with the next one.",
    ),
    Verdict.LATE: (
        HTTPStatus.CONFLICT,
        "late",
        "This answer came too late: 'played' is what was played instead. Go on with the next decision.",
    ),
    Verdict.REFUSED: (HTTPStatus.UNPROCESSABLE_ENTITY, "refused", ""),
    Verdict.WRONG_ID: (
        HTTPStatus.BAD_REQUEST,
        "wrong_id",
        "The id in the answer is not the one in the address. Nothing was played; send it to its own decision.",
    ),
    Verdict.UNKNOWN: (
        HTTPStatus.NOT_FOUND,
        "not_asked",
        "Your bot was not asked this decision. GET /api/v1/bot/decision has the one that is open.",
    ),
}


class Decision(LiveView):
    """At ``/api/v1/games/{match}/decisions/{number}``."""

    scope = Scope.PLAY
    throttle_scope = "play"

    async def post(self, request: Request, match: int, number: int) -> HttpResponse:
        """``request.body`` is what the server keeps of it: 64 KiB, and a byte more where it was longer."""
        arrived = request.META.get(ARRIVED, monotonic())
        ruling = await threads.write(_answer, request, match, number, arrived)
        return _said(ruling, match, number)


def _answer(request: Request, match: int, number: int, arrived: float) -> Ruling:
    token = request.auth
    assert isinstance(token, Token)
    bot = _player(token, request.query_params.get("bot", ""))
    return answer(match, bot, number, request._request.body, arrived)


def _player(token: Token, named: str) -> int:
    """The bot that answers, by id; nobody is asked for it where the token itself says so."""
    if token.bot is not None and named in ("", token.bot.slug):
        return token.bot.pk
    return player_of(token, named).pk


def _said(ruling: Ruling, match: int, number: int) -> HttpResponse:
    found: dict[str, Any] = {"game": match, "decision": number, "played": ruling.move}
    if ruling.verdict in (Verdict.PLAYED, Verdict.SAME):
        return _response(HTTPStatus.OK, found, "application/json")
    status, code, sentence = _STATUSES[ruling.verdict]
    if ruling.verdict == Verdict.REFUSED:
        code = ruling.default
        sentence = f"{ruling.detail.rstrip('.')}. The default move was played, and it is a strike."
        found["question"] = ruling.question
    if ruling.default:
        found["default"] = ruling.default
    known = {name: value for name, value in found.items() if value is not None}
    return _response(status, problem(status, code, sentence, **known), CONTENT_TYPE)


def _response(status: HTTPStatus, document: dict[str, Any], kind: str) -> HttpResponse:
    return HttpResponse(orjson.dumps(document), status=status, content_type=kind)
