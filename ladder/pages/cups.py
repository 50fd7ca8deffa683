"""Cups: the list, and the pages of one cup with its standings, rounds and the form to enter bots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import condition, require_http_methods, require_POST, require_safe

from bots.models import Bot, BotVersion
from bots.programs import plays
from bots.tournaments.rounds import Standing
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.access import cup_seen_by, cups_of, cups_seen_by, found, may_run, organizes
from ladder.cups import registration
from ladder.cups.results import CupResults, RoundResults, TableResults, table_results
from ladder.cups.schedules import playing
from ladder.models import Cup, CupEntry, CupLedgerEntry, CupRound, CupSchedule, CupTable
from ladder.models.ladders import Viewer
from ladder.pages.components import crosstable, words
from ladder.pages.components.bracket import Bracket, bracket
from ladder.pages.components.crosstable import Cell
from ladder.pages.components.responses import form_status, limit_actions, unlisted

ROWS_PER_PAGE: Final = 50
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

# --- The list --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CupsPage:
    """The listed cups: open ones that start soon and ones that run, and a page of the ended ones.

    ``by_link`` has the open cups of the reader that are not listed.
    """

    by_link: Sequence[Cup]
    upcoming: Sequence[Cup]
    running: Sequence[Cup]
    ended: Page[Any]

    @property
    def empty(self) -> bool:
        return not (self.by_link or self.upcoming or self.running or self.ended.paginator.count)


def cups_page(user: Viewer, number: str | None) -> CupsPage:
    """The listed cups that ``user`` may see, and the unlisted ones of a signed-in user; at most four queries."""
    count = Count("entries", filter=_entered())
    among = cups_seen_by(user).filter(listed=True).annotate(number=count)
    own = cups_of(user).filter(listed=False, state__in=Cup.OPEN) if isinstance(user, User) else Cup.objects.none()
    is_open = list(among.filter(state__in=Cup.OPEN).order_by("starts_at", "pk"))
    ended = among.exclude(state__in=Cup.OPEN).order_by("-ended", "-pk")
    return CupsPage(
        list(own.annotate(number=count).order_by("starts_at", "pk")),
        [cup for cup in is_open if cup.state != Cup.State.RUNNING],
        [cup for cup in is_open if cup.state == Cup.State.RUNNING],
        Paginator(ended, ROWS_PER_PAGE).get_page(number),
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
class EntrantRow:
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
    """A cup with its results and the page ``number`` of its standings. ``stored`` is its stored schedule."""

    cup: Cup
    results: CupResults
    stored: CupSchedule | None
    number: str | None

    @property
    def state(self) -> str:
        return gettext(STATES[Cup.State(self.cup.state)])

    @property
    def pause_reason(self) -> str | None:
        """Why the cup is paused; ``None`` if it is not."""
        return self.cup.reason if self.cup.paused and self.cup.state in Cup.OPEN else None

    @property
    def is_full(self) -> bool:
        """Whether a cup in registration has as many entries as it takes."""
        return self.cup.state == Cup.State.REGISTRATION and len(self._entered) >= self.cup.capacity

    @property
    def _entered(self) -> Sequence[CupEntry]:
        return [entry for entry in self.results.entries if entry.state == CupEntry.State.ENTERED]

    @cached_property
    def next(self) -> Cup | None:
        """The next cup of the series while it can be entered."""
        following = getattr(self.cup, "next", None) if self.cup.repeat_days else None
        return following if following is not None and following.state == Cup.State.REGISTRATION else None

    @property
    def format(self) -> str:
        return gettext(self.cup.tournament_format.name)

    @property
    def ranking(self) -> str:
        """How places follow from more than points; empty if only points decide."""
        return gettext(self.cup.tournament_format.ranking) if self.cup.tournament_format.ranking else ""

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
        return len(self.results.played)

    @property
    def rejected(self) -> Sequence[CupEntry]:
        return [entry for entry in self.results.entries if entry.state == CupEntry.State.REJECTED]

    @cached_property
    def rows(self) -> Page[EntrantRow]:
        """The standings, or the entrants by seed, or by time of entry."""
        return Paginator(self._rows, ROWS_PER_PAGE).get_page(self.number)

    @cached_property
    def winner(self) -> CupEntry | None:
        """The first of the final standings."""
        return next((entry for entry in self.results.entries if entry.rank == 1), None)

    @cached_property
    def _rows(self) -> Sequence[EntrantRow]:
        entrants, standings = self.results.entrants, self.results.standings
        if not standings:
            return [EntrantRow(entry, None) for entry in (entrants.values() or self._entered)]
        return [EntrantRow(entrants[standing.entrant], standing) for standing in standings]

    # Crosstable and bracket

    @cached_property
    def names(self) -> Mapping[int, str]:
        """The names of the frozen entrants, by number."""
        return {number: entry.bot.name for number, entry in self.results.entrants.items()}

    @cached_property
    def columns(self) -> Sequence[EntrantRow]:
        """The entrants of the columns of a crosstable by opponent: those of this page of the standings."""
        by_opponent = self.cup.tournament_format.results_table == "by opponent" and self.results.rounds
        return list(self.rows) if by_opponent else []

    @cached_property
    def crosstable(self) -> Sequence[tuple[EntrantRow, Sequence[Cell | None]]]:
        """A row of results for each row of this page of the standings; empty before the first round has begun."""
        rows, rounds = list(self.rows), self.results.rounds
        entrants = [row.entry.number for row in rows if row.entry.number is not None]
        if not rounds or self.cup.tournament_format.results_table is None:
            return []
        if self.cup.tournament_format.results_table == "by opponent":
            cells = crosstable.by_opponent(rounds, entrants, scores=len(entrants) <= SCORES)
        else:
            cells = crosstable.by_round(rounds, entrants, self.cup.ladder.seats, self.places)
        return list(zip(rows, cells, strict=True))

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The numbers of the rounds that have begun."""
        return [round_.number for round_ in self.results.rounds]

    @cached_property
    def places(self) -> Mapping[int, int]:
        """By entrant, its place in the list of the standings."""
        return {row.entry.number: place for place, row in enumerate(self._rows, 1) if row.entry.number is not None}

    @cached_property
    def bracket(self) -> Bracket | None:
        """The bracket of a knockout whose entrants are frozen."""
        results, is_canceled = self.results, self.cup.state == Cup.State.CANCELLED
        has_bracket = results.entrants and self.cup.tournament_format.has_knockout_bracket
        if not has_bracket or (is_canceled and not results.played):
            return None
        begun = len(results.played) if is_canceled else len(results.rounds)
        return bracket(results.plan, results.played, self.names, results.matches, begun)

    @cached_property
    def stages(self) -> Sequence[Stage]:
        """The stages after which entrants leave."""
        stages, first, entrants = list[Stage](), 1, len(self.results.entrants)
        for size, rounds in self.cup.tournament_format.stages(entrants, self.cup.ladder.seats) if entrants else ():
            stages.append(Stage(size, first, first + rounds - 1))
            first += rounds
        return stages

    # Schedule

    @property
    def too_few(self) -> bool:
        """Whether the bots that are entered and can play are too few for the format."""
        return playing(self.cup).count() < self.cup.tournament_format.least_entrants(self.cup.ladder.seats)

    @property
    def duration_s(self) -> float | None:
        """The estimated seconds of all rounds before the start; ``None`` if unknown."""
        if self.stored is None or self.stored.round_s is None or self.stored.rounds:
            return None
        return float(sum(self.stored.round_s))

    @property
    def games(self) -> int:
        """The number of games of the rounds that have not begun, without blocks that decide ties."""
        return sum(row.tables for row in self.schedule if row.round is None) * self.cup.games_at_a_table

    @cached_property
    def schedule(self) -> Sequence[RoundRow]:
        """All rounds: those that have begun, and further ones as far as they are known."""
        begun = [RoundRow(round_.number, len(round_.tables), round_) for round_ in self.results.rounds]
        if self.stored is None or self.cup.state in (Cup.State.FINISHED, Cup.State.CANCELLED):
            return begun
        after, tables, seconds = self.stored.rounds, self.stored.tables, self.stored.round_s
        ends, now = dict[int, datetime](), timezone.now()
        if seconds is not None and not self.cup.paused:
            end = max(self.cup.starts_at, now)
            for number, round_s in enumerate(seconds, after + 1):
                row = self.results.rounds[number - 1].row if number <= len(begun) else None
                if row is not None and row.ended:
                    end = row.ended
                    continue
                end = max(now, (row.started if row else end) + timedelta(seconds=round_s))
                ends[number] = end.replace(second=0, microsecond=0)
        rows = [replace(row, expected=ends.get(row.number)) for row in begun]
        further = enumerate(tables[len(begun) - after :], len(begun) + 1) if len(begun) >= after else ()
        rows += [RoundRow(number, count, None, ends.get(number)) for number, count in further]
        return rows

    @property
    def running(self) -> RoundRow | None:
        """The round that is running."""
        return next((row for row in self.schedule if row.running and self.cup.state == Cup.State.RUNNING), None)

    @property
    def folds_rounds(self) -> bool:
        """Whether the list of rounds is so long that it is folded at first."""
        return len(self.schedule) > OPEN_ROUNDS

    @property
    def live(self) -> bool:
        """Whether the page may change without an action of its reader."""
        return self.cup.state in Cup.OPEN

    @property
    def expected_end(self) -> datetime | None:
        """The expected end of the last round of an open cup."""
        return self.schedule[-1].expected if self.schedule else None


