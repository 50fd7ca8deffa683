"""Reporting a bot's name or description, and the page where staff decides. Parse, one call, answer."""

from __future__ import annotations

from typing import Final, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots import complaints
from bots.models import Blanking, Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder import access
from ladder.access import found
from ladder.pages.staff import for_staff

BOTS: Final = 20
LATEST: Final = 50


class ReportForm(forms.Form):
    text = forms.CharField(
        label=_("What is wrong with it?"),
        max_length=complaints.MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("The people who look after the site read it. The owner of the bot does not."),
    )


class BlankForm(forms.Form):
    what = forms.TypedMultipleChoiceField(choices=Blanking.What.choices, coerce=Blanking.What, required=False)
    reason = forms.CharField(max_length=500, required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report(request: HttpRequest, slug: str) -> HttpResponse:
    bot = access.code_seen_by(request.user, slug)
    form = ReportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            complaints.complain(bot, cast("User", request.user), form.cleaned_data["text"])
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, gettext("Thank you. The people who look after the site will look at it."))
            return redirect("pages:bot", bot.slug)
    return render(request, "pages/report.html", {"bot": bot, "form": form}, status=422 if form.errors else 200)


@require_safe
@for_staff
def reports(request: HttpRequest) -> HttpResponse:
    context = {
        "bots": Paginator(complaints.complained_of(), BOTS).get_page(request.GET.get("page")),
        "blankings": Blanking.objects.select_related("bot__owner", "by")[:LATEST],
    }
    return render(request, "pages/reports.html", context)


@require_POST
@for_staff
def settle(request: HttpRequest, bot_id: int) -> HttpResponse:
    bot = found(Bot.objects.all(), gettext("There is no bot %(number)s.") % {"number": bot_id}, pk=bot_id)
    staff, form = cast("User", request.user), BlankForm(request.POST)
    if "dismiss" in request.POST:
        complaints.dismiss(bot, staff)
        messages.success(request, gettext("%(name)s stays as it is.") % {"name": bot.name})
    elif form.is_valid():
        try:
            complaints.blank(bot, staff, form.cleaned_data["what"], form.cleaned_data["reason"])
            messages.success(request, gettext("Taken away."))
        except Refused as refusal:
            messages.error(request, str(refusal))
    return redirect("pages:reports")
