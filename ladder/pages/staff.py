"""Pages for moderators and site admins: reports, chat, cups, suspensions, the audit log and sandboxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
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
from bots.uploads.queue import undecided, waiting
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import refusal_over
from esr_platform.accounts.models import User
from esr_platform.accounts.roles import REASON_LENGTH
from ladder import access, chat
from ladder.access import cup_seen_by, found, match_seen_by
from ladder.cups import moderation as cup_moderation
from ladder.matchmaking import guests
from ladder.members.suspensions import lift, suspend
from ladder.models import ChatLine, ChatReport, Cup, CupLedgerEntry, GuestNameReport, Intervention, Seat
from ladder.pages.components.filters import paginate
from ladder.pages.components.responses import for_moderators, for_operators, for_staff, form_status, limit_actions
from ladder.pages.cup_ledger import ledger_rows

# --- All pages of staff ----------------------------------------------------------------------------------------------


@require_safe
@for_staff
def staff(request: HttpRequest) -> HttpResponse:
    """List the pages of staff, with the number of open reports."""
    lines = _reported().count() + _reported_names().count()
    context = {
        "bots": moderation.complained_of().count(),
        "lines": lines,
        "cups": cup_moderation.reported().count(),
        "machines": _failing(),
        "undecided": undecided().count(),
    }
    return render(request, "pages/staff.html", context)


# --- Reports of names and descriptions -------------------------------------------------------------------------------

BOTS: Final = 20
LATEST: Final = 50


class ReportForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("What is the problem?"),
        max_length=moderation.MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Only moderators can read your report. The bot owner cannot."),
    )


class RemoveTextForm(forms.Form):
    what = forms.TypedMultipleChoiceField(choices=TextRemoval.What.choices, coerce=TextRemoval.What, required=False)
    reason = forms.CharField(max_length=REASON_LENGTH, required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report(request: HttpRequest, slug: str) -> HttpResponse:
    bot = access.code_seen_by(request.user, slug)
    return _report_page(request, ReportForm(request.POST or None), partial(moderation.complain, bot), {"bot": bot})


def _report_page(
    request: HttpRequest, form: ReportForm, send: Callable[[User, str], object], about: Mapping[str, Bot | Cup]
) -> HttpResponse:
    """The form to report one thing, whose name is that of its page; after ``send``, a redirect to this page."""
    ((kind, reported),) = about.items()
    if request.method == "POST" and form.is_valid():
        try:
            send(cast("User", request.user), form.cleaned_data["text"])
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Thank you for your report. A moderator will review it."))
            return redirect(f"pages:{kind}", reported.slug)
    return render(request, "pages/report.html", {**about, "form": form}, status=form_status(form))


@require_safe
@for_moderators
def reports(request: HttpRequest) -> HttpResponse:
    return _reports_page(request, moderation.complained_of())


@require_POST
@for_moderators
def settle(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Remove reported texts of a bot or dismiss its reports. A refused form is shown again, with its entries."""
    bot = found(Bot.objects.all(), gettext("Bot not found."), pk=bot_id)
    staff = cast("User", request.user)

    def remove(entered: Mapping[str, Any]) -> str:
        moderation.blank(bot, staff, entered["what"], entered["reason"])
        return _("Text removed.")

    if "dismiss" in request.POST:
        moderation.dismiss(bot, staff)
        messages.success(request, gettext("Dismissed the reports about %(name)s.") % {"name": bot.name})
    elif not _acted(request, RemoveTextForm(request.POST), remove):
        return _reports_page(request, moderation.complained_of().filter(pk=bot.pk))
    return redirect("pages:reports")


def _reports_page(request: HttpRequest, bots: QuerySet[Bot]) -> HttpResponse:
    """These bots with their open reports, and the removed texts."""
    context = {
        "bots": Paginator(bots, BOTS).get_page(request.GET.get("page")),
        "blankings": TextRemoval.objects.select_related("bot__owner", "by")[:LATEST],
        "most": REASON_LENGTH,
    }
    return _moderation_page(request, "pages/reports.html", context)


