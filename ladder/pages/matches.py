"""Match list page, and match rows on other pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_safe

from bots.models import Bot
from games.outcomes import has_score
from games.registry import GAMES
from ladder.access import ladder_seen_by, matches_in_order_seen_by, matches_seen_by, with_seats_of
from ladder.models import Ladder, Match, Seat, SeatResult
from ladder.models.ladders import Viewer
from ladder.pages.components.filters import Parameters, Part, Tab, Tabs, ladder_tabs, part, word
from ladder.pages.components.people import Named, named

# --- Rows ------------------------------------------------------------------------------------------------------------

ROWS = 30


def listed(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Return ``matches`` with everything that a list row shows; the seats cost one more query."""
    return matches.select_related("ladder").prefetch_related(seats_shown())


def listed_part(matches: QuerySet[Match], parameters: Callable[[str], str | None], size: int = ROWS) -> Part[Match]:
    """Return the requested part of ``matches``, up to ``size`` of them; two queries."""
    return part(listed(matches), parameters, size)


def result_of(seat: Seat) -> SeatResult | None:
    """Return the result of ``seat``, or ``None``."""
    return getattr(seat, "result", None)


def by_rank(match: Match) -> list[Seat]:
    """Return the seats of a listed match, winners first. Without a result they are in seat order."""
    return sorted(match.seats.all(), key=lambda seat: (getattr(result_of(seat), "rank", 0), seat.index))


def seat_of(match: Match, bot: Bot) -> Seat:
    """Return the seat of ``bot`` in a listed match. If two of its versions play, return the better seat."""
    return next(seat for seat in by_rank(match) if seat.version.bot_id == bot.pk)


def reached(match: Match, seat: Seat) -> str:
    """Return the main score of ``seat`` or "forfeit"; empty if it has no score."""
    result = result_of(seat)
    if result is not None and result.forfeit:
        return gettext("forfeit")
    if result is None or not has_score(result.score):
        return ""
    return GAMES[match.ladder.game].presentation.score_columns[0].text(result.score)


def names(seats: Sequence[Seat]) -> list[str]:
    """Return a unique name for each seat.

    Bots that share a name get their slug added. Two versions of one bot, as in a test match, get their version number.
    """
    plain = [seat.version.bot.name for seat in seats]
    bots = [seat.version.bot_id for seat in seats]
    return [_name(seat, plain, bots) for seat in seats]


def _name(seat: Seat, plain: Sequence[str], bots: Sequence[int]) -> str:
    bot = seat.version.bot
    if bots.count(bot.pk) > 1:
        return str(seat.version)
    return f"{bot.name} ({bot.slug})" if plain.count(bot.name) > 1 else bot.name


def seats_shown() -> Prefetch[Any]:
    """Return the prefetch for everything that a list row shows of the seats."""
    shown = Seat.objects.select_related("membership", "version__bot__owner", "result")
    seats = shown.defer("version__check_report").order_by("index")
    return Prefetch("seats", queryset=seats)


# --- The page --------------------------------------------------------------------------------------------------------

STATES = {
    "": (gettext_noop("Started"), ~Q(attempts_started=0)),
    "running": (gettext_noop("Running"), Q(status=Match.Status.RUNNING)),
    "waiting": (gettext_noop("Queued"), Q(status=Match.Status.QUEUED)),
    "void": (
        gettext_noop("Void or canceled"),
        Q(status__in=[Match.Status.VOID, Match.Status.CANCELLED, Match.Status.ABORTED]),
    ),
}
"""The states to filter by: value of the query parameter, label and condition."""

NOTHING = {
    "": (gettext_noop("No matches yet."), gettext_noop("No matches on this ladder yet.")),
    "running": (gettext_noop("No running matches."), gettext_noop("No running matches on this ladder.")),
    "waiting": (gettext_noop("No queued matches."), gettext_noop("No queued matches on this ladder.")),
    "void": (gettext_noop("No void or canceled matches."), gettext_noop("No void or canceled matches on this ladder.")),
}
"""Text for an empty list, by state: on all ladders, on one ladder."""


@dataclass(frozen=True)
class MatchesPage:
    """One part of the match list: matches on ``ladder`` (``None``: all) in ``state`` with the bots in ``fields``."""

    ladder: Ladder | None
    state: str
    fields: Sequence[Named]
    ladders: Sequence[Ladder]
    matches: Part[Match]

    @property
    def query(self) -> str:
        """The filters as a query string."""
        return self._query(self.ladder, self.state)

    @property
    def bots(self) -> list[Bot]:
        """The bots that the list is filtered by."""
        return [field.bot for field in self.fields if field.bot]

    @property
    def everybodys(self) -> str:
        """The URL without the bot filters."""
        return f"?{_query({'ladder': self.ladder.slug if self.ladder else '', 'state': self.state})}"

    @property
    def nothing(self) -> str:
        """The text that replaces an empty list."""
        return gettext(NOTHING[self.state][self.ladder is not None])

    @property
    def tabs(self) -> list[Tabs]:
        """Links that change one filter and keep the others."""
        everywhere = gettext("All ladders")
        everything = Tab(everywhere, everywhere, f"?{self._query(None, self.state)}", self.ladder is None)
        of_ladders = ladder_tabs(self.ladders, self.ladder, lambda ladder: f"?{self._query(ladder, self.state)}")
        of_states = [
            Tab(gettext(word), gettext(word), f"?{self._query(self.ladder, state)}", state == self.state)
            for state, (word, _) in STATES.items()
        ]
        return [Tabs("", [everything]), *of_ladders, Tabs(gettext("State"), of_states)]

    def _query(self, ladder: Ladder | None, state: str) -> str:
        bots = {field.name: field.bot.slug for field in self.fields if field.bot}
        return _query({"ladder": ladder.slug if ladder else "", "state": state, **bots})


def matches_page(ladder: Ladder | None, state: str, parameters: Parameters, user: Viewer) -> MatchesPage:
    """Return the requested part of the list in five queries. An unknown ``state`` selects started matches."""
    known = state if state in STATES else ""
    fields = [named(name, word(parameters(name))) for name in ("bot", "with")]
    few = known != "" or any(field.bot for field in fields)
    wanted = _of(ladder, user, few).filter(STATES[known][1])
    for field in fields:
        if field.bot:
            wanted = with_seats_of(wanted, field.bot.versions.all())
        elif field.problem:
            wanted = wanted.none()
    ladders = list(Ladder.objects.visible_to(user).order_by("pk"))
    return MatchesPage(ladder, known, fields, ladders, listed_part(wanted, parameters))


def _of(ladder: Ladder | None, user: Viewer, few: bool) -> QuerySet[Match]:
    """The matches of ``ladder``, or of all; unless ``few`` of them are wanted, read in the order of the list."""
    if ladder:
        return Match.objects.filter(ladder=ladder)
    return matches_seen_by(user) if few else matches_in_order_seen_by(user, Match.objects.all())


def _query(filters: Mapping[str, str]) -> str:
    return urlencode({name: value for name, value in filters.items() if value})


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    slug = request.GET.get("ladder")
    chosen = ladder_seen_by(request.user, slug) if slug else None
    page = matches_page(chosen, request.GET.get("state", ""), request.GET.get, request.user)
    return render(request, "pages/matches.html", {"page": page})
