"""Parse, one call, answer."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder import corrections
from ladder.access import ladder_seen_by, match_seen_by
from ladder.exports.json_lines import ledger_pieces
from ladder.ledger.append import rules_of
from ladder.models import Match
from ladder.pages import pacing
from ladder.pages.auditing.forms import KForm, MergeForm, ReasonForm
from ladder.pages.auditing.showing import audit_page
from ladder.pages.staff import for_staff
from ladder.pages.streaming import streamed

_REFUSED = 422


@require_safe
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    page = audit_page(ladder_seen_by(request.user, slug), request.GET.get)
    return render(request, "pages/audit.html", {"page": page})


@require_safe
@pacing.of_long_files
def ledger(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    return streamed(request, f"{slug}-ledger.jsonl", ledger_pieces(ladder_seen_by(request.user, slug)))


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def merge(request: HttpRequest, slug: str) -> HttpResponse:
    ladder = ladder_seen_by(request.user, slug)
    form = MergeForm(ladder, request.POST or None)
    if form.is_valid():
        reason, staff = form.cleaned_data["reason"], cast("User", request.user)
        try:
            corrections.merge(form.cleaned_data["entry"], form.merged_into, reason, staff)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Done: the ratings are those of the season with this merge."))
            return redirect("pages:audit", slug)
    return _asked(request, form, {"ladder": ladder, "title": _("Merge an entry"), "send": _("Merge it")})


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def new_k(request: HttpRequest, slug: str) -> HttpResponse:
    ladder = ladder_seen_by(request.user, slug)
    form = KForm(rules_of(ladder).k, request.POST or None)
    if form.is_valid():
        try:
            corrections.change_k(ladder, form.k, form.cleaned_data["reason"], cast("User", request.user))
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Done: the ratings are those of the season with this K."))
            return redirect("pages:audit", slug)
    return _asked(request, form, {"ladder": ladder, "title": _("Set another K"), "send": _("Set it")})


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def withdraw(request: HttpRequest, match_id: int) -> HttpResponse:
    """Cancel or void a match, or take its result back: whatever its state asks for."""
    match, form = match_seen_by(request.user, match_id), ReasonForm(request.POST or None)
    finished = match.status == Match.Status.FINISHED
    if form.is_valid():
        reason, staff = form.cleaned_data["reason"], cast("User", request.user)
        try:
            said = corrections.void(match.pk, reason, staff) if finished else _withdrawn(match, reason, staff)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, said)
            return redirect("pages:match", match.pk)
    title = _("Take back the result of match %(number)s") if finished else _("Withdraw match %(number)s")
    asked = {
        "match": match,
        "ladder": match.ladder,
        "title": title % {"number": match.pk},
        "send": _("Take it back") if finished else _("Withdraw it"),
    }
    return _asked(request, form, asked)


def _withdrawn(match: Match, reason: str, staff: User) -> str:
    status = corrections.withdraw(match.pk, reason, staff)
    return _("The match is cancelled.") if status == Match.Status.CANCELLED else _("The match is void.")


def _asked(request: HttpRequest, form: ReasonForm, about: dict[str, object]) -> HttpResponse:
    return render(request, "pages/correct.html", {"form": form, **about}, status=_REFUSED if form.errors else 200)
