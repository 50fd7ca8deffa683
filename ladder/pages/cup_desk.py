"""The desk of a cup: everything that its organizers and site admins can do while it is open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots.tournaments.tables import Ruling
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.access import chooses_organizers, cup_seen_by, found, may_run
from ladder.cups import desk
from ladder.cups.desk import LONGEST_REASON, MOST_RESERVED
from ladder.cups.registration import unplayable
from ladder.models import Cup, CupEntry, CupRound, CupTable, SeatResult
from ladder.openness import opened
from ladder.pages.components.filters import whole_number
from ladder.pages.components.responses import form_status, limit_actions
from ladder.pages.cups import STATES

ROWS_PER_PAGE: Final = 50

# --- What the desk shows ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DeskEntrant:
    """An entry with the problem of its bot, if it has one, and the number of public games that it lost by a forfeit."""

    entry: CupEntry
    problem: str
    forfeits: int

    @property
    def removable(self) -> bool:
        return self.entry.state == CupEntry.State.ENTERED


@dataclass(frozen=True)
class DeskTable:
    """A table of the shown round, with the names of its entrants."""

    table: CupTable
    names: Sequence[str]


@dataclass(frozen=True)
class DeskPage:
    """A cup with a page of its entries and a page of the tables of one round."""

    cup: Cup
    entrants: Sequence[DeskEntrant]
    entries: Page[CupEntry]
    rounds: Sequence[CupRound]
    round: CupRound | None
    tables: Sequence[DeskTable]
    page: Page[CupTable] | None
    settled: bool

    @property
    def state(self) -> str:
        return _(STATES[Cup.State(self.cup.state)])

    @property
    def is_open(self) -> bool:
        return self.cup.state in Cup.OPEN

    @property
    def keep(self) -> str:
        """The parameter that keeps the round in links to its other tables."""
        return f"round={self.round.number}&" if self.round else ""

    @property
    def is_registering(self) -> bool:
        return self.cup.state == Cup.State.REGISTRATION


def desk_page(cup: Cup, parameters: Callable[[str], str | None]) -> DeskPage:
    """The desk of ``cup``. ``parameters`` of the URL: ``entrants`` and ``tables`` (pages), and ``round``."""
    entries = CupEntry.objects.filter(cup=cup).select_related("bot__owner", "version").order_by("number", "pk")
    shown = Paginator(entries, ROWS_PER_PAGE).get_page(parameters("entrants"))
    rounds = list(CupRound.objects.filter(cup=cup).order_by("number"))
    wanted = whole_number(parameters("round"))
    round_ = next((row for row in rounds if row.number == wanted), rounds[-1] if rounds else None)
    page, tables = None, list[DeskTable]()
    if round_ is not None:
        rows = CupTable.objects.filter(round=round_).order_by("index")
        page = Paginator(rows, ROWS_PER_PAGE).get_page(parameters("tables"))
        names = names_of(cup)
        tables = [DeskTable(table, [names[entrant] for entrant in table.entrants]) for table in page]
    settled = round_ is not None and desk.is_settled(cup, round_)
    return DeskPage(cup, _entrants(cup, shown), shown, rounds, round_, tables, page, settled)


def names_of(cup: Cup) -> Mapping[int, str]:
    """The names of the entrants by their numbers."""
    entries = CupEntry.objects.filter(cup=cup, number__isnull=False)
    return {number: name for number, name in entries.values_list("number", "bot__name") if number is not None}


def _entrants(cup: Cup, entries: Collection[CupEntry]) -> list[DeskEntrant]:
    of_cup = SeatResult.objects.filter(opened("seat__match__block"), seat__match__block__cup_table__round__cup=cup)
    lost = of_cup.exclude(forfeit="").filter(
        seat__version__in=[entry.version_id for entry in entries if entry.version_id]
    )
    forfeits = dict(lost.order_by().values_list("seat__version").annotate(number=Count("pk")))
    waits = cup.state == Cup.State.REGISTRATION
    return [
        DeskEntrant(
            entry,
            unplayable(cup, entry.bot) if waits and entry.state == CupEntry.State.ENTERED else "",
            forfeits.get(entry.version_id, 0),
        )
        for entry in entries
    ]


# --- Forms -----------------------------------------------------------------------------------------------------------


class CupReasonForm(forms.Form):
    """Why an organizer decides something."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The reason is public in the ledger of the cup. Moderators can remove it."),
    )


