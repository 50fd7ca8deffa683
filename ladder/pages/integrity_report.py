"""The integrity report of a ladder, and corrections by site admins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from esr_platform.accounts.roles import REASON_LENGTH
from esr_platform.downloads import streamed
from ladder import corrections
from ladder.access import ladder_seen_by, match_seen_by
from ladder.exports.json_lines import ledger_pieces
from ladder.ledger.entries import rating_rules_of
from ladder.ledger.integrity import IntegrityReport, recent_report
from ladder.models import Intervention, Ladder, LedgerEntry, Match, Membership, RebuildRun
from ladder.pages.components import responses
from ladder.pages.components.filters import KeysetPage, paginate
from ladder.pages.components.responses import for_staff, form_status
from ladder.ratings.elo import LARGEST_K, KFactor

# --- Forms -----------------------------------------------------------------------------------------------------------


class CorrectionForm(forms.Form):
    """The reason of a correction, and a confirmation."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The reason is public. Do not name users in it. Only site staff can see your name."),
    )
    sure = forms.BooleanField(label=gettext_lazy("I understand that this cannot be undone."))


if TYPE_CHECKING:
    _OfEntries = forms.ModelChoiceField[Membership]
else:
    _OfEntries = forms.ModelChoiceField  # not generic at run time


class _MembershipField(_OfEntries):
    def label_from_instance(self, entry: Membership) -> str:
        return f"{entry.bot.name} ({entry.bot.slug})"


