"""The members page of a ladder: its invitation link, invited people, and a form to invite more."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from esr_platform.accounts.models import User
from ladder.access import found
from ladder.members import invitations
from ladder.models import Invitation, Ladder
from ladder.pages.components.responses import for_staff, form_status

MOST_NAMES: Final = 200


class InviteForm(forms.Form):
    """User names, one a line or with commas between them."""

    names = forms.CharField(
        label=gettext_lazy("User names"), widget=forms.Textarea(attrs={"rows": 3}), max_length=20_000
    )

    def clean_names(self) -> list[User]:
        """The people; whoever is not found is named."""
        names = [name for name in re.split(r"[\s,;]+", self.cleaned_data["names"]) if name]
        if len(names) > MOST_NAMES:
            said = gettext("That is %(number)s names. Invite at most %(most)s at once.")
            raise forms.ValidationError(said % {"number": len(names), "most": MOST_NAMES})
        people: list[Any] = list(get_user_model()._default_manager.filter(username__in=names).order_by("pk"))
        missing = sorted(set(names) - {person.username for person in people})
        if missing:
            said = gettext("Nobody is called %(names)s. Nobody was invited yet.")
            raise forms.ValidationError(said % {"names": ", ".join(missing)})
        return people


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is a member of a ladder by invitation, its link, and others to invite."""
    ladder = _by_invitation(slug)
    form = InviteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        number = invitations.invite(ladder, form.cleaned_data["names"])
        said = ngettext("%(number)s person is new here.", "%(number)s people are new here.", number)
        messages.success(request, said % {"number": number})
        return redirect("pages:ladder_members", slug)
    context = {
        "ladder": ladder,
        "form": form,
        "link": settings.SITE_URL + reverse("pages:accept_invitation", args=[ladder.invitation]),
        "members": Invitation.objects.filter(ladder=ladder).select_related("person").order_by("person__username"),
    }
    return render(request, "pages/members.html", context, status=form_status(form))


@require_POST
@for_staff
def new_link(request: HttpRequest, slug: str) -> HttpResponse:
    invitations.new_link(_by_invitation(slug))
    messages.success(request, _("The link is another one now. Whoever is a member stays one."))
    return redirect("pages:ladder_members", slug)


@require_POST
@for_staff
def remove_member(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    ladder = _by_invitation(slug)
    gone = _("There is no such member.")
    member = found(Invitation.objects.filter(ladder=ladder).select_related("person"), gone, person=person_id)
    invitations.remove(ladder, member.person)
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
        if invitations.member_by_link(token, cast("User", request.user)) is None:
            raise Http404(otherwise)
        said = _("Welcome to %(ladder)s. Tick it on a bot's page to enter that bot.")
        messages.success(request, said % {"ladder": ladder})
        return redirect("pages:ladder", ladder.slug)
    return render(request, "pages/invitation.html", {"ladder": ladder})


def _by_invitation(slug: str) -> Ladder:
    ladder = found(Ladder.objects.all(), _("No ladder is called %(slug)s.") % {"slug": slug}, slug=slug)
    if not ladder.by_invitation:
        raise Http404(_("%(ladder)s is for everybody: it has no members.") % {"ladder": ladder})
    return ladder
