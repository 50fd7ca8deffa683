"""The integrity report of a ladder, and corrections by site admins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder import corrections
from ladder.access import ladder_seen_by, match_seen_by
from ladder.corrections import REASON_LENGTH
from ladder.exports.json_lines import ledger_pieces
from ladder.ledger.append import rules_of
from ladder.ledger.audit import Audit, recent_audit
from ladder.models import Intervention, Ladder, LedgerEntry, Match, Membership, RebuildRun
from ladder.pages.components import responses
from ladder.pages.components.filters import Part, part
from ladder.pages.components.responses import for_staff, form_status, streamed
from ladder.ratings.elo import LARGEST_K, KFactor

# --- Forms -----------------------------------------------------------------------------------------------------------


class ReasonForm(forms.Form):
    """Why, and that it is meant."""

    reason = forms.CharField(
        label=gettext_lazy("Why"),
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Everybody can read it, so it names no person. Your name is kept, for staff alone."),
    )
    sure = forms.BooleanField(label=gettext_lazy("I know that this cannot be undone."))


if TYPE_CHECKING:
    _OfEntries = forms.ModelChoiceField[Membership]
else:
    _OfEntries = forms.ModelChoiceField  # which takes no parameter where it runs


class _MembershipField(_OfEntries):
    def label_from_instance(self, entry: Membership) -> str:
        return f"{entry.bot.name} ({entry.bot.slug})"


class MergeForm(ReasonForm):
    """Whose results count for whom."""

    NOBODY, ANOTHER, ITSELF = "nobody", "another", "itself"

    entry = _MembershipField(label=gettext_lazy("The results of"), queryset=Membership.objects.none())
    counts = forms.ChoiceField(
        label=gettext_lazy("count for"),
        choices=[
            (NOBODY, gettext_lazy("nobody: take it out")),
            (ANOTHER, gettext_lazy("the bot below: both are one")),
            (ITSELF, gettext_lazy("itself again: it was a mistake")),
        ],
    )
    into = _MembershipField(label=gettext_lazy("Which bot"), queryset=Membership.objects.none(), required=False)
    field_order = ("entry", "counts", "into", "reason", "sure")

    def __init__(self, ladder: Ladder, data: Any = None) -> None:
        super().__init__(data)
        for name in ("entry", "into"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = Membership.objects.filter(ladder=ladder).select_related("bot").order_by("bot__name", "pk")
        self.fields["sure"].label = gettext("I know what this changes.")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("counts") == self.ANOTHER and cleaned.get("into") is None:
            self.add_error("into", gettext("Choose the bot for which they count."))
        return cleaned

    @property
    def merged_into(self) -> Membership | None:
        """For whom the results count, ``None`` for nobody."""
        counts: dict[str, Membership | None] = {
            self.ANOTHER: self.cleaned_data["into"],
            self.ITSELF: self.cleaned_data["entry"],
        }
        return counts.get(self.cleaned_data["counts"])


class KForm(ReasonForm):
    """Another K."""

    provisional = forms.IntegerField(
        label=gettext_lazy("K while provisional, points"), min_value=1, max_value=LARGEST_K
    )
    established = forms.IntegerField(label=gettext_lazy("K afterwards, points"), min_value=1, max_value=LARGEST_K)
    provisional_games = forms.IntegerField(
        label=gettext_lazy("Provisional for so many games"), min_value=0, max_value=10_000
    )
    field_order = ("provisional", "established", "provisional_games", "reason", "sure")

    def __init__(self, now: KFactor, data: Any = None) -> None:
        initial = {
            "provisional": now.provisional,
            "established": now.established,
            "provisional_games": now.provisional_games,
        }
        super().__init__(data, initial=initial)
        self.fields["sure"].label = gettext("I know that all ratings of the season change.")

    @property
    def k(self) -> KFactor:
        return KFactor(*(self.cleaned_data[name] for name in ("provisional", "established", "provisional_games")))


# --- The page --------------------------------------------------------------------------------------------------------

ROWS = 20
RUNS = 8

ACTIONS: Final = (
    gettext_noop("cancelled before anybody began it"),
    gettext_noop("voided without a result"),
    gettext_noop("took its result back"),
)
"""What staff do to matches, as ``Intervention.Action`` says it."""

STATES: Final = (gettext_noop("queued"), gettext_noop("running"))
"""States of matches where they are counted; the others are called the same elsewhere."""


@dataclass(frozen=True)
class CorrectionRow:
    """An entry of the ledger that is no result, with what it says in a sentence."""

    entry: LedgerEntry
    sentence: str

    @property
    def reason(self) -> str:
        return str(self.entry.document.get("reason", ""))

    @property
    def match(self) -> int | None:
        """The match whose result was taken back."""
        return self.entry.document.get("match") if self.entry.kind == LedgerEntry.Kind.VOID else None


@dataclass(frozen=True)
class AuditPage:
    """A ladder's accounts, what was corrected, and what staff did to its matches."""

    ladder: Ladder
    audit: Audit
    corrections: Sequence[CorrectionRow]
    part: Part[LedgerEntry]
    interventions: Sequence[Intervention]
    runs: Sequence[RebuildRun]

    @property
    def reached(self) -> int:
        """How many entries the ledger has."""
        return self.audit.ladder.next_ledger - 1