class MergeForm(CorrectionForm):
    """Which member the results of a member count for."""

    NOBODY, ANOTHER, ITSELF = "nobody", "another", "itself"

    entry = _MembershipField(
        label=gettext_lazy("Member whose results change"),
        queryset=Membership.objects.none(),
        empty_label=gettext_lazy("No member selected"),
    )
    counts = forms.ChoiceField(
        label=gettext_lazy("Count these results for"),
        choices=[
            (NOBODY, gettext_lazy("No member (exclude the results)")),
            (ANOTHER, gettext_lazy("Another bot of the same player")),
            (ITSELF, gettext_lazy("The original bot (undo a merge)")),
        ],
    )
    into = _MembershipField(
        label=gettext_lazy("Other bot"),
        queryset=Membership.objects.none(),
        required=False,
        empty_label=gettext_lazy("No bot selected"),
    )
    field_order = ("entry", "counts", "into", "reason", "sure")

    def __init__(self, ladder: Ladder, data: Any = None) -> None:
        super().__init__(data)
        for name in ("entry", "into"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = Membership.objects.filter(ladder=ladder).select_related("bot").order_by("bot__name", "pk")
        self.fields["sure"].label = gettext("I understand that all ratings of the season change.")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("counts") == self.ANOTHER and cleaned.get("into") is None:
            self.add_error("into", gettext("Choose the bot that gets these results."))
        elif cleaned.get("counts") != self.ANOTHER and cleaned.get("into") is not None:
            text = gettext("Choose no bot here, or count the results for another bot of the same player.")
            self.add_error("into", text)
        return cleaned

    @property
    def merged_into(self) -> Membership | None:
        """The member that the results count for, or ``None``."""
        counts: dict[str, Membership | None] = {
            self.ANOTHER: self.cleaned_data["into"],
            self.ITSELF: self.cleaned_data["entry"],
        }
        return counts.get(self.cleaned_data["counts"])


class KForm(CorrectionForm):
    """A new K-factor."""

    provisional = forms.IntegerField(
        label=gettext_lazy("K-factor while provisional (points)"), min_value=1, max_value=LARGEST_K
    )
    established = forms.IntegerField(
        label=gettext_lazy("K-factor afterwards (points)"), min_value=1, max_value=LARGEST_K
    )
    provisional_games = forms.IntegerField(
        label=gettext_lazy("Number of provisional games"), min_value=0, max_value=10_000
    )
    field_order = ("provisional", "established", "provisional_games", "reason", "sure")

    def __init__(self, now: KFactor, data: Any = None) -> None:
        initial = {
            "provisional": now.provisional,
            "established": now.established,
            "provisional_games": now.provisional_games,
        }
        super().__init__(data, initial=initial)
        self.fields["sure"].label = gettext("I understand that all ratings of the season change.")

    @property
    def k(self) -> KFactor:
        return KFactor(*(self.cleaned_data[name] for name in ("provisional", "established", "provisional_games")))


# --- The page --------------------------------------------------------------------------------------------------------

CORRECTIONS_PER_PAGE = 20
RUNS = 8

ACTIONS: Final = (
    gettext_noop("canceled before it started"),
    gettext_noop("voided without a result"),
    gettext_noop("voided its result"),
)
"""Labels of ``Intervention.Action``."""


@dataclass(frozen=True)
class CorrectionRow:
    """A ledger entry that is not a result, described in a sentence."""

    entry: LedgerEntry
    sentence: str

    @property
    def reason(self) -> str:
        return str(self.entry.document.get("reason", ""))

    @property
    def match(self) -> int | None:
        """The match whose result was voided."""
        return self.entry.document.get("match") if self.entry.kind == LedgerEntry.Kind.VOID else None


@dataclass(frozen=True)
class IntegrityReportPage:
    """The integrity report of a ladder, its corrections, and the actions of staff on its matches."""

    ladder: Ladder
    report: IntegrityReport
    corrections: Sequence[CorrectionRow]
    part: KeysetPage[LedgerEntry]
    interventions: Sequence[Intervention]
    runs: Sequence[RebuildRun]

    @property
    def reached(self) -> int:
        """The number of ledger entries."""
        return self.report.ladder.next_ledger - 1


def integrity_report_page(ladder: Ladder, parameters: Callable[[str], str | None]) -> IntegrityReportPage:
    """The current report with a page of corrections; twenty queries."""
    written = LedgerEntry.objects.filter(ladder=ladder).exclude(kind=LedgerEntry.Kind.RESULT).select_related("author")
    corrections = paginate(written, parameters, CORRECTIONS_PER_PAGE)
    names = _names(corrections.rows)
    withdrawn = Intervention.objects.filter(match__ladder=ladder, action__in=Intervention.WITHOUT_RESULT)
    return IntegrityReportPage(
        ladder=ladder,
        report=recent_report(ladder),
        corrections=[CorrectionRow(entry, _sentence(entry, names)) for entry in corrections.rows],
        part=corrections,
        interventions=list(withdrawn.select_related("author")[:CORRECTIONS_PER_PAGE]),
        runs=list(RebuildRun.objects.filter(ladder=ladder).select_related("author")[:RUNS]),
    )


def _names(entries: Sequence[LedgerEntry]) -> Mapping[int, str]:
    """The current names of bots, by membership."""
    merged = [entry.document for entry in entries if entry.kind == LedgerEntry.Kind.MERGE]
    ids = {pk for document in merged for pk in (document["entry"], document["into"]) if pk is not None}
    return dict(Bot.objects.filter(memberships__in=ids).values_list("memberships", "name")) if ids else {}


def _sentence(entry: LedgerEntry, names: Mapping[int, str]) -> str:
    return _SENTENCES[LedgerEntry.Kind(entry.kind)](entry.document, names)


def _void(document: Any, _names: Mapping[int, str]) -> str:
    return gettext("Result %(number)s was voided.") % {"number": document["result"]}


def _merge(document: Any, names: Mapping[int, str]) -> str:
    merged, into = document["entry"], document["into"]
    who = _called(merged, names)
    if into is None:
        return gettext("The results of %(who)s no longer count.") % {"who": who}
    if into == merged:
        return gettext("The results of %(who)s count for %(who)s again.") % {"who": who}
    return gettext("The results of %(who)s count for %(whom)s.") % {"who": who, "whom": _called(into, names)}


def _called(entry: int, names: Mapping[int, str]) -> str:
    return names.get(entry) or gettext("member %(number)s") % {"number": entry}


def _k(document: Any, _names: Mapping[int, str]) -> str:
    values = {name: document[name] for name in ("provisional", "established", "provisional_games")}
    text = gettext("K is %(provisional)s for the first %(provisional_games)s rated games, then %(established)s.")
    return text % values


def _season(document: Any, _names: Mapping[int, str]) -> str:
    kept, of = document["regress"]
    if document["season"] == 1:
        return gettext("Season 1 opened.")
    text = gettext("Season %(number)s opened. Ratings kept %(share)s of their distance from 1500.")
    return text % {"number": document["season"], "share": f"{kept}/{of}"}


_SENTENCES: Mapping[LedgerEntry.Kind, Callable[[Any, Mapping[int, str]], str]] = {
    LedgerEntry.Kind.VOID: _void,
    LedgerEntry.Kind.MERGE: _merge,
    LedgerEntry.Kind.K: _k,
    LedgerEntry.Kind.SEASON: _season,
}


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def integrity_report(request: HttpRequest, slug: str) -> HttpResponse:
    page = integrity_report_page(ladder_seen_by(request.user, slug), request.GET.get)
    return render(request, "pages/integrity_report.html", {"page": page})


@require_safe
@responses.of_long_files
def ledger(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    return streamed(request, f"{slug}-ledger.jsonl", ledger_pieces(ladder_seen_by(request.user, slug)))


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def merge(request: HttpRequest, slug: str) -> HttpResponse:
    ladder = ladder_seen_by(request.user, slug)
    form = MergeForm(ladder, request.POST or None)

    def act(reason: str, staff: User) -> str:
        corrections.merge(form.cleaned_data["entry"], form.merged_into, reason, staff)
        return _("The correction was saved and all ratings of the season were recomputed.")

    context = {"ladder": ladder, "title": _("Merge or exclude a member"), "send": _("Save correction")}
    return _corrected(request, form, act, context, reverse("pages:integrity_report", args=[slug]))


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def new_k(request: HttpRequest, slug: str) -> HttpResponse:
    ladder = ladder_seen_by(request.user, slug)
    form = KForm(rating_rules_of(ladder).k, request.POST or None)

    def act(reason: str, staff: User) -> str:
        corrections.change_k(ladder, form.k, reason, staff)
        return _("The K-factor was changed and all ratings of the season were recomputed.")

    context = {"ladder": ladder, "title": _("Change K-factor"), "send": _("Change K-factor")}
    return _corrected(request, form, act, context, reverse("pages:integrity_report", args=[slug]))


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def withdraw(request: HttpRequest, match_id: int) -> HttpResponse:
    """Cancel or void a pending match, or void the result of a match that has ended."""
    match = match_seen_by(request.user, match_id)
    ended = match.status in Match.ENDED

    def act(reason: str, staff: User) -> str:
        if ended:
            return corrections.void(match.pk, reason, staff)
        status = corrections.withdraw(match.pk, reason, staff)
        return _("The match was canceled.") if status == Match.Status.CANCELLED else _("The match was voided.")

    if request.method != "POST" and ended and (refusal := corrections.refusal_to_void(match)):
        messages.error(request, str(refusal))
        return redirect("pages:match", match.pk)
    if ended:
        title, send = _("Void the result of match %(number)s"), _("Void result")
    elif match.attempts_started:
        title, send = _("Void match %(number)s"), _("Void match")
    else:
        title, send = _("Cancel match %(number)s"), _("Cancel match")
    context = {"match": match, "ladder": match.ladder, "title": title % {"number": match.pk}, "send": send}
    form = CorrectionForm(request.POST or None)
    return _corrected(request, form, act, context, reverse("pages:match", args=[match.pk]))


def _corrected(
    request: HttpRequest,
    form: CorrectionForm,
    act: Callable[[str, User], str],
    context: dict[str, object],
    address: str,
) -> HttpResponse:
    """Show the form of a correction. When it is sent, call ``act`` with reason and author, and show its message."""
    if form.is_valid():
        try:
            messages.success(request, act(form.cleaned_data["reason"], cast("User", request.user)))
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect(address)
    return render(request, "pages/correct.html", {"form": form, **context}, status=form_status(form))