def _acted(request: HttpRequest, form: forms.Form, act: Callable[[Mapping[str, Any]], str]) -> bool:
    """Do ``act`` with the entries of ``form`` and show its message, or why it was refused. Return if it was done."""
    if form.is_valid():
        try:
            messages.success(request, act(form.cleaned_data))
        except Refused as refusal:
            messages.error(request, str(refusal))
        else:
            return True
    else:
        messages.error(request, str(next(iter(form.errors.values()))[0]))
    return False


def _moderation_page(request: HttpRequest, template: str, context: Mapping[str, object]) -> HttpResponse:
    """A page with forms of a moderator. If one was refused, it shows what was ``entered``, with status 422."""
    if request.method != "POST":
        return render(request, template, context)
    entered = {"what": request.POST.getlist("what"), "reason": request.POST.get("reason", "")}
    return render(request, template, {**context, "entered": entered}, status=HTTPStatus.UNPROCESSABLE_ENTITY)


# --- Reports of chat lines -------------------------------------------------------------------------------------------

LINES: Final = 20


@require_safe
@for_moderators
def reported_lines(request: HttpRequest) -> HttpResponse:
    context = {
        "lines": Paginator(_reported(), LINES).get_page(request.GET.get("page")),
        "guest_names": _reported_names(),
        "hidden": _with_who(ChatLine.objects.exclude(hidden_by=None)).order_by("-hidden_at")[:LATEST],
    }
    return render(request, "pages/reported_lines.html", context)


