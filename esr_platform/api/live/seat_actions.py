"""What people do at their table beside playing: give up, end it, claim it, come back, talk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

import orjson
from django.http import HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework.request import Request

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from esr_platform.api.live import threads
from esr_platform.api.live.answering import TURNS, whose
from esr_platform.api.live.browser import JSON, WRITES, BrowserAuthentication, SitsHere, browser_of
from esr_platform.api.live.person_news import rematch_shown
from esr_platform.api.live.seat_stream import seat_here
from esr_platform.api.live.view import LiveView
from esr_platform.api.problems import Refusal
from esr_platform.api.writing.refusing import refusals
from esr_platform.languages.choosing import chosen
from ladder import chat
from ladder.live import actions
from ladder.matchmaking import rematches
from ladder.models import Match

MOST_BYTES: Final = 4096
"""So long is what is sent to say something, at most."""

Sent = Mapping[str, Any]
Act = Callable[[int, int, User | None, Sent], dict[str, Any]]
"""What is done at a match for a seat, its person, and what they have sent with it; gives what is answered."""


def _of_rights(act: Callable[[int, int], None]) -> Act:
    def done(match: int, seat: int, person: User | None, sent: Sent) -> dict[str, Any]:  # noqa: ARG001
        act(match, seat)
        return {}

    return done


def _say(match: int, seat: int, person: User | None, sent: Sent) -> dict[str, Any]:
    text, preset = sent.get("text", ""), sent.get("preset", "")
    if not isinstance(text, str) or not isinstance(preset, str) or bool(text) == bool(preset):
        raise Refused(_("Say either words of your own or one of the ready-made sentences."))
    return {"line": chat.say(match, seat, _signed_in(person), text=text, preset=preset)}


def _report(match: int, seat: int, person: User | None, sent: Sent) -> dict[str, Any]:  # noqa: ARG001
    line = sent.get("line")
    if not isinstance(line, int) or isinstance(line, bool) or not 0 < line < 2**63:
        raise Refused(_("Say which line: its number."))
    chat.report(match, line, _signed_in(person))
    return {"line": line}


def _rematch(match: int, seat: int, person: User | None, sent: Sent) -> dict[str, Any]:  # noqa: ARG001
    want = sent.get("want", True)
    if not isinstance(want, bool):
        raise Refused(_("`want` is true to ask for a rematch or accept one, false to withdraw or decline it."))
    if person is None:
        raise Refused(_("Guests cannot ask for a rematch. Start a new game instead."))
    played = Match.objects.select_related("ladder", "block", "table").get(pk=match)
    if want:
        rematches.rematch(played, person)
    else:
        rematches.call_off(played, person)
    return {"rematch": rematch_shown(match)}


def _signed_in(person: User | None) -> User:
    if person is None:
        raise Refused(_("Guests do not talk at tables. Make an account to do so."))
    return person


ACTS: Final[Mapping[str, Act]] = {
    "resign": _of_rights(actions.resign),
    "abort": _of_rights(actions.abort),
    "claim": _of_rights(actions.claim),
    "return": _of_rights(actions.sit_down),
    "rematch": _rematch,
    "chat": _say,
    "report": _report,
}
"""By the last word of the address."""


class SeatAction(LiveView):
    """At ``/api/v1/games/{match}/seat/{act}``, each of ``ACTS``."""

    authentication_classes = [BrowserAuthentication]
    permission_classes = [SitsHere]
    throttle_scope = WRITES
    act = ""

    async def post(self, request: Request, match: int) -> HttpResponse:
        async with TURNS.of(whose(request)):
            seat = await threads.read(seat_here, request, match)
            found = await threads.write(_done, request, match, seat, self.act)
        return HttpResponse(orjson.dumps({"game": match, "seat": seat, **found}), content_type=JSON)


def _done(request: Request, match: int, seat: int, act: str) -> dict[str, Any]:
    """Raises ``Refusal``, with a sentence in the reader's language."""
    with translation.override(chosen(request._request)), refusals():
        return ACTS[act](match, seat, browser_of(request).user, _sent(request._request.body))


def _sent(body: bytes) -> Sent:
    """The document that came; an empty one for nothing. Raises ``Refusal``."""
    try:
        found = orjson.loads(body) if body and len(body) <= MOST_BYTES else {} if not body else None
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Refusal(HTTPStatus.BAD_REQUEST, "invalid", f"Send one JSON object of at most {MOST_BYTES} bytes.")
    return found
