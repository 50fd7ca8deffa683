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

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.access import found, ladder_seen_by
from ladder.members import invitations
from ladder.models import Invitation, Ladder, Season
from ladder.pages.components.responses import for_operators, form_status

MOST_NAMES: Final = 200


class InviteForm(forms.Form):
    """Usernames, separated by spaces, commas or line breaks."""

    names = forms.CharField(
        label=gettext_lazy("Usernames"),
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=20_000,
        help_text=gettext_lazy("Separate several names with spaces or commas."),
    )

    def clean_names(self) -> list[User]:
        """The users with these names."""
        names = [name for name in re.split(r"[\s,;]+", self.cleaned_data["names"]) if name]
        if len(names) > MOST_NAMES:
            text = gettext("You entered %(number)s names. You can invite up to %(most)s users in one step.")
            raise forms.ValidationError(text % {"number": len(names), "most": MOST_NAMES})
        people: list[Any] = list(get_user_model()._default_manager.filter(username__in=names).order_by("pk"))
        missing = sorted(set(names) - {person.username for person in people})
        if missing:
            text = gettext("Users not found: %(names)s. No invitations were sent.")
            raise forms.ValidationError(text % {"names": ", ".join(missing)})
        return people


@require_http_methods(["GET", "HEAD", "POST"])
@for_operators
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members of a ladder with its invitation link and the steps at the end of a term, and invite more."""
    ladder = _by_invitation(slug)
    form = InviteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        number = invitations.invite(ladder, form.cleaned_data["names"])
        text = ngettext("%(number)s user was invited.", "%(number)s users were invited.", number)
        messages.success(request, text % {"number": number})
        return redirect("pages:ladder_members", slug)
    context = {
        "ladder": ladder,
        "form": form,
        "link": settings.SITE_URL + reverse("pages:accept_invitation", args=[ladder.invitation]),
        "enrollable": invitations.enrollable(ladder),
        "season": Season.objects.latest_of(ladder.pk).first(),
        "members": Invitation.objects.filter(ladder=ladder).select_related("person").order_by("person__username"),
    }
    return render(request, "pages/members.html", context, status=form_status(form))


@require_POST
@for_operators
def enroll(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the chosen bots of members who have accepted the invitation."""
    ladder = _by_invitation(slug)
    try:
        added = invitations.enroll(ladder, {int(pk) for pk in request.POST.getlist("bot") if pk.isdecimal()})
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        text = ngettext("%(number)s bot was added.", "%(number)s bots were added.", len(added))
        messages.success(request, text % {"number": len(added)})
    return redirect("pages:ladder_members", slug)


@require_POST
@for_operators
def new_link(request: HttpRequest, slug: str) -> HttpResponse:
    invitations.new_link(_by_invitation(slug))
    messages.success(
        request, _("The invitation link was replaced. The old link no longer works. Current members stay members.")
    )
    return redirect("pages:ladder_members", slug)


@require_POST
@for_operators
def remove_member(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    ladder = _by_invitation(slug)
    gone = _("Member not found.")
    member = found(Invitation.objects.filter(ladder=ladder).select_related("person"), gone, person=person_id)
    invitations.remove(ladder, member.person)
    text = _("%(person)s is no longer a member. To prevent this user from joining again, replace the invitation link.")
    messages.success(request, text % {"person": member.person.username})
    return redirect("pages:ladder_members", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def accept_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Ask for confirmation, then make the user a member."""
    otherwise = _("This invitation link is no longer valid. Ask the organizer for a new one.")
    ladder = found(Ladder.objects.filter(by_invitation=True), otherwise, invitation=token)
    if request.method == "POST":
        if invitations.member_by_link(token, cast("User", request.user)) is None:
            raise Http404(otherwise)
        text = _("You are now a member of %(ladder)s. To add a bot, select this ladder on the bot page.")
        messages.success(request, text % {"ladder": ladder})
        return redirect("pages:ladder", ladder.slug)
    return render(request, "pages/invitation.html", {"ladder": ladder})


@require_POST
@login_required
def accept(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept an invitation by username."""
    ladder = ladder_seen_by(request.user, slug)
    if not invitations.accept(ladder, cast("User", request.user)):
        raise Http404(_("You are not a member of %(ladder)s.") % {"ladder": ladder})
    messages.success(request, _("You accepted the invitation. To add a bot, select this ladder on the bot page."))
    return redirect("pages:ladder", ladder.slug)


def _by_invitation(slug: str) -> Ladder:
    ladder = found(Ladder.objects.all(), _("Ladder not found."), slug=slug)
    if not ladder.by_invitation:
        raise Http404(_("%(ladder)s is open to everyone, so it has no member list.") % {"ladder": ladder})
    return ladder
