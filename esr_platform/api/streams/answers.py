"""Answers to decisions, and what human players do at a table besides moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from time import monotonic
from types import MappingProxyType
from typing import Any, Final

import orjson
from django.http import HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework.request import Request

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.accounts.sessions import Browser
from esr_platform.api.authentication import player_of
from esr_platform.api.http import CONTENT_TYPE, Refusal, problem, refusals
from esr_platform.api.streams.browser import (
    EITHER,
    JSON,
    WRITES,
    BrowserAuthentication,
    PlaysHere,
    SitsHere,
    browser_of,
)
from esr_platform.api.streams.seat import rematch_shown, seat_here
from esr_platform.api.streams.view import ARRIVED, LiveView
from esr_platform.languages import chosen
from ladder import chat
from ladder.live import actions
from ladder.live.answers import AnswerVerdict, JudgedAnswer, answer, answer_seat
from ladder.matchmaking import proposals
from ladder.matchmaking.guests import guest_at
from ladder.models import Match

# --- Answers ---------------------------------------------------------------------------------------------------------

_STATUSES: Final = {
    AnswerVerdict.OTHER: (
        HTTPStatus.CONFLICT,
        "The decision was already answered with another move, see 'played'. Continue with the next decision.",
    ),
    AnswerVerdict.LATE: (
        HTTPStatus.CONFLICT,
        "The answer came after the deadline. See 'played' for the move that counts. Continue with the next decision.",
    ),
    AnswerVerdict.REFUSED: (HTTPStatus.UNPROCESSABLE_ENTITY, ""),
    AnswerVerdict.WRONG_ID: (
        HTTPStatus.BAD_REQUEST,
        "The id in the answer differs from the decision number in the URL. No move was played.",
    ),
    AnswerVerdict.UNKNOWN: (
        HTTPStatus.NOT_FOUND,
        "This decision was not sent to your bot. GET /api/v1/bot/decision returns the open decision.",
    ),
}


_TO_PEOPLE: Final = {
    **_STATUSES,
    AnswerVerdict.UNKNOWN: (
        HTTPStatus.NOT_FOUND,
        "This decision has not been sent to your seat yet. Open decisions arrive in the stream of the seat.",
    ),
}


class Decision(LiveView):
    """At ``/api/v1/matches/{match}/decisions/{number}``."""

    scope = Scope.PLAY
    authentication_classes = EITHER
    permission_classes = [PlaysHere]

    @property
    def throttle_scope(self) -> str:
        return WRITES if isinstance(self.request.auth, Browser) else "play"

    def post(self, request: Request, match: int, number: int) -> HttpResponse:
        """``request.body`` has at most 64 KiB and one byte, which shows that it was longer."""
        arrived, body = request.META.get(ARRIVED, monotonic()), request._request.body
        if isinstance(request.auth, Token):
            bot = _player(request.auth, request.query_params.get("bot", ""))
            return _respond(answer(match, bot, number, body, arrived), match, number)
        seat = seat_here(request, match)
        with translation.override(chosen(request._request)):
            judged = answer_seat(match, seat, number, body, arrived)
        return _respond_to_person(judged, match, number)


def _respond_to_person(judged: JudgedAnswer, match: int, number: int) -> HttpResponse:
    """The response for a person. Unlike for bots, an illegal answer costs nothing: they can send another one."""
    if judged.verdict != AnswerVerdict.REFUSED:
        return _respond(judged, match, number, _TO_PEOPLE)
    content = {"game": match, "decision": number, "question": judged.question}
    known = {name: value for name, value in content.items() if value is not None}
    sentence = judged.detail.rstrip(".") + "."
    document = problem(HTTPStatus.UNPROCESSABLE_ENTITY, judged.code, sentence, **known)
    return _response(HTTPStatus.UNPROCESSABLE_ENTITY, document, CONTENT_TYPE)


def _player(token: Token, named: str) -> int:
    """The id of the bot that answers. No query is needed if the token belongs to one bot."""
    if token.bot is not None and named in ("", token.bot.slug):
        return token.bot.pk
    return player_of(token, named).pk


def _respond(
    judged: JudgedAnswer,
    match: int,
    number: int,
    statuses: Mapping[AnswerVerdict, tuple[HTTPStatus, str]] = MappingProxyType(_STATUSES),
) -> HttpResponse:
    content: dict[str, Any] = {"game": match, "decision": number, "played": judged.move}
    if judged.verdict in (AnswerVerdict.PLAYED, AnswerVerdict.SAME):
        return _response(HTTPStatus.OK, content, "application/json")
    status, sentence = statuses[judged.verdict]
    if judged.verdict == AnswerVerdict.REFUSED:
        sentence = f"{judged.detail.rstrip('.')}. The default move was played, and your bot got a strike."
        content["question"] = judged.question
    if judged.default:
        content["default"] = judged.default
    known = {name: value for name, value in content.items() if value is not None}
    return _response(status, problem(status, judged.code, sentence, **known), CONTENT_TYPE)


def _response(status: HTTPStatus, document: dict[str, Any], kind: str) -> HttpResponse:
    return HttpResponse(orjson.dumps(document), status=status, content_type=kind)


# --- Actions ---------------------------------------------------------------------------------------------------------

MOST_BYTES: Final = 4096
"""Maximum size of the body of an action."""

Sent = Mapping[str, Any]
Act = Callable[[int, int, User | None, Sent], dict[str, Any]]
"""An action: takes the match, the seat, its person and the document of the request; returns the response document."""


def _of_rights(act: Callable[[int, int], None]) -> Act:
    def done(match: int, seat: int, person: User | None, sent: Sent) -> dict[str, Any]:  # noqa: ARG001
        act(match, seat)
        return {}

    return done


def _chat(match: int, seat: int, person: User | None, sent: Sent) -> dict[str, Any]:
    text, preset = sent.get("text", ""), sent.get("preset", "")
    if not isinstance(text, str) or not isinstance(preset, str) or bool(text) == bool(preset):
        raise Refused(_("Send either `text` or `preset`."), code="no_message")
    return {"line": chat.say(match, seat, _signed_in(person), text=text, preset=preset)}


def _report(match: int, seat: int, person: User | None, sent: Sent) -> dict[str, Any]:  # noqa: ARG001
    line = sent.get("line")
    if not isinstance(line, int) or isinstance(line, bool) or not 0 < line < 2**63:
        raise Refused(_("Send the id of the chat message as `line`."), code="no_line")
    chat.report(match, line, _signed_in(person))
    return {"line": line}


def _rematch(match: int, seat: int, person: User | None, sent: Sent) -> dict[str, Any]:
    want = sent.get("want", True)
    if not isinstance(want, bool):
        raise Refused(
            _("`want` must be true (offer or accept a rematch) or false (withdraw or decline it)."), code="wrong_want"
        )
    by = guest_at(match, seat) if person is None else person
    played = Match.objects.select_related("ladder", "block", "table").get(pk=match)
    if want:
        proposals.rematch(played, by)
    else:
        proposals.call_off(played, by)
    return {"rematch": rematch_shown(match)}


def _signed_in(person: User | None) -> User:
    if person is None:
        raise Refused(_("Guests cannot use the chat. Create an account to use it."), code="guest")
    return person


ACTS: Final[Mapping[str, Act]] = {
    "resign": _of_rights(actions.resign),
    "abort": _of_rights(actions.abort),
    "claim": _of_rights(actions.claim),
    "return": _of_rights(actions.return_to_seat),
    "rematch": _rematch,
    "chat": _chat,
    "report": _report,
}
"""By the last segment of the URL."""


class SeatAction(LiveView):
    """At ``/api/v1/matches/{match}/seat/{act}``, each of ``ACTS``."""

    authentication_classes = [BrowserAuthentication]
    permission_classes = [SitsHere]
    throttle_scope = WRITES
    act = ""

    def post(self, request: Request, match: int) -> HttpResponse:
        """Run the action. Raises ``Refusal`` with a message in the reader's language."""
        seat = seat_here(request, match)
        with translation.override(chosen(request._request)), refusals():
            outcome = ACTS[self.act](match, seat, browser_of(request).user, _sent(request._request.body))
        return HttpResponse(orjson.dumps({"game": match, "seat": seat, **outcome}), content_type=JSON)


def _sent(body: bytes) -> Sent:
    """The document of the request; an empty one without a body. Raises ``Refusal``."""
    try:
        document = orjson.loads(body) if body and len(body) <= MOST_BYTES else {} if not body else None
    except orjson.JSONDecodeError:
        document = None
    if not isinstance(document, dict):
        raise Refusal(
            HTTPStatus.BAD_REQUEST,
            "invalid",
            f"The body is not one JSON object of at most {MOST_BYTES:,} bytes. Send one object.",
        )
    return document