class RemoveForm(CupReasonForm):
    """How an entrant is removed."""

    field_order = ("how", "reason")
    how = forms.ChoiceField(
        label=gettext_lazy("Action"),
        choices=[
            ("withdraw", gettext_lazy("Withdraw: the bot or its owner cannot take part.")),
            ("disqualify", gettext_lazy("Disqualify: the bot or its owner broke a rule.")),
        ],
        widget=forms.RadioSelect,
        initial="withdraw",
    )


class RuleForm(CupReasonForm):
    """A ruling on a table: ``void``, ``bye`` or ``loss:N`` for the entrant N."""

    field_order = ("ruling", "reason")
    ruling = forms.ChoiceField(label=gettext_lazy("Ruling"), widget=forms.RadioSelect)

    def __init__(self, names: Mapping[int, str], *args: Any) -> None:
        super().__init__(*args)
        losses = [
            (f"{Ruling.LOSS}:{entrant}", _("Loss for %(name)s") % {"name": name}) for entrant, name in names.items()
        ]
        cast("forms.ChoiceField", self.fields["ruling"]).choices = [
            *losses,
            (str(Ruling.VOID), _("Void: the table does not count for any bot.")),
            (str(Ruling.BYE), _("Bye: all bots of the table get equal points.")),
        ]


class OrganizerForm(forms.Form):
    """The username of a new co-organizer."""

    username = forms.CharField(label=gettext_lazy("Username of a new co-organizer"), max_length=150)


class ReserveForm(forms.Form):
    """The share of the workers that is reserved for a cup; empty for none."""

    percent = forms.IntegerField(
        label=gettext_lazy("Reserved share of the workers (%)"),
        required=False,
        min_value=1,
        max_value=MOST_RESERVED,
        help_text=gettext_lazy("Other cups and ladders share the rest. Leave this field empty to end the reservation."),
    )


# --- Views -----------------------------------------------------------------------------------------------------------


def _for_organizers(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponseBase]:
    """Show ``view`` only to the organizers of the cup and to site admins, and limit their actions per minute."""

    @never_cache
    @login_required
    @limit_actions
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
        cup = cup_seen_by(request.user, slug)
        if not may_run(request.user, cup):
            raise PermissionDenied(_("Only the organizers of %(cup)s can see this page.") % {"cup": cup.title})
        return view(request, cup, *args, **kwargs)

    return guarded


@require_safe
@_for_organizers
def cup_desk(request: HttpRequest, cup: Cup) -> HttpResponse:
    return _desk(request, cup)


