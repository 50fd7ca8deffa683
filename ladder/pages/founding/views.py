"""Parse, one call, answer."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder import creation
from ladder.access import found, ladder_seen_by
from ladder.models import Ladder, Membership
from ladder.pages import pacing
from ladder.pages.founding.forms import InviteForm, LadderForm
from ladder.pages.founding.table_file import table_file
from ladder.pages.staff import for_staff

_REFUSED = 422


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def new_ladder(request: HttpRequest) -> HttpResponse:
    form = LadderForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            ladder = creation.found_ladder(form.plan, cast("User", request.user))
            messages.success(request, _("%(ladder)s is open.") % {"ladder": ladder})
            return redirect("pages:ladder_members" if ladder.by_invitation else "pages:ladder", ladder.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    return render(request, "pages/new_ladder.html", {"form": form}, status=_REFUSED if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is a member of a ladder by invitation, its link, and others to invite."""
    ladder = _by_invitation(slug)
    form = InviteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        number = creation.invite(ladder, form.cleaned_data["names"])
        said = ngettext("%(number)s person is new here.", "%(number)s people are new here.", number)
        messages.success(request, said % {"number": number})
        return redirect("pages:ladder_members", slug)
    context = {
        "ladder": ladder,
        "form": form,
        "link": settings.SITE_URL + reverse("pages:accept_invitation", args=[ladder.invitation]),
        "members": Membership.objects.filter(ladder=ladder).select_related("person").order_by("person__username"),
    }
    return render(request, "pages/members.html", context, status=_REFUSED if form.errors else 200)


@require_POST
@for_staff
def new_link(request: HttpRequest, slug: str) -> HttpResponse:
    creation.new_link(_by_invitation(slug))
    messages.success(request, _("The link is another one now. Whoever is a member stays one."))
    return redirect("pages:ladder_members", slug)


@require_POST
@for_staff
def remove_member(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    ladder = _by_invitation(slug)
    gone = _("There is no such member.")
    member = found(Membership.objects.filter(ladder=ladder).select_related("person"), gone, person=person_id)
    creation.remove(ladder, member.person)
    said = _("%(person)s is no member any more. Make another link, if they should not come back.")
    messages.success(request, said % {"person": member.person.username})
    return redirect("pages:ladder_members", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def accept_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whoever comes by the link, and make them a member."""
    otherwise = _("This invitation is not valid (any more). Ask for another link.")
    ladder = found(Ladder.objects.filter(by_invitation=True), otherwise, invitation=token)
    if request.method == "POST":
        if creation.member_by_link(token, cast("User", request.user)) is None:
            raise Http404(otherwise)
        said = _("Welcome to %(ladder)s. Tick it on a bot's page to enter that bot.")
        messages.success(request, said % {"ladder": ladder})
        return redirect("pages:ladder", ladder.slug)
    return render(request, "pages/invitation.html", {"ladder": ladder})


@require_safe
@pacing.of_long_files
def download_table(request: HttpRequest, slug: str) -> HttpResponse:
    """The table of a ladder as CSV, for whoever may see it."""
    ladder = ladder_seen_by(request.user, slug)
    headers = {"Content-Disposition": f'attachment; filename="{ladder.slug}.csv"'}
    return HttpResponse(table_file(ladder), content_type="text/csv; charset=utf-8", headers=headers)


def _by_invitation(slug: str) -> Ladder:
    ladder = found(Ladder.objects.all(), _("No ladder is called %(slug)s.") % {"slug": slug}, slug=slug)
    if not ladder.by_invitation:
        raise Http404(_("%(ladder)s is for everybody: it has no members.") % {"ladder": ladder})
    return ladder
