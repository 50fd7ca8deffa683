"""The list of all matches, and rows of matches on other pages."""

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
    """``matches`` with all that a row of a list shows, without seeds; one query more for the seats."""
    return matches.select_related("ladder").prefetch_related(seats_shown())


def listed_part(matches: QuerySet[Match], parameters: Callable[[str], str | None], size: int = ROWS) -> Part[Match]:
    """The part of ``matches`` that an address asks for, ``size`` of them; two queries."""
    return part(listed(matches), parameters, size)


def result_of(seat: Seat) -> SeatResult | None:
    """What ``seat`` reached; ``None`` without a result."""
    return getattr(seat, "result", None)


def by_rank(match: Match) -> list[Seat]:
    """The seats of a listed match, winners first; in seat order where there is no result."""
    return sorted(match.seats.all(), key=lambda seat: (getattr(result_of(seat), "rank", 0), seat.index))


def seat_of(match: Match, bot: Bot) -> Seat:
    """The seat of ``bot`` in a listed match; of two versions in a test, that of the better one."""
    return next(seat for seat in by_rank(match) if seat.version.bot_id == bot.pk)


def reached(match: Match, seat: Seat) -> str:
    """What ``seat`` reached in the first column of its game's tables, or that it forfeited; empty without a score."""
    result = result_of(seat)
    if result is not None and result.forfeit:
        return gettext("forfeit")
    if result is None or not has_score(result.score):
        return ""
    return GAMES[match.ladder.game].presentation.score_columns[0].text(result.score)


def names(seats: Sequence[Seat]) -> list[str]:
    """What the seats are called in a told game: bots that share a name are told apart by their address names.

    Two versions of one bot, which only a test has, are told apart by their numbers.
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
    """The seats of matches in a list, with all that a row shows of them."""
    shown = Seat.objects.select_related("membership", "version__bot__owner", "result")
    seats = shown.defer("version__check_report").order_by("index")
    return Prefetch("seats", queryset=seats)


# --- The page --------------------------------------------------------------------------------------------------------

STATES = {
    "": (gettext_noop("played and running"), ~Q(attempts_started=0)),
    "running": (gettext_noop("running"), Q(status=Match.Status.RUNNING)),
    "waiting": (gettext_noop("waiting"), Q(status=Match.Status.QUEUED)),
    "void": (gettext_noop("void"), Q(status__in=[Match.Status.VOID, Match.Status.CANCELLED, Match.Status.ABORTED])),
}
"""What can be asked for: the word in the address, the word on the page, and which matches it means."""

NOTHING = {
    "": (gettext_noop("No matches yet."), gettext_noop("No matches on this ladder yet.")),
    "running": (gettext_noop("No match is running."), gettext_noop("No match is running on this ladder.")),
    "waiting": (gettext_noop("No match is waiting."), gettext_noop("No match is waiting on this ladder.")),
    "void": (gettext_noop("No match is void."), gettext_noop("No match is void on this ladder.")),
}
"""What is said where there is no such match: on all ladders, on one."""


@dataclass(frozen=True)
class MatchesPage:
    """A part of the matches of ``ladder`` (or of all) in ``state``, of the bots that ``fields`` name."""

    ladder: Ladder | None
    state: str
    fields: Sequence[Named]
    ladders: Sequence[Ladder]
    matches: Part[Match]

    @property
    def query(self) -> str:
        """The filters, as they stand in an address."""
        return self._query(self.ladder, self.state)

    @property
    def bots(self) -> list[Bot]:
        """Those whose matches are listed; none where everybody's are."""
        return [field.bot for field in self.fields if field.bot]

    @property
    def everybodys(self) -> str:
        """The address without the bots."""
        return f"?{_query({'ladder': self.ladder.slug if self.ladder else '', 'state': self.state})}"

    @property
    def nothing(self) -> str:
        """What stands in place of the list where it is empty."""
        return gettext(NOTHING[self.state][self.ladder is not None])

    @property
    def tabs(self) -> list[Tabs]:
        """Links to the other filters; each keeps what the others say."""
        everywhere = gettext("all ladders")
        everything = Tab(everywhere, everywhere, f"?{self._query(None, self.state)}", self.ladder is None)
        of_ladders = ladder_tabs(self.ladders, self.ladder, lambda ladder: f"?{self._query(ladder, self.state)}")
        of_states = [
            Tab(gettext(word), gettext(word), f"?{self._query(self.ladder, state)}", state == self.state)
            for state, (word, _) in STATES.items()
        ]
        return [Tabs("", [everything]), *of_ladders, Tabs(gettext("state"), of_states)]

    def _query(self, ladder: Ladder | None, state: str) -> str:
        bots = {field.name: field.bot.slug for field in self.fields if field.bot}
        return _query({"ladder": ladder.slug if ladder else "", "state": state, **bots})


def matches_page(ladder: Ladder | None, state: str, parameters: Parameters, user: Viewer) -> MatchesPage:
    """The part that an address asks for, five queries; a ``state`` that is none shows what was and is played."""
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
