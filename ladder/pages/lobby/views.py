"""The lobby: to see it and to act in it. Parse, one call, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.limits import address
from esr_platform.accounts.models import User
from ladder.access import found
from ladder.matchmaking import challenges, guests, quick_pairing, seeks
from ladder.matchmaking.challenges import challenges_seen_by
from ladder.models import Challenge, Ladder, Match, Seek
from ladder.pages.lobby.challenge import (
    ChallengeForm,
    Opponent,
    challenge_page,
    opponent_at,
    person_opponent,
    proposed,
)
from ladder.pages.lobby.forms import RATED, OfferForm
from ladder.pages.lobby.link import link_page
from ladder.pages.lobby.showing import LobbyPage, house_bots, ladders_for_people, lobby_page
from ladder.pages.lobby.starts import starts
from ladder.pages.lobby.visitors import hash_of, keep_secret, person_of, secret_of
from ladder.pages.pacing import of_acts
from ladder.pages.people.showing import person_at

_REFUSED: Final = 422
_BUSY: Final = 429


@require_safe
@never_cache
def lobby(request: HttpRequest) -> HttpResponse:
    """The lobby, or the table of a game that has begun since the visitor last looked."""
    person = person_of(request)
    if person is not None:
        quick_pairing.seen([person.pk])
    page = _page(request, _offer_form(request, None) if person else None)
    if page.begun is not None:
        return redirect("pages:sit", page.begun.pk)
    return render(request, "pages/play/lobby.html", {"page": page})


@require_POST
@never_cache
@login_required
@of_acts
def offer_seats(request: HttpRequest) -> HttpResponse:
    """Offer seats, or sit down with bots at once."""
    form, person = _offer_form(request, request.POST), _signed_in(request)
    if form.is_valid():
        asked = form.cleaned_data
        rated = asked["counts"] == RATED
        try:
            made = seeks.seek(
                person, form.chosen, rated=rated, clock=asked["clock"], kind=asked["kind"], bots=form.named
            )
            return _to(made)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    return render(request, "pages/play/lobby.html", {"page": _page(request, form)}, status=_REFUSED)


@require_POST
@never_cache
@login_required
@of_acts
def take_seat(request: HttpRequest, seek_id: int) -> HttpResponse:
    seek, person = _seek(request, seek_id), _signed_in(request)
    return _try(request, lambda: _to(seeks.take_seat(seek, person)))


@require_POST
@never_cache
@login_required
@of_acts
def leave_seat(request: HttpRequest, seek_id: int) -> HttpResponse:
    seek, person = _seek(request, seek_id), _signed_in(request)
    return _act(request, lambda: seeks.leave_seat(seek, person), _("You have left the seat."))


@require_POST
@never_cache
@login_required
@of_acts
def withdraw_seek(request: HttpRequest, seek_id: int) -> HttpResponse:
    seek, person = _seek(request, seek_id), _signed_in(request)
    return _act(request, lambda: seeks.withdraw(seek, person), _("You offer these seats no longer."))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@of_acts
def seek_link(request: HttpRequest, token: str) -> HttpResponse:
    """The seats that somebody has sent a link to: who sits there, and a button to sit down."""
    page = link_page(request.user, token)
    if page is None:
        raise Http404(_("Nobody offers seats at this address any more. Ask for a new link."))
    person = person_of(request)
    if request.method != "POST" or person is None:
        return render(request, "pages/play/link.html", {"page": page})
    try:
        return _to(seeks.take_seat(token, person))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("pages:seek_link", token)


@require_POST
@never_cache
@login_required
@of_acts
def look(request: HttpRequest) -> HttpResponse:
    """Look for a rated game."""
    ladder, person = _ladder(request), _signed_in(request)
    return _act(request, lambda: quick_pairing.look_for(person, ladder))


@require_POST
@never_cache
@login_required
@of_acts
def stop_looking(request: HttpRequest) -> HttpResponse:
    person = _signed_in(request)
    return _act(request, lambda: quick_pairing.stop(person))


@require_POST
@never_cache
@of_acts
def play_now(request: HttpRequest) -> HttpResponse:
    """Sit down with house bots at once, signed in or as a guest."""
    ladder, person = _ladder(request), person_of(request)
    if ladder.slug not in {start.slug for start in starts([ladder])}:
        raise Http404(_("Nobody sits down at once there. Choose a game in the lobby."))
    try:
        if person is not None:
            return _to(guests.play_house(person, ladder))
        match, secret = guests.play_now(ladder, secret_of(request), address(request.META))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("pages:lobby")
    keep_secret(request, secret)
    return redirect("pages:sit", match.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@of_acts
def challenge_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Have a hosted bot sit down with oneself, or ask a remote one or a person by the row that plays for them."""
    return _challenge(request, opponent_at(request.user, slug))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@of_acts