def audit_page(ladder: Ladder, parameters: Callable[[str], str | None]) -> AuditPage:
    """The page as it is now, with the part of the corrections that the address asks for; twenty queries."""
    written = LedgerEntry.objects.filter(ladder=ladder).exclude(kind=LedgerEntry.Kind.RESULT).select_related("author")
    corrections = part(written, parameters, ROWS)
    names = _names(corrections.rows)
    withdrawn = Intervention.objects.filter(match__ladder=ladder).exclude(action=Intervention.Action.TAKEN_BACK)
    return AuditPage(
        ladder=ladder,
        audit=recent_audit(ladder),
        corrections=[CorrectionRow(entry, _sentence(entry, names)) for entry in corrections.rows],
        part=corrections,
        interventions=list(withdrawn.select_related("author")[:ROWS]),
        runs=list(RebuildRun.objects.filter(ladder=ladder).select_related("author")[:RUNS]),
    )


def _names(entries: Sequence[LedgerEntry]) -> Mapping[int, str]:
    """By entry of the ladder, what its bot is called now."""
    merged = [one.document for one in entries if one.kind == LedgerEntry.Kind.MERGE]
    ids = {pk for document in merged for pk in (document["entry"], document["into"]) if pk is not None}
    return dict(Bot.objects.filter(memberships__in=ids).values_list("memberships", "name")) if ids else {}


def _sentence(entry: LedgerEntry, names: Mapping[int, str]) -> str:
    return _SENTENCES[LedgerEntry.Kind(entry.kind)](entry.document, names)


def _void(document: Any, _names: Mapping[int, str]) -> str:
    return gettext("Result number %(number)s was taken back.") % {"number": document["result"]}


def _merge(document: Any, names: Mapping[int, str]) -> str:
    one, into = document["entry"], document["into"]
    who = _called(one, names)
    if into is None:
        return gettext("The results of %(who)s count for nobody.") % {"who": who}
    if into == one:
        return gettext("The results of %(who)s count for itself again.") % {"who": who}
    return gettext("The results of %(who)s count for %(whom)s.") % {"who": who, "whom": _called(into, names)}


def _called(entry: int, names: Mapping[int, str]) -> str:
    return names.get(entry) or gettext("entry %(number)s") % {"number": entry}


def _k(document: Any, _names: Mapping[int, str]) -> str:
    values = {name: document[name] for name in ("provisional", "established", "provisional_games")}
    said = gettext("K is %(provisional)s for an entry's first %(provisional_games)s games, then %(established)s.")
    return said % values


def _season(document: Any, _names: Mapping[int, str]) -> str:
    kept, of = document["regress"]
    if document["season"] == 1:
        return gettext("Season 1 began.")
    said = gettext("Season %(number)s began; ratings kept %(share)s of their distance from 1500.")
    return said % {"number": document["season"], "share": f"{kept}/{of}"}


_SENTENCES: Mapping[LedgerEntry.Kind, Callable[[Any, Mapping[int, str]], str]] = {
    LedgerEntry.Kind.VOID: _void,
    LedgerEntry.Kind.MERGE: _merge,
    LedgerEntry.Kind.K: _k,
    LedgerEntry.Kind.SEASON: _season,
}


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    page = audit_page(ladder_seen_by(request.user, slug), request.GET.get)
    return render(request, "pages/audit.html", {"page": page})


@require_safe
@responses.of_long_files
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
    return render(request, "pages/correct.html", {"form": form, **about}, status=form_status(form))
