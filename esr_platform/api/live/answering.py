"""Answers to decisions, of programs and of people. ``ladder.live.answers`` judges them; here they get a status."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from time import monotonic
from types import MappingProxyType
from typing import Any, Final

import orjson
from django.http import HttpResponse
from django.utils import translation
from rest_framework.request import Request

from esr_platform.accounts.browsers import Browser
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.live import threads
from esr_platform.api.live.browser import EITHER, WRITES, PlaysHere, browser_of
from esr_platform.api.live.seat_stream import seat_here
from esr_platform.api.live.turns import Turns
from esr_platform.api.live.view import ARRIVED, LiveView
from esr_platform.api.players import player_of
from esr_platform.api.problems import CONTENT_TYPE, problem
from esr_platform.api.throttling import identity
from esr_platform.languages.choosing import chosen
from ladder.live.answers import Ruling, Verdict, answer, answer_seat

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


_TO_PEOPLE: Final = {
    **_STATUSES,
    Verdict.UNKNOWN: (
        HTTPStatus.NOT_FOUND,
        "not_asked",
        "Your seat is not asked this decision, or not yet. What it is asked comes by its stream.",
    ),
}

TURNS: Final = Turns()
"""Of browsers that answer: none holds more than one of the threads that all share."""


class Decision(LiveView):
    """At ``/api/v1/games/{match}/decisions/{number}``."""

    scope = Scope.PLAY
    authentication_classes = EITHER
    permission_classes = [PlaysHere]

    @property
    def throttle_scope(self) -> str:
        return WRITES if isinstance(self.request.auth, Browser) else "play"

    async def post(self, request: Request, match: int, number: int) -> HttpResponse:
        """``request.body`` is what the server keeps of it: 64 KiB, and a byte more where it was longer."""
        arrived = request.META.get(ARRIVED, monotonic())
        if not isinstance(request.auth, Browser):
            return _said(await threads.write(_answer, request, match, number, arrived), match, number)
        async with TURNS.of(whose(request)):
            ruling = await threads.write(_answer_of_person, request, match, number, arrived)
        return _said_to_person(ruling, match, number)


def whose(request: Request) -> str:
    """Who waits for their turn: a person, or a guest's browser."""
    browser, known = browser_of(request), identity(request._request, request.auth)
    return known if browser.user is not None else f"{known} {browser.session}"


def _answer_of_person(request: Request, match: int, number: int, arrived: float) -> Ruling:
    """Raises ``Http404``."""
    seat = seat_here(request, match)
    with translation.override(chosen(request._request)):
        return answer_seat(match, seat, number, request._request.body, arrived)


def _said_to_person(ruling: Ruling, match: int, number: int) -> HttpResponse:
    """As for programs, but that what is illegal costs nothing: it was not played, and may be sent better."""
    if ruling.verdict != Verdict.REFUSED:
        return _said(ruling, match, number, _TO_PEOPLE)
    found = {"game": match, "decision": number, "question": ruling.question}
    known = {name: value for name, value in found.items() if value is not None}
    sentence = ruling.detail.rstrip(".") + "."
    document = problem(HTTPStatus.UNPROCESSABLE_ENTITY, ruling.default or "illegal", sentence, **known)
    return _response(HTTPStatus.UNPROCESSABLE_ENTITY, document, CONTENT_TYPE)


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


def _said(
    ruling: Ruling,
    match: int,
    number: int,
    statuses: Mapping[Verdict, tuple[HTTPStatus, str, str]] = MappingProxyType(_STATUSES),
) -> HttpResponse:
    found: dict[str, Any] = {"game": match, "decision": number, "played": ruling.move}
    if ruling.verdict in (Verdict.PLAYED, Verdict.SAME):
        return _response(HTTPStatus.OK, found, "application/json")
    status, code, sentence = statuses[ruling.verdict]
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