SCORES: Final = 16
"""A crosstable with more entrants shows match points only."""

OPEN_ROUNDS: Final = 12
"""A longer list of rounds is folded."""


@dataclass(frozen=True)
class Stage:
    """A stage after which entrants leave: the entrants left, and its first and last round."""

    size: int
    first: int
    last: int


@dataclass(frozen=True)
class RoundRow:
    """A round in the schedule. ``round`` is ``None`` if it has not begun, ``expected`` is its expected end."""

    number: int
    tables: int
    round: RoundResults | None
    expected: datetime | None = None

    @property
    def running(self) -> bool:
        return self.round is not None and self.round.row.ended is None


def cup_page(cup: Cup, number: str | None) -> CupPage:
    """A cup with the page ``number`` of its standings; at most four queries."""
    return CupPage(cup, CupResults(cup), CupSchedule.objects.filter(cup=cup).first(), number)


# --- Trophies --------------------------------------------------------------------------------------------------------

TROPHIES: Final = 6
"""Trophies on a page of a bot or user, the newest first."""


def trophies(bots: QuerySet[Bot], user: Viewer) -> list[Any]:
    """The first three places of ``bots`` in finished cups that are listed, newest first, in one query.

    Each entry has the number of entrants as ``among``. Disqualified entrants have no trophy, and neither have bots of
    users who are or were organizers of the cup: they could have ruled on the games of others.
    """
    was_organizer = Q(cup__organizer=F("bot__owner"))
    for helpers in (Cup.co_organizers.through, Cup.former_organizers.through):
        was_organizer |= Q(Exists(helpers._default_manager.filter(cup=OuterRef("cup"), user=OuterRef("bot__owner"))))
    number = CupEntry.objects.filter(cup=OuterRef("cup"), number__isnull=False).order_by().values("cup")
    won = CupEntry.objects.filter(
        bot__in=bots, rank__lte=3, cup__in=cups_seen_by(user), cup__listed=True, cup__state=Cup.State.FINISHED
    ).exclude(state=CupEntry.State.DISQUALIFIED)
    won = won.exclude(was_organizer)
    counted = won.annotate(among=Subquery(number.annotate(number=Count("pk")).values("number")))
    return list(counted.select_related("cup", "bot").order_by("-cup__ended", "rank", "pk")[:TROPHIES])


