"""The staff page of a bot, and the audit log of staff actions. Parse, one call, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from bots import complaints
from bots.models import Blanking, Bot, StaffAction
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.access import found
from ladder.corrections import REASON_LENGTH
from ladder.members.suspensions import lift, suspend
from ladder.models import Intervention
from ladder.pages.paging import part
from ladder.pages.staff import for_staff

ROWS: Final = 50


class ModerateForm(forms.Form):
    """What is to be done, what is to be taken away, and why."""

    do = forms.ChoiceField(choices=[("suspend", ""), ("lift", ""), ("blank", "")])
    what = forms.TypedMultipleChoiceField(choices=Blanking.What.choices, coerce=Blanking.What, required=False)
    reason = forms.CharField(
        max_length=REASON_LENGTH,
        error_messages={"required": gettext_lazy("Say why: its owner reads it, and it stays on record.")},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def bot(request: HttpRequest, bot_id: int) -> HttpResponse:
    one = found(Bot.objects.of_code().select_related("owner"), f"There is no bot {bot_id}.", pk=bot_id)
    if request.method == "POST":
        _act(request, one, ModerateForm(request.POST))
        return redirect("pages:moderate_bot", one.pk)
    context = {
        "bot": one,
        "actions": _listed(StaffAction.objects.filter(bot=one))[:ROWS],
        "blankings": Blanking.objects.filter(bot=one).select_related("by")[:ROWS],
        "complaints": one.complaints.filter(settled=None).select_related("by")[:ROWS],
        "most": REASON_LENGTH,
    }
    return render(request, "pages/moderate_bot.html", context)


@require_safe
@for_staff
def trail(request: HttpRequest) -> HttpResponse:
    """Everything that staff did to bots and people, or with ``?of=matches`` to matches, newest first."""
    of_matches = request.GET.get("of") == "matches"
    rows: QuerySet[Any] = (
        Intervention.objects.select_related("author", "match__ladder")
        if of_matches
        else _listed(StaffAction.objects.all())
    )
    return render(request, "pages/trail.html", {"actions": part(rows, request.GET.get, ROWS), "of_matches": of_matches})


def _act(request: HttpRequest, one: Bot, form: ModerateForm) -> None:
    staff = cast("User", request.user)
    if not form.is_valid():
        messages.error(request, str(next(iter(form.errors.values()))[0]))
        return
    reason, what = form.cleaned_data["reason"], form.cleaned_data["what"]
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "suspend": (lambda: suspend(one, staff, reason), _("It is suspended, and off its ladders.")),
        "lift": (lambda: lift(one, staff, reason), _("Its suspension is lifted.")),
        "blank": (lambda: complaints.blank(one, staff, what, reason), _("Taken away.")),
    }
    act, said = acts[form.cleaned_data["do"]]
    try:
        act()
        messages.success(request, said)
    except Refused as refusal:
        messages.error(request, str(refusal))


def _listed(actions: QuerySet[StaffAction]) -> QuerySet[StaffAction]:
    return actions.select_related("by", "person", "bot")
