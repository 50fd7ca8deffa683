"""Pages for site admins: reports, chat, suspensions, staff actions, and sandboxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots import moderation
from bots.models import Bot, Machine, StaffAction, TextRemoval
from bots.sandbox import proof
from bots.uploads.queue import waiting
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder import access, chat
from ladder.access import found
from ladder.corrections import REASON_LENGTH
from ladder.members.suspensions import lift, suspend
from ladder.models import ChatLine, ChatReport, Intervention
from ladder.pages.components.filters import part
from ladder.pages.components.responses import for_staff

# --- Reports of names and descriptions -------------------------------------------------------------------------------

BOTS: Final = 20
LATEST: Final = 50


class ReportForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("What is wrong with it?"),
        max_length=moderation.MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("The people who look after the site read it. The owner of the bot does not."),
    )


class RemoveTextForm(forms.Form):
    what = forms.TypedMultipleChoiceField(choices=TextRemoval.What.choices, coerce=TextRemoval.What, required=False)
    reason = forms.CharField(max_length=500, required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report(request: HttpRequest, slug: str) -> HttpResponse:
    bot = access.code_seen_by(request.user, slug)
    form = ReportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            moderation.complain(bot, cast("User", request.user), form.cleaned_data["text"])
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
        "bots": Paginator(moderation.complained_of(), BOTS).get_page(request.GET.get("page")),
        "blankings": TextRemoval.objects.select_related("bot__owner", "by")[:LATEST],
    }
    return render(request, "pages/reports.html", context)


@require_POST
@for_staff
def settle(request: HttpRequest, bot_id: int) -> HttpResponse:
    bot = found(Bot.objects.all(), gettext("There is no bot %(number)s.") % {"number": bot_id}, pk=bot_id)
    staff, form = cast("User", request.user), RemoveTextForm(request.POST)
    if "dismiss" in request.POST:
        moderation.dismiss(bot, staff)
        messages.success(request, gettext("%(name)s stays as it is.") % {"name": bot.name})
    elif form.is_valid():
        try:
            moderation.blank(bot, staff, form.cleaned_data["what"], form.cleaned_data["reason"])
            messages.success(request, gettext("Taken away."))
        except Refused as refusal:
            messages.error(request, str(refusal))
    return redirect("pages:reports")


# --- Reports of chat lines -------------------------------------------------------------------------------------------

LINES: Final = 20


@require_safe
@for_staff
def reported_lines(request: HttpRequest) -> HttpResponse:
    context = {
        "lines": Paginator(_reported(), LINES).get_page(request.GET.get("page")),
        "hidden": _with_who(ChatLine.objects.exclude(hidden_by=None)).order_by("-hidden_at")[:LATEST],
    }
    return render(request, "pages/reported_lines.html", context)


@require_POST
@for_staff
def settle_line(request: HttpRequest, line_id: int) -> HttpResponse:
    """Hide a line, or leave it."""
    line = found(ChatLine.objects.all(), _("There is no such line."), pk=line_id)
    staff = cast("User", request.user)
    hide = "hide" in request.POST
    try:
        chat.settle(line, staff, hide=hide)
        messages.success(request, _("The line is hidden.") if hide else _("The line stays."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:reported_lines")


def _reported() -> QuerySet[Any]:
    """The lines with reports that nobody has settled, those that were reported first."""
    waiting = ChatReport.objects.filter(line=OuterRef("pk"), settled_at=None)
    reports = ChatReport.objects.filter(settled_at=None).select_related("by").order_by("pk")
    rows = _with_who(ChatLine.objects.filter(Exists(waiting))).order_by("pk")
    return rows.prefetch_related(Prefetch("reports", queryset=reports, to_attr="waiting"))


def _with_who(lines: QuerySet[ChatLine]) -> QuerySet[ChatLine]:
    return lines.select_related("by", "hidden_by", "match__ladder")


# --- Suspensions and the log of staff actions ------------------------------------------------------------------------

ROWS: Final = 50


class ModerateForm(forms.Form):
    """What is to be done, what is to be taken away, and why."""

    do = forms.ChoiceField(choices=[("suspend", ""), ("lift", ""), ("blank", "")])
    what = forms.TypedMultipleChoiceField(choices=TextRemoval.What.choices, coerce=TextRemoval.What, required=False)
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
        "blankings": TextRemoval.objects.filter(bot=one).select_related("by")[:ROWS],
        "complaints": one.bot_reports.filter(settled=None).select_related("by")[:ROWS],
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
        "blank": (lambda: moderation.blank(one, staff, what, reason), _("Taken away.")),
    }
    act, said = acts[form.cleaned_data["do"]]
    try:
        act()
        messages.success(request, said)
    except Refused as refusal:
        messages.error(request, str(refusal))


def _listed(actions: QuerySet[StaffAction]) -> QuerySet[StaffAction]:
    return actions.select_related("by", "person", "bot")


# --- Sandboxes -------------------------------------------------------------------------------------------------------

REMEDIES = (
    (gettext_lazy("bubblewrap is missing or too old"), proof.INSTALL),
    (gettext_lazy("Ubuntu 24.04 and newer: AppArmor"), proof.APPARMOR),
    (gettext_lazy("Docker and other containers: seccomp"), proof.DOCKER),
    (gettext_lazy("A kernel without namespaces for ordinary users"), proof.SYSCTL),
    (gettext_lazy("Workers that run as root"), proof.ROOT),
    (gettext_lazy("The bots' interpreter"), proof.PYTHON),
    (gettext_lazy("Rated games: bots' files in memory"), proof.MEMORY),
)
"""What is known to go wrong, and what helps; the same sentences that a machine says of itself."""


@dataclass(frozen=True)
class MachineRow:
    """A machine with what its last self-test found (``bots.sandbox.status``)."""

    machine: Machine

    @property
    def found(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.machine.sandbox
        return found

    @property
    def failed(self) -> Sequence[Mapping[str, Any]]:
        """The properties that do not hold."""
        return [check for check in self.found["checks"] if check["problem"]]

    @property
    def versions(self) -> list[tuple[str, str]]:
        """What the sandbox is made of there."""
        named = [(name, str(self.found[name])) for name in ("kernel", "bubblewrap", "python", "numpy")]
        seats = gettext("a user of its own") if self.found["users"] else gettext("the worker's own user")
        return [*((name, version or "–") for name, version in named), (gettext("a seat runs as"), seats)]


@require_safe
@for_staff
def sandboxes(request: HttpRequest) -> HttpResponse:
    context = {
        "machines": [MachineRow(machine) for machine in Machine.objects.order_by("host")],
        "remedies": REMEDIES,
        "waiting": waiting().count(),
    }
    return render(request, "pages/sandboxes.html", context)
