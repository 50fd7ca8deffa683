"""A seat's table, and what is done at it without a script. Parse, one call, answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import orjson
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from esr_platform.accounts.errors import Refused
from ladder.access import match_seen_by
from ladder.live import actions, presence
from ladder.live.answers import Ruling, Verdict, answer_seat
from ladder.matchmaking.rematches import call_off
from ladder.matchmaking.rematches import rematch as play_again
from ladder.models import Match
from ladder.pages.lobby.sitting import sitting_page
from ladder.pages.lobby.visitors import person_of, secret_of
from ladder.pages.pacing import of_acts

_ACTS: Final[Mapping[str, Callable[[int, int], None]]] = {
    "resign": actions.resign,
    "abort": actions.abort,
    "claim": actions.claim,
    "return": actions.sit_down,
}


@require_safe
@never_cache
def sit(request: HttpRequest, match_id: int) -> HttpResponse:
    """The table for who sits there; everybody else watches."""
    seat = _seat(request, match_id)
    if seat is None:
        return redirect("pages:match", match_seen_by(request.user, match_id).pk)
    presence.note_seen({match_id: {seat}})  # without a script nothing else says so
    page = sitting_page(match_id, seat, person_of(request))
    if page.match.status != Match.Status.RUNNING:
        return redirect("pages:match", match_id)
    return render(request, "pages/play/table.html", {"page": page})


@require_POST
@never_cache
@of_acts
def answer(request: HttpRequest, match_id: int) -> HttpResponse:
    """Play a move that was chosen in the form."""
    seat = _seat(request, match_id)
    if seat is None:
        return redirect("pages:match", match_seen_by(request.user, match_id).pk)
    sent, number = request.POST.get("move", ""), request.POST.get("decision", "")
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        messages.error(request, _("The form was not whole. Send it once more."))
        return redirect("pages:sit", match_id)
    _say(request, answer_seat(match_id, seat, int(number), _body(sent)))
    return redirect("pages:sit", match_id)


@require_POST
@never_cache
@of_acts
def act(request: HttpRequest, match_id: int) -> HttpResponse:
    """Resign, abort, claim, or take the chair back."""
    seat, does = _seat(request, match_id), _ACTS.get(request.POST.get("do", ""))
    if seat is None:
        return redirect("pages:match", match_seen_by(request.user, match_id).pk)
    try:
        if does is None:
            raise Refused(_("Choose what is to be done."))
        does(match_id, seat)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:sit", match_id)


@require_POST
@never_cache
@login_required
@of_acts
def rematch(request: HttpRequest, match_id: int) -> HttpResponse:
    """Ask for a rematch or accept one; with ``want=no``, withdraw the request or decline it."""
    match, person = match_seen_by(request.user, match_id), person_of(request)
    assert person is not None
    try:
        if request.POST.get("want") == "no":
            call_off(match, person)
        elif begun := play_again(match, person).match_id:
            return redirect("pages:sit", begun)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:match", match.pk)


def _seat(request: HttpRequest, match_id: int) -> int | None:
    """The chair of the visitor at this table; ``None`` where they have none."""
    person = person_of(request)
    if not 0 < match_id < 2**63:
        return None
    return actions.seat_of(match_id, None if person is None else person.pk, secret_of(request))


def _body(sent: str) -> bytes:
    """The answer as programs send it; what is no JSON, or nested too deeply to be written again, is a word."""
    try:
        return orjson.dumps({"move": orjson.loads(sent)})
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return orjson.dumps({"move": sent})


def _say(request: HttpRequest, ruling: Ruling) -> None:
    if ruling.verdict == Verdict.REFUSED:
        messages.error(request, _("That move is not allowed: %(why)s") % {"why": ruling.detail})
    elif ruling.verdict == Verdict.LATE:
        messages.error(request, _("That was too late: the platform has played for you."))
    elif ruling.verdict not in (Verdict.PLAYED, Verdict.SAME):
        messages.error(request, _("That decision is not open any more. Look at the table."))