# --- Entries ---------------------------------------------------------------------------------------------------------


class EnterForm(forms.Form):
    """The bot that a user enters."""

    bot = forms.ChoiceField(label=gettext_lazy("Bot"))

    def __init__(self, bots: Iterable[Bot], *args: Any) -> None:
        super().__init__(*args)
        cast("forms.ChoiceField", self.fields["bot"]).choices = [(bot.slug, bot.name) for bot in bots]


@dataclass(frozen=True)
class OwnEntries:
    """The bots that a user has entered, and the form to enter those that can play.

    ``at_limit``: the user has entered as many own bots as the cup allows.
    """

    entered: Sequence[CupEntry]
    form: EnterForm
    at_limit: bool

    @property
    def can_enter(self) -> bool:
        return bool(cast("forms.ChoiceField", self.form.fields["bot"]).choices)


def own_entries(cup: Cup, user: User, *data: Any) -> OwnEntries:
    """What ``user`` can enter and has entered: own bots and, for organizers, house bots. At most three queries."""
    owners = {user.pk, None} if organizes(user, cup) else {user.pk}
    of = Q(owner=user) | Q(owner=None) if None in owners else Q(owner=user)
    entered = CupEntry.objects.filter(cup=cup, state=CupEntry.State.ENTERED).select_related("bot")
    own = [entry for entry in entered if entry.bot.owner_id in owners]
    bots = Bot.objects.playing().filter(of, kind=Bot.Kind.HOSTED).exclude(pk__in=[entry.bot_id for entry in own])
    versions = BotVersion.objects.filter(bot__in=bots, active=True).select_related("bot").order_by("bot__name", "pk")
    able = [version.bot for version in versions if plays(version, cup.ladder.game, cup.ladder.seats)]
    at_limit = sum(entry.bot.owner_id == user.pk for entry in own) >= cup.entries_per_user
    if at_limit and not data:  # a sent form keeps all bots, so that the refusal says why
        able = [bot for bot in able if bot.owner_id is None]
    return OwnEntries(own, EnterForm(able, *data), at_limit)


