"""Cups: the list, and the pages of one cup with its standings, rounds, ledger and the form to enter bots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from bots.models import Bot, BotVersion
from bots.programs import plays
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.rules import Document
from ladder.access import cup_seen_by, cups_seen_by, found, organizes
from ladder.cups import registration
from ladder.cups.desk import Ruling
from ladder.cups.progress import plan_from, played_from
from ladder.models import Cup, CupEntry, CupLedgerEntry, CupRound, CupTable, Match
from ladder.models.ladders import Viewer
from ladder.pages.components import words
from ladder.pages.components.responses import form_status
from ladder.pairings.rounds import Standing, match_points

Kind = CupLedgerEntry.Kind

ROWS: Final = 50
FORMATS: Final = {
    Cup.Format.SWISS: gettext_noop("Swiss"),
    Cup.Format.ROUND_ROBIN: gettext_noop("Round robin"),
    Cup.Format.KNOCKOUT: gettext_noop("Knockout"),
    Cup.Format.HALVING: gettext_noop("Successive halving"),
}
STATES: Final = {
    Cup.State.REGISTRATION: gettext_noop("Registration open"),
    Cup.State.READY: gettext_noop("Registration closed"),
    Cup.State.RUNNING: gettext_noop("Running"),
    Cup.State.FINISHED: gettext_noop("Finished"),
    Cup.State.CANCELLED: gettext_noop("Canceled"),
}
LEFT: Final = {
    CupEntry.State.REJECTED: gettext_noop("Rejected at the deadline"),
    CupEntry.State.WITHDRAWN: gettext_noop("Withdrawn"),
    CupEntry.State.DISQUALIFIED: gettext_noop("Disqualified"),
}
RULINGS: Final = {
    Ruling.LOSS: gettext_noop("Round %(round)s, table %(table)s: loss for %(entrant)s"),
    Ruling.VOID: gettext_noop("Round %(round)s, table %(table)s: void"),
    Ruling.BYE: gettext_noop("Round %(round)s, table %(table)s: bye for all entrants"),
}
CHANGES: Final = {
    "title": gettext_noop("title"),
    "about": gettext_noop("description"),
    "closes_at": gettext_noop("end of the registration"),
    "starts_at": gettext_noop("start"),
    "repeat_days": gettext_noop("days until the next cup"),
    "co_organizers": gettext_noop("co-organizers"),
    "reserved_percent": gettext_noop("reserved share of the workers"),
}
"""The settings that organizers and site admins change, by their names in the ledger."""

# --- The list --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CupsPage:
    """The listed cups: open ones that start soon and ones that run, and a page of the ended ones."""

    upcoming: Sequence[Cup]
    running: Sequence[Cup]
    ended: Page[Any]

    @property
    def empty(self) -> bool:
        return not (self.upcoming or self.running or self.ended.paginator.count)


def cups_page(user: Viewer, number: str | None) -> CupsPage:
    """The listed cups that ``user`` may see; three queries."""
    among = cups_seen_by(user).filter(listed=True).annotate(number=Count("entries", filter=_entered()))
    is_open = list(among.filter(state__in=Cup.OPEN).order_by("starts_at", "pk"))
    ended = among.exclude(state__in=Cup.OPEN).order_by("-ended", "-pk")
    return CupsPage(
        [cup for cup in is_open if cup.state != Cup.State.RUNNING],
        [cup for cup in is_open if cup.state == Cup.State.RUNNING],
        Paginator(ended, ROWS).get_page(number),
    )


def _entered() -> Q:
    """The entries of a list: entered bots before the deadline, then the frozen list."""
    return Q(entries__number__isnull=False) | Q(entries__state=CupEntry.State.ENTERED)


# --- One cup ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moment:
    """A time in the time zone of a cup and in UTC."""

    local: str
    utc: str


def moment(time: datetime, zone: str) -> Moment:
    """``time`` in ``zone`` (empty if that is UTC) and in UTC."""
    there = time.astimezone(ZoneInfo(zone))
    local = "" if zone == "UTC" else f"{words.day(there)}, {there:%H:%M} ({zone})"
    return Moment(local, f"{words.day(time)}, {time:%H:%M} UTC")


@dataclass(frozen=True)
class Row:
    """A row of the standings, or of the entrant list before the first round has ended."""

    entry: CupEntry
    standing: Standing | None

    @property
    def left(self) -> str:
        """How the entrant left the cup; empty if it has not."""
        state = CupEntry.State(self.entry.state)
        return gettext(LEFT[state]) if state in LEFT else ""

    @property
    def share(self) -> float:
        """The share of the possible game points."""
        return float(self.standing.share) if self.standing else 0.0

    @property
    def opponents(self) -> str:
        """The mean match points of the opponents."""
        return f"{float(self.standing.opponents):.1f}" if self.standing else ""


@dataclass(frozen=True)
class CupPage:
    """A cup with its entries and its ledger, and a page of its standings."""

    cup: Cup
    entries: Sequence[CupEntry]
    ledger: Sequence[tuple[str, Document]]
    rounds: Sequence[CupRound]
    number: str | None

    @property
    def state(self) -> str:
        paused = self.cup.paused and self.cup.state in Cup.OPEN
        return gettext("Paused") if paused else gettext(STATES[Cup.State(self.cup.state)])

    @property
    def format(self) -> str:
        return gettext(FORMATS[Cup.Format(self.cup.format)])

    @property
    def closes(self) -> Moment:
        return moment(self.cup.closes_at, self.cup.time_zone)

    @property
    def starts(self) -> Moment:
        return moment(self.cup.starts_at, self.cup.time_zone)

    @cached_property
    def key(self) -> str | None:
        """The key of an ended cup, once no game of it is running."""
        return self.cup.public_key

    @property
    def ended_rounds(self) -> int:
        """The number of rounds in the standings."""
        return sum(kind == Kind.RESULTS for kind, _document in self.ledger)

    @property
    def rejected(self) -> Sequence[CupEntry]:
        return [one for one in self.entries if one.state == CupEntry.State.REJECTED]

    @cached_property
    def rows(self) -> Page[Row]:
        """The standings, or the entrants by seed, or by time of entry."""
        return Paginator(self._rows, ROWS).get_page(self.number)

    @cached_property
    def winner(self) -> CupEntry | None:
        """The first of the final standings."""
        return self._rows[0].entry if self.cup.state == Cup.State.FINISHED and self._rows else None

    @cached_property
    def _rows(self) -> Sequence[Row]:
        by_number = {one.number: one for one in self.entries if one.number is not None}
        if not self.ended_rounds:
            waiting = [one for one in self.entries if one.state == CupEntry.State.ENTERED]
            return [Row(one, None) for one in (by_number.values() or waiting)]
        frozen = next(document for kind, document in self.ledger if kind == Kind.ENTRANTS)
        standings = plan_from(frozen, bytes(self.cup.key)).standings(played_from(self.ledger))
        return [Row(by_number[one.entrant], one) for one in standings]


def cup_page(cup: Cup, number: str | None) -> CupPage:
    """A cup with the page ``number`` of its standings; three queries."""
    ledger = CupLedgerEntry.objects.filter(cup=cup).order_by("number").values_list("kind", "document")
    rounds = CupRound.objects.filter(cup=cup).annotate(number_of_tables=Count("tables")).order_by("-number")
    return CupPage(cup, _entries(cup), list(ledger), list(rounds), number)


def _entries(cup: Cup) -> list[CupEntry]:
    return list(CupEntry.objects.filter(cup=cup).select_related("bot__owner", "version").order_by("number", "pk"))


# --- Entries ---------------------------------------------------------------------------------------------------------


class EnterForm(forms.Form):
    """The bot that a user enters."""

    bot = forms.ChoiceField(label=gettext_lazy("Bot"))

    def __init__(self, bots: Iterable[Bot], *args: Any) -> None:
        super().__init__(*args)
        cast("forms.ChoiceField", self.fields["bot"]).choices = [(bot.slug, bot.name) for bot in bots]


@dataclass(frozen=True)
class OwnEntries:
    """The bots that a user has entered, and the form to enter those that can play."""

    entered: Sequence[CupEntry]
    form: EnterForm

    @property
    def can_enter(self) -> bool:
        return bool(cast("forms.ChoiceField", self.form.fields["bot"]).choices)


def own_entries(cup: Cup, user: User, *data: Any) -> OwnEntries:
    """What ``user`` can enter and has entered: own bots and, for organizers, house bots. At most three queries."""
    owners = {user.pk, None} if organizes(user, cup) else {user.pk}
    of = Q(owner=user) | Q(owner=None) if None in owners else Q(owner=user)
    entered = CupEntry.objects.filter(cup=cup, state=CupEntry.State.ENTERED).select_related("bot")
    own = [one for one in entered if one.bot.owner_id in owners]
    bots = Bot.objects.playing().filter(of, kind=Bot.Kind.HOSTED).exclude(pk__in=[one.bot_id for one in own])
    versions = BotVersion.objects.filter(bot__in=bots, active=True).select_related("bot").order_by("bot__name", "pk")
    able = [one.bot for one in versions if plays(one, cup.ladder.game, cup.ladder.seats)]
    return OwnEntries(own, EnterForm(able, *data))


# --- One round -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """An entrant at a table. Both numbers of points are ``None`` until the table is decided, and at a void table."""

    entry: CupEntry
    points: int | None
    match_points: int | None
    left: bool


@dataclass(frozen=True)
class TableRow:
    """A table of a round. ``matches`` are its games if the round has ended; ``replaced`` if a block was void."""

    table: CupTable
    places: Sequence[Place]
    matches: Sequence[int]
    replaced: bool
    ruled: bool

    @property
    def void(self) -> bool:
        return self.table.decided and self.table.points is None


@dataclass(frozen=True)
class RoundPage:
    """A round of a cup with a page of its tables."""

    cup: Cup
    round: CupRound
    last: int
    byes: Sequence[CupEntry]
    tables: Page[CupTable]
    rows: Sequence[TableRow]


def round_page(cup: Cup, round_: CupRound, number: str | None) -> RoundPage:
    """A round with the page ``number`` of its tables; six queries."""
    tables = Paginator(CupTable.objects.filter(round=round_).order_by("index"), ROWS).get_page(number)
    entries = {one.number: one for one in _entries(cup) if one.number is not None}
    rulings = CupLedgerEntry.objects.filter(cup=cup, kind=Kind.RULING).values_list("document", flat=True)
    ruled = {one["table"] for one in rulings if one["round"] == round_.number}
    games: dict[int, list[tuple[int, str]]] = {table.pk: [] for table in tables}
    played = Match.objects.filter(block__cup_table__in=list(games)).order_by("pk")
    for table_id, match_id, status in played.values_list("block__cup_table", "pk", "status"):
        games[table_id].append((match_id, status))
    rows = [_table_row(table, round_, entries, games[table.pk], table.index in ruled) for table in tables]
    byes = [entries[one] for one in round_.byes]
    last = CupRound.objects.filter(cup=cup).count()
    return RoundPage(cup, round_, last, byes, tables, rows)


def _table_row(
    table: CupTable,
    round_: CupRound,
    entries: Mapping[int, CupEntry],
    games: Iterable[tuple[int, str]],
    ruled: bool,
) -> TableRow:
    points: Sequence[int | None] = table.points or [None] * len(table.entrants)
    won: Sequence[int | None] = match_points(tuple(table.points)) if table.points else [None] * len(table.entrants)
    places = [
        Place(entries[one], own, theirs, place in table.gone)
        for place, (one, own, theirs) in enumerate(zip(table.entrants, points, won, strict=True))
    ]
    finished = [match_id for match_id, status in games if status == Match.Status.FINISHED]
    replaced = any(status == Match.Status.VOID for _match_id, status in games)
    return TableRow(table, places, finished if round_.ended else [], replaced, ruled)


# --- The ledger ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LedgerRow:
    """An entry of the ledger in words."""

    entry: CupLedgerEntry
    text: str
    reason: str


def ledger_rows(cup: Cup, entries: Iterable[CupLedgerEntry]) -> list[LedgerRow]:
    names = {one.number: one.bot.name for one in _entries(cup) if one.number is not None}
    return [LedgerRow(one, _said(one, names), one.document.get("reason", "")) for one in entries]


def _said(entry: CupLedgerEntry, names: Mapping[int, str]) -> str:
    document: Mapping[str, Any] = entry.document
    name = names.get(document.get("entrant", -1)) or gettext("A bot")
    match entry.kind:
        case Kind.ENTRANTS:
            return _("Entrant list frozen (number of entrants: %(number)s)") % {"number": len(document["entrants"])}
        case Kind.ROUND:
            return _("Round %(number)s started") % {"number": document["round"]}
        case Kind.RESULTS:
            return _("Round %(number)s ended") % {"number": document["round"]}
        case Kind.LEFT:
            disqualified = document["state"] == CupEntry.State.DISQUALIFIED
            text = _("%(name)s was disqualified") if disqualified else _("%(name)s withdrew")
            return text % {"name": name}
        case Kind.RULING:
            where = {"round": document["round"], "table": document["table"] + 1, "entrant": name}
            return gettext(RULINGS[Ruling(document["ruling"])]) % where
        case Kind.PAUSED:
            return _("Cup paused")
        case Kind.RESUMED:
            return _("Cup resumed")
        case Kind.CANCELLED:
            return _("Cup canceled")
        case Kind.CHANGED:
            return _("Settings changed: %(names)s") % {"names": _changed(document["fields"])}
        case _:
            return _("Cup finished and key published")


def _changed(names: Iterable[str]) -> str:
    return ", ".join(gettext(CHANGES[name]) for name in names)


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def cups(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/cups.html", {"page": cups_page(request.user, request.GET.get("page"))})


@require_safe
def cup(request: HttpRequest, slug: str) -> HttpResponse:
    shown = cup_seen_by(request.user, slug)
    is_open = shown.state == Cup.State.REGISTRATION and shown.closes_at > timezone.now()
    own = own_entries(shown, request.user) if is_open and request.user.is_authenticated else None
    return _shown(request, shown, own, is_open)


def _shown(request: HttpRequest, cup: Cup, own: OwnEntries | None, is_open: bool) -> HttpResponse:
    context = {"page": cup_page(cup, request.GET.get("page")), "own": own, "is_open": is_open}
    return render(request, "pages/cup.html", context, status=form_status(own.form) if own else None)


@require_POST
@login_required
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter a bot before the deadline."""
    entered, user = cup_seen_by(request.user, slug), cast("User", request.user)
    own = own_entries(entered, user, request.POST)
    if own.form.is_valid():
        bot = found(Bot.objects.all(), gettext("Bot not found."), slug=own.form.cleaned_data["bot"])
        try:
            registration.enter(user, entered, bot)
            messages.success(request, _("%(bot)s is entered in %(cup)s.") % {"bot": bot.name, "cup": entered.title})
            return redirect("pages:cup", slug)
        except Refused as refusal:
            own.form.add_error("bot", str(refusal))
    return _shown(request, entered, own, is_open=True)


@require_POST
@login_required
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Withdraw a bot before the deadline."""
    entries = CupEntry.objects.filter(cup=cup_seen_by(request.user, slug)).select_related("bot", "cup")
    entry = found(entries, gettext("Entry not found."), bot__slug=request.POST.get("bot", ""))
    try:
        registration.withdraw(cast("User", request.user), entry)
        messages.success(request, _("%(bot)s is withdrawn from %(cup)s.") % {"bot": entry.bot.name, "cup": entry.cup})
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:cup", slug)


@require_safe
def one_round(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    shown = cup_seen_by(request.user, slug)
    round_ = found(CupRound.objects.filter(cup=shown), gettext("Round not found."), number=number)
    page = round_page(shown, round_, request.GET.get("page"))
    return render(request, "pages/cup_round.html", {"page": page})


@require_safe
def ledger(request: HttpRequest, slug: str) -> HttpResponse:
    shown = cup_seen_by(request.user, slug)
    entries = CupLedgerEntry.objects.filter(cup=shown).select_related("author").order_by("-number")
    page = Paginator(entries, ROWS).get_page(request.GET.get("page"))
    context = {"cup": shown, "entries": page, "rows": ledger_rows(shown, page)}
    return render(request, "pages/cup_ledger.html", context)