def challenge_person(request: HttpRequest, username: str) -> HttpResponse:
    """Ask a person, who may never have played here."""
    return _challenge(request, person_opponent(person_at(username, request.user)))


def _challenge(request: HttpRequest, opponent: Opponent) -> HttpResponse:
    person = _signed_in(request)
    page = challenge_page(person, opponent)
    form = ChallengeForm(page, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _to(proposed(person, page, form))
        except Refused as refusal:
            form.add_error(None, str(refusal))
    status = _REFUSED if form.errors else 200
    return render(request, "pages/play/challenge.html", {"page": page, "form": form}, status=status)


@require_POST
@never_cache
@login_required
@of_acts
def answer_challenge(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """Accept or decline a challenge, or take one's own back."""
    person, said = _signed_in(request), request.POST.get("answer", "")
    otherwise = _("There is no such challenge.")
    made: Challenge = found(challenges_seen_by(person), otherwise, pk=challenge_id)
    if said == "withdraw":
        return _act(request, lambda: challenges.withdraw(made, person), _("The challenge is withdrawn."))
    own = made.players.select_related("bot__owner").filter(bot__owner=person, bot__kind="person").first()
    if own is None or said not in ("yes", "no"):
        raise Http404(otherwise)
    return _try(request, lambda: _to(challenges.answer(made, own.bot, said == "yes")))


# --- what they share -------------------------------------------------------------------------------------------------


def _page(request: HttpRequest, form: OfferForm | None) -> LobbyPage:
    site = f"{request.scheme}://{request.get_host()}"
    return lobby_page(request.user, person_of(request), hash_of(request), form, site, request.GET.get("ladder"))


def _offer_form(request: HttpRequest, data: Any) -> OfferForm:
    ladders = ladders_for_people(request.user)
    return OfferForm(ladders, house_bots(), data, wanted=request.GET.get("ladder"))


def _signed_in(request: HttpRequest) -> User:
    return cast("User", request.user)


def _ladder(request: HttpRequest) -> Ladder:
    """The ladder that a button names. Raises ``Http404``."""
    slug = request.POST.get("ladder", "")
    return found(
        Ladder.objects.visible_to(request.user), _("No ladder is called %(name)s.") % {"name": slug}, slug=slug
    )


def _seek(request: HttpRequest, seek_id: int) -> Seek:
    """Seats on offer at a ladder that the visitor may know of. Raises ``Http404``."""
    seen = Seek.objects.filter(ladder__in=Ladder.objects.visible_to(request.user)).select_related("ladder")
    return found(seen, _("Nobody offers these seats any more."), pk=seek_id)


def _to(made: object) -> HttpResponse:
    """To the table if the game has begun, else to the lobby, where what was made stands."""
    match = made.pk if isinstance(made, Match) else getattr(made, "match_id", None)
    return redirect("pages:sit", match) if match else redirect("pages:lobby")


def _try(request: HttpRequest, does: Callable[[], HttpResponse]) -> HttpResponse:
    try:
        return does()
    except Refused as refusal:
        return _told(request, refusal)


def _act(request: HttpRequest, does: Callable[[], object], said: str = "") -> HttpResponse:
    try:
        does()
    except Refused as refusal:
        return _told(request, refusal)
    if said:
        messages.success(request, said)
    return redirect("pages:lobby")


def _told(request: HttpRequest, refusal: Refused) -> HttpResponse:
    """The lobby, with the sentence; a limit that is reached is one of requests for whoever counts them."""
    messages.error(request, str(refusal))
    response = redirect("pages:lobby")
    if isinstance(refusal, TooMany) and refusal.retry_after_s:
        response["Retry-After"] = str(refusal.retry_after_s)
    return response