def _desk(request: HttpRequest, cup: Cup, **forms: forms.Form) -> HttpResponse:
    user = cast("User", request.user)
    context = {
        "page": desk_page(cup, request.GET.get),
        "co_organizers": cup.co_organizers.order_by("username"),
        "chooses": chooses_organizers(user, cup),
        "is_main": cup.organizer_id == user.pk,
        "organizer_form": OrganizerForm(),
        "reserve_form": ReserveForm(initial={"percent": cup.reserved_percent}) if user.operates else None,
        **forms,
    }
    status = max((form_status(form) for form in forms.values()), default=200)
    return render(request, "pages/cup_desk.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@_for_organizers
def pause_cup(request: HttpRequest, cup: Cup) -> HttpResponse:
    form = CupReasonForm(request.POST or None)

    def act(user: User) -> str:
        desk.pause(user, cup, paused=True, reason=form.cleaned_data["reason"])
        return _("%(cup)s is paused. No new round starts until you resume it.") % {"cup": cup.title}

    return _confirmed(request, cup, form, act, {"what": "pause"})


@require_POST
@_for_organizers
def resume_cup(request: HttpRequest, cup: Cup) -> HttpResponse:
    return _done(request, cup, lambda user: _resumed(user, cup))


def _resumed(user: User, cup: Cup) -> str:
    desk.pause(user, cup, paused=False)
    return _("%(cup)s was resumed.") % {"cup": cup.title}


@require_http_methods(["GET", "HEAD", "POST"])
@_for_organizers
def cancel_cup(request: HttpRequest, cup: Cup) -> HttpResponse:
    form = CupReasonForm(request.POST or None)

    def act(user: User) -> str:
        desk.call_off(user, cup, form.cleaned_data["reason"])
        return _("%(cup)s was canceled.") % {"cup": cup.title}

    return _confirmed(request, cup, form, act, {"what": "cancel"})


@require_http_methods(["GET", "HEAD", "POST"])
@_for_organizers
def remove_entrant(request: HttpRequest, cup: Cup, bot: str) -> HttpResponse:
    """Withdraw or disqualify an entrant."""
    entries = CupEntry.objects.filter(cup=cup).select_related("bot", "cup")
    entry = found(entries, _("Entry not found."), bot__slug=bot)
    form = RemoveForm(request.POST or None)

    def act(user: User) -> str:
        disqualified = form.cleaned_data["how"] == "disqualify"
        if not desk.remove(user, entry, form.cleaned_data["reason"], disqualified=disqualified):
            return _("%(bot)s has already left %(cup)s.") % {"bot": entry.bot.name, "cup": cup.title}
        text = _("%(bot)s was disqualified.") if disqualified else _("%(bot)s was withdrawn.")
        return text % {"bot": entry.bot.name}

    return _confirmed(request, cup, form, act, {"what": "remove", "entry": entry})


@require_http_methods(["GET", "HEAD", "POST"])
@_for_organizers
def rule_on_table(request: HttpRequest, cup: Cup, number: int, index: int) -> HttpResponse:
    """Rule on a table; ``index`` counts from 1, as on the pages."""
    tables = CupTable.objects.filter(round__cup=cup).select_related("round__cup")
    table = found(tables, _("Table not found."), round__number=number, index=index - 1)
    names = names_of(cup)
    form = RuleForm({entrant: names[entrant] for entrant in table.entrants}, request.POST or None)

    def act(user: User) -> str:
        ruling, _colon, entrant = form.cleaned_data["ruling"].partition(":")
        loser = int(entrant) if entrant else None
        if not desk.rule(user, table, Ruling(ruling), form.cleaned_data["reason"], loser):
            return _("This ruling is already in the ledger.")
        return _("The ruling on round %(round)s, table %(table)s is in the ledger.") % {"round": number, "table": index}

    settled = desk.is_settled(cup, table.round)
    return _confirmed(request, cup, form, act, {"what": "rule", "table": table, "number": index, "settled": settled})


def _confirmed(
    request: HttpRequest, cup: Cup, form: forms.Form, act: Callable[[User], str], context: Mapping[str, Any]
) -> HttpResponse:
    """The page that explains an action and asks for its reason. After the action, the desk says what happened.

    If the cup has ended or the table is ``settled``, the page says so and has no form.
    """
    if request.method == "POST" and form.is_valid():
        try:
            messages.success(request, act(cast("User", request.user)))
            return redirect("pages:cup_desk", cup.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    context = {"cup": cup, "form": form, "has_ended": cup.state not in Cup.OPEN, **context}
    return render(request, "pages/cup_action.html", context, status=form_status(form))


@require_POST
@_for_organizers
def add_organizer(request: HttpRequest, cup: Cup) -> HttpResponse:
    form = OrganizerForm(request.POST)
    if form.is_valid():
        try:
            added = desk.add_organizer(cast("User", request.user), cup, form.cleaned_data["username"])
        except Refused as refusal:
            form.add_error("username", str(refusal))
        else:
            text = _("%(name)s is a co-organizer of %(cup)s.")
            messages.success(request, text % {"name": added.username, "cup": cup.title})
            return redirect("pages:cup_desk", cup.slug)
    return _desk(request, cup, organizer_form=form)


@require_POST
@_for_organizers
def remove_organizer(request: HttpRequest, cup: Cup, person_id: int) -> HttpResponse:
    """Remove a co-organizer, or leave as one."""
    leaves = person_id == request.user.pk

    def act(user: User) -> str:
        desk.remove_organizer(user, cup, person_id)
        if leaves:
            return _("You are no longer a co-organizer of %(cup)s.") % {"cup": cup.title}
        return _("The user is no longer a co-organizer of %(cup)s.") % {"cup": cup.title}

    return _done(request, cup, act, "pages:cup" if leaves else "pages:cup_desk")


@require_POST
@_for_organizers
def reserve_workers(request: HttpRequest, cup: Cup) -> HttpResponse:
    """Reserve a share of the workers; for site admins."""
    form = ReserveForm(request.POST)
    if form.is_valid():
        try:
            desk.reserve(cast("User", request.user), cup, form.cleaned_data["percent"])
            messages.success(request, _("The reservation is saved."))
            return redirect("pages:cup_desk", cup.slug)
        except Refused as refusal:
            form.add_error("percent", str(refusal))
    return _desk(request, cup, reserve_form=form)


def _done(request: HttpRequest, cup: Cup, act: Callable[[User], str], then: str = "pages:cup_desk") -> HttpResponse:
    """Do something that needs no confirmation, and say what happened."""
    try:
        messages.success(request, act(cast("User", request.user)))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect(then, cup.slug)