@require_POST
@for_moderators
def settle_line(request: HttpRequest, line_id: int) -> HttpResponse:
    """Hide a reported chat line or dismiss its reports."""
    line = found(ChatLine.objects.all(), _("Chat message not found."), pk=line_id)
    staff = cast("User", request.user)
    hide = "hide" in request.POST
    try:
        chat.settle(line, staff, hide=hide)
        messages.success(request, _("Message hidden.") if hide else _("Reports dismissed."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:reported_lines")


@require_POST
@login_required
@limit_actions
def report_guest_name(request: HttpRequest, match_id: int, seat: int) -> HttpResponse:
    """Report the name of a guest to moderators; moderators remove it."""
    match = match_seen_by(request.user, match_id)
    place = found(match.seats.exclude(guest_name=""), _("Guest not found."), index=seat)
    user = cast("User", request.user)
    try:
        if user.moderates:
            guests.settle_name(place, user, remove=True)
            messages.success(request, _("Name removed."))
        else:
            guests.report_name(place, user)
            messages.success(request, _("Name reported. Moderators will check it."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:match", match_id)


@require_POST
@for_moderators
def settle_guest_name(request: HttpRequest, seat_id: int) -> HttpResponse:
    """Remove the reported name of a guest or dismiss its reports."""
    seat = found(Seat.objects.all(), _("Guest not found."), pk=seat_id)
    remove = "remove" in request.POST
    try:
        guests.settle_name(seat, cast("User", request.user), remove=remove)
        messages.success(request, _("Name removed.") if remove else _("Reports dismissed."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:reported_lines")


def _reported_names() -> QuerySet[GuestNameReport]:
    """The open reports of guest names, oldest first."""
    waiting = GuestNameReport.objects.filter(settled_at=None).select_related("seat__match__ladder", "by")
    return waiting.order_by("pk")[:ROWS_PER_LIST]


def _reported() -> QuerySet[Any]:
    """Chat lines with open reports, oldest first."""
    waiting = ChatReport.objects.filter(line=OuterRef("pk"), settled_at=None)
    reports = ChatReport.objects.filter(settled_at=None).select_related("by").order_by("pk")
    rows = _with_who(ChatLine.objects.filter(Exists(waiting))).order_by("pk")
    return rows.prefetch_related(Prefetch("reports", queryset=reports, to_attr="waiting"))


def _with_who(lines: QuerySet[ChatLine]) -> QuerySet[ChatLine]:
    return lines.select_related("by", "hidden_by", "match__ladder")


# --- Reports of cups -------------------------------------------------------------------------------------------------

CUPS: Final = 20
_MOST_DIGITS: Final = 9


class CupReportForm(ReportForm):
    """A report of a cup."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.fields["text"].help_text = gettext("Only moderators can read your report. The organizers cannot.")


class ModerateCupForm(forms.Form):
    """The action on a cup, the texts to remove, and the reason, which only a dismissal does not need.

    ``entry`` is the number of the ledger entry whose reason is removed.
    """

    do = forms.ChoiceField(choices=[("remove", ""), ("cancel", ""), ("dismiss", "")])
    what = forms.TypedMultipleChoiceField(
        choices=[(action.value, action.label) for action in Intervention.ON_CUPS],
        coerce=Intervention.Action,
        required=False,
    )
    entry = forms.IntegerField(required=False)
    reason = forms.CharField(max_length=REASON_LENGTH, required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report_cup(request: HttpRequest, slug: str) -> HttpResponse:
    """Report the title or the description of a cup to moderators."""
    cup = cup_seen_by(request.user, slug)
    return _report_page(request, CupReportForm(request.POST or None), partial(cup_moderation.report, cup), {"cup": cup})


@require_safe
@for_moderators
def reported_cups(request: HttpRequest) -> HttpResponse:
    """The cups with open reports, and the removed texts."""
    context = {
        "cups": Paginator(cup_moderation.reported(), CUPS).get_page(request.GET.get("page")),
        "removals": cup_moderation.removals()[:LATEST],
        "most": REASON_LENGTH,
    }
    return render(request, "pages/reported_cups.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_moderators
def moderate_cup(request: HttpRequest, cup_id: int) -> HttpResponse:
    """One cup, reported or not: remove its texts, cancel it, or dismiss its reports.

    With ``?entry=``, it offers to remove the reason of this entry of the ledger.
    """
    cup = found(cup_moderation.with_reports(Cup.objects.all()), _("Cup not found."), pk=cup_id)
    staff = cast("User", request.user)

    def act(entered: Mapping[str, Any]) -> str:
        reason = entered["reason"]
        if entered["do"] == "remove":
            cup_moderation.remove_texts(cup, staff, entered["what"], reason, entered["entry"] or 0)
            return _("Text removed.")
        if entered["do"] == "cancel":
            cup_moderation.cancel(cup, staff, reason)
            return _("Cup canceled.")
        cup_moderation.dismiss(cup, staff)
        return _("Reports dismissed.")

    if request.method == "POST" and _acted(request, ModerateCupForm(request.POST), act):
        return redirect("pages:moderate_cup", cup.pk)
    context = {
        "cup": cup,
        "cups": [cup],
        "entry": _entry_with_reason(cup, request.POST.get("entry") or request.GET.get("entry", "")),
        "removals": cup_moderation.removals().filter(cup=cup)[:LATEST],
        "most": REASON_LENGTH,
    }
    return _moderation_page(request, "pages/reported_cups.html", context)


def _entry_with_reason(cup: Cup, number: str) -> CupLedgerEntry | None:
    """The entry of the ledger with this number, if it has a reason."""
    if not number.isdecimal() or len(number) > _MOST_DIGITS:
        return None
    return CupLedgerEntry.objects.filter(cup=cup, number=int(number), reason__isnull=False).first()


# --- Suspensions and the log of staff actions ------------------------------------------------------------------------

ROWS_PER_LIST: Final = 50


class ModerateForm(forms.Form):
    """The action, the texts to remove, and the reason."""

    do = forms.ChoiceField(choices=[("suspend", ""), ("lift", ""), ("blank", "")])
    what = forms.TypedMultipleChoiceField(choices=TextRemoval.What.choices, coerce=TextRemoval.What, required=False)
    reason = forms.CharField(
        max_length=REASON_LENGTH,
        error_messages={"required": gettext_lazy("Enter a reason. It is visible to the owner and in the audit log.")},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@for_moderators
def bot(request: HttpRequest, bot_id: int) -> HttpResponse:
    moderated = found(Bot.objects.of_code().select_related("owner"), gettext("Bot not found."), pk=bot_id)
    staff = cast("User", request.user)

    def act(entered: Mapping[str, Any]) -> str:
        reason = entered["reason"]
        if entered["do"] == "suspend":
            suspend(moderated, staff, reason)
            return _("Bot suspended. It has left its ladders.")
        if entered["do"] == "lift":
            lift(moderated, staff, reason)
            return _("Suspension lifted.")
        moderation.blank(moderated, staff, entered["what"], reason)
        return _("Text removed.")

    if request.method == "POST" and _acted(request, ModerateForm(request.POST), act):
        return redirect("pages:moderate_bot", moderated.pk)
    owner, house = moderated.owner, gettext("This is a house bot. It cannot be moderated.")
    context = {
        "bot": moderated,
        "refusal": refusal_over(staff, owner) if owner else house,
        "actions": _listed(StaffAction.objects.filter(bot=moderated))[:ROWS_PER_LIST],
        "blankings": TextRemoval.objects.filter(bot=moderated).select_related("by")[:ROWS_PER_LIST],
        "complaints": moderated.bot_reports.filter(settled=None).select_related("by")[:ROWS_PER_LIST],
        "most": REASON_LENGTH,
    }
    return _moderation_page(request, "pages/moderate_bot.html", context)


@require_safe
@for_staff
def trail(request: HttpRequest) -> HttpResponse:
    """The audit log: staff actions on bots and users, or with ``?of=matches`` on matches, ladders and texts of cups.

    With ``?of=site``, it lists actions on hosts and intake; with ``?of=cups``, those of organizers and staff in cups.
    """
    logs: dict[str, QuerySet[Any]] = {
        "people": _listed(StaffAction.objects.exclude(bot=None, person=None)),
        "site": _listed(StaffAction.objects.filter(bot=None, person=None)),
        "matches": Intervention.objects.select_related("author", "match__ladder", "ladder", "cup"),
        "cups": CupLedgerEntry.objects.exclude(author=None).select_related("author", "cup").order_by("-pk"),
    }
    of = request.GET.get("of", "")
    of = of if of in logs else "people"
    actions = paginate(logs[of], request.GET.get, ROWS_PER_LIST)
    context = {"actions": actions, "of": of, "rows": ledger_rows(actions.rows) if of == "cups" else []}
    return render(request, "pages/trail.html", context)


def _listed(actions: QuerySet[StaffAction]) -> QuerySet[StaffAction]:
    return actions.select_related("by", "person", "bot")


# --- Sandboxes -------------------------------------------------------------------------------------------------------

REMEDIES = (
    (gettext_lazy("bubblewrap is missing or too old"), proof.INSTALL),
    (gettext_lazy("AppArmor on Ubuntu 24.04 and later"), proof.APPARMOR),
    (gettext_lazy("seccomp in Docker and other containers"), proof.DOCKER),
    (gettext_lazy("User namespaces are disabled in the kernel"), proof.SYSCTL),
    (gettext_lazy("Workers run as root"), proof.ROOT),
    (gettext_lazy("The Python interpreter for bots"), proof.PYTHON),
    (gettext_lazy("Rated games need bot files in memory"), proof.MEMORY),
)
"""Known problems and their fixes. The self-test shows the same texts."""


@dataclass(frozen=True)
class MachineRow:
    """A machine with the result of its last self-test (``bots.sandbox.status``)."""

    machine: Machine

    @property
    def found(self) -> Mapping[str, Any]:
        sandbox: Mapping[str, Any] = self.machine.sandbox
        return sandbox

    @property
    def failed(self) -> Sequence[Mapping[str, Any]]:
        """The failed checks."""
        return [check for check in self.found["checks"] if check["problem"]]

    @property
    def versions(self) -> list[tuple[str, str]]:
        """Versions of the software that the sandbox uses, the user of a seat, and what bounds its memory."""
        named = [(label, str(self.found[label.lower()])) for label in ("Kernel", "bubblewrap", "Python", "NumPy")]
        seats = gettext("separate user") if self.found["users"] else gettext("user of the worker")
        bounds = {"group": gettext("control group"), "watcher": gettext("watcher in the worker")}
        return [
            *((name, version or "–") for name, version in named),
            (gettext("Bots run as"), seats),
            (gettext("Memory limited by"), bounds.get(self.found.get("memory", ""), "–")),
        ]


def _failing() -> int:
    """The number of machines whose last self-test failed."""
    return sum(not machine.sandbox.get("ok") for machine in Machine.objects.all())


@require_safe
@for_operators
def sandboxes(request: HttpRequest) -> HttpResponse:
    context = {
        "machines": [MachineRow(machine) for machine in Machine.objects.order_by("host")],
        "remedies": REMEDIES,
        "waiting": waiting().count(),
        "undecided": undecided().select_related("bot__owner").order_by("retry_at", "pk")[:ROWS_PER_LIST],
    }
    return render(request, "pages/sandboxes.html", context)