# --- One round -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RoundPage:
    """A round of a cup with a page of its tables, the best entrant of each first."""

    cup: Cup
    round: CupRound
    last: int
    byes: Sequence[CupEntry]
    tables: Page[CupTable]
    rows: Sequence[TableResults]


def round_page(cup: Cup, round_: CupRound, number: str | None) -> RoundPage:
    """A round with the page ``number`` of its tables; five queries."""
    tables = Paginator(CupTable.objects.filter(round=round_).order_by("index"), ROWS_PER_PAGE).get_page(number)
    entrants = CupResults(cup).entrants
    rows = [
        replace(row, entrants=sorted(row.entrants, key=lambda one: (-(one.match_points or 0), -(one.points or 0))))
        for row in table_results(round_, tables, entrants)
    ]
    last = CupRound.objects.filter(cup=cup).count()
    return RoundPage(cup, round_, last, [entrants[entrant] for entrant in round_.byes], tables, rows)


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def cups(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/cups.html", {"page": cups_page(request.user, request.GET.get("page"))})


def _version(request: HttpRequest, slug: str) -> str | None:
    """An ETag for the parts of a cup that an open page requests again; ``None`` for a whole page. One query."""
    if "HX-Request" not in request.headers:
        return None
    tables = CupTable.objects.filter(round__cup=OuterRef("pk"), round__ended=None, decided=True)
    entries = CupEntry.objects.filter(cup=OuterRef("pk"), state=CupEntry.State.ENTERED)
    ledger = CupLedgerEntry.objects.filter(cup=OuterRef("pk"))
    stored = CupSchedule.objects.filter(cup=OuterRef("pk")).values("computed")
    counts = [_counted(rows) for rows in (tables, entries, ledger)]
    following = ("next__state", "next__slug", "next__title", "next__closes_at")
    shown = cups_seen_by(request.user).filter(slug=slug)
    row = shown.values_list("pk", "state", *following, *counts, Subquery(stored)).first()
    parts = (request.user.pk, request.get_full_path(), get_language(), row)
    return f'"{sha256(repr(parts).encode()).hexdigest()}"'


def _counted(rows: QuerySet[Any]) -> Subquery:
    return Subquery(rows.order_by().annotate(one=Value(1)).values("one").annotate(number=Count("pk")).values("number"))


@require_safe
@condition(etag_func=_version)
def cup(request: HttpRequest, slug: str) -> HttpResponse:
    shown = cup_seen_by(request.user, slug)
    is_open = shown.state == Cup.State.REGISTRATION and shown.closes_at > timezone.now()
    own = own_entries(shown, request.user) if is_open and request.user.is_authenticated else None
    return _shown(request, shown, own, is_open)


def _shown(request: HttpRequest, cup: Cup, own: OwnEntries | None, is_open: bool) -> HttpResponse:
    context = {
        "page": cup_page(cup, request.GET.get("page")),
        "own": own,
        "is_open": is_open,
        "playing": [] if is_open else _playing(cup, request.user),
        "runs": request.user.is_authenticated and may_run(request.user, cup),
    }
    return unlisted(render(request, "pages/cup.html", context, status=form_status(own.form) if own else None), cup)


def _playing(cup: Cup, user: Viewer) -> Sequence[CupEntry]:
    """The bots of ``user`` that play in a cup that has not ended; one query."""
    if not user.is_authenticated or cup.state not in Cup.OPEN:
        return []
    entries = CupEntry.objects.filter(cup=cup, state=CupEntry.State.ENTERED, bot__owner=user.pk)
    return list(entries.select_related("bot").order_by("pk"))


@require_POST
@login_required
@limit_actions
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter a bot before the deadline."""
    entered, user = cup_seen_by(request.user, slug), cast("User", request.user)
    own = own_entries(entered, user, request.POST)
    if own.form.is_valid():
        bot = found(Bot.objects.all(), gettext("Bot not found."), slug=own.form.cleaned_data["bot"])
        try:
            registration.enter(user, entered, bot)
            messages.success(request, _("%(bot)s was entered in %(cup)s.") % {"bot": bot.name, "cup": entered.title})
            return redirect("pages:cup", slug)
        except Refused as refusal:
            own.form.add_error("bot", str(refusal))
    return _shown(request, entered, own, is_open=True)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@limit_actions
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Withdraw a bot. After the deadline, it cannot be undone, so the page of the cup links to a question first."""
    entries = CupEntry.objects.filter(cup=cup_seen_by(request.user, slug)).select_related("bot", "cup")
    sent = request.POST if request.method == "POST" else request.GET
    entry = found(entries, gettext("Entry not found."), bot__slug=sent.get("bot", ""))
    if request.method != "POST":
        context = {"cup": entry.cup, "entry": entry, "what": "withdraw", "has_ended": entry.cup.state not in Cup.OPEN}
        return render(request, "pages/cup_action.html", context)
    try:
        registration.withdraw(cast("User", request.user), entry)
        messages.success(request, _("%(bot)s was withdrawn from %(cup)s.") % {"bot": entry.bot.name, "cup": entry.cup})
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:cup", slug)


@require_safe
def one_round(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    shown = cup_seen_by(request.user, slug)
    round_ = found(CupRound.objects.filter(cup=shown), gettext("Round not found."), number=number)
    page = round_page(shown, round_, request.GET.get("page"))
    return unlisted(render(request, "pages/cup_round.html", {"page": page}), shown)
