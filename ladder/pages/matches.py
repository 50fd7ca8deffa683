"""Match list page, and match rows on other pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.views.decorators.http import require_safe

from bots.models import Bot
from bots.names import guest_label
from bots.owners import is_guest
from games.outcomes import has_score
from games.registry import GAMES
from ladder.access import ladder_seen_by, matches_in_order_seen_by, matches_seen_by, with_seats_of
from ladder.matches.public_results import by_rank, result_of
from ladder.models import Ladder, Match, Seat
from ladder.models.ladders import Viewer
from ladder.pages.components.filters import Choice, KeysetPage, Parameters, TableQuery, paginate, table_query
from ladder.pages.components.people import Named, named

# --- Rows ------------------------------------------------------------------------------------------------------------

MATCHES_PER_PAGE = 30


def listed(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Return ``matches`` with everything that a list row shows; the seats cost one more query."""
    return matches.select_related("ladder", "block").prefetch_related(seats_shown())


def listed_part(
    matches: QuerySet[Match], parameters: Callable[[str], str | None], size: int = MATCHES_PER_PAGE
) -> KeysetPage[Match]:
    """Return the requested part of ``matches``, up to ``size`` of them; two queries."""
    return paginate(listed(matches), parameters, size)


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

    Bots that share a name get their slug added. Two versions of one bot, as in a test match, get their version number,
    and seats of one version a number: ``Level 3 #2``. Guests have the name that they chose, or else a number if there
    are several.
    """
    plain = [seat_name(seat) for seat in seats]
    named = [_name(seat, seats, plain) for seat in seats]
    return [
        f"{name} #{named[: place + 1].count(name)}" if named.count(name) > 1 else name
        for place, name in enumerate(named)
    ]


def seat_name(seat: Seat) -> str:
    """Return the name of the player of ``seat``, which another seat may share."""
    bot = seat.version.bot
    return guest_label(seat.guest_name) if is_guest(bot) else bot.name


def _name(seat: Seat, seats: Sequence[Seat], plain: Sequence[str]) -> str:
    """Return a name that only another seat of the same version shares."""
    bot = seat.version.bot
    if is_guest(bot):
        name = seat_name(seat)
        return f"{name} {seat.index + 1}" if plain.count(name) > 1 else name
    if len({other.version_id for other in seats if other.version.bot_id == bot.pk}) > 1:
        return str(seat.version)
    namesakes = {other.version.bot_id for other, name in zip(seats, plain, strict=True) if name == bot.name}
    return f"{bot.name} ({bot.slug})" if len(namesakes) > 1 else bot.name


def seats_shown() -> Prefetch[Any]:
    """Return the prefetch for everything that a list row shows of the seats."""
    shown = Seat.objects.select_related("membership", "version__bot__owner", "result")
    seats = shown.defer("version__validation_report").order_by("index")
    return Prefetch("seats", queryset=seats)


# --- The page --------------------------------------------------------------------------------------------------------

STATES: Final[Mapping[str, Q]] = {
    "": ~Q(attempts_started=0),
    "running": Q(status=Match.Status.RUNNING),
    "waiting": Q(status=Match.Status.QUEUED),
    "void": Q(status__in=[Match.Status.VOID, Match.Status.CANCELLED, Match.Status.ABORTED]),
}
"""The condition of each state to filter by."""

STATE: Final = Choice(
    "state",
    gettext_lazy("State"),
    {
        "": gettext_lazy("All started"),
        "running": gettext_lazy("Running"),
        "waiting": gettext_lazy("Queued"),
        "void": gettext_lazy("Void or canceled"),
    },
)

NOTHING = {
    "": (gettext_noop("No matches yet."), gettext_noop("No matches on this ladder yet.")),
    "running": (gettext_noop("No running matches."), gettext_noop("No running matches on this ladder.")),
    "waiting": (gettext_noop("No queued matches."), gettext_noop("No queued matches on this ladder.")),
    "void": (gettext_noop("No void or canceled matches."), gettext_noop("No void or canceled matches on this ladder.")),
}
"""Text for an empty list, by state: on all ladders, on one ladder."""

PLAYERS: Final = ("bot", "with")
"""The query parameters of the players that the list is filtered by."""


@dataclass(frozen=True)
class MatchesPage:
    """One part of the match list: matches on ``ladder`` (``None``: all) with the bots in ``fields``."""

    asked: TableQuery
    ladder: Ladder | None
    fields: Sequence[Named]
    matches: KeysetPage[Match]

    @property
    def query(self) -> str:
        """The filters as a query string, without its question mark and ampersand."""
        return self.asked.keep.removesuffix("&")

    @property
    def bots(self) -> list[Bot]:
        """The bots that the list is filtered by."""
        return [field.bot for field in self.fields if field.bot]

    @property
    def everybodys(self) -> str:
        """The URL without the bot filters."""
        return self.asked.without(*PLAYERS)

    @property
    def nothing(self) -> str:
        """The text that replaces an empty list."""
        return gettext(NOTHING[self.asked.values.get("state", "")][self.ladder is not None])


def matches_page(ladder: Ladder | None, parameters: Parameters, user: Viewer) -> MatchesPage:
    """Return the requested part of the list in five queries. An unknown state selects started matches."""
    asked = table_query(parameters, (), (_ladders(user), STATE), PLAYERS)
    state = asked.values.get("state", "")
    fields = [named(name, asked.values.get(name, "")) for name in PLAYERS]
    few = state != "" or any(field.bot for field in fields)
    wanted = _of(ladder, user, few).filter(STATES[state])
    for field in fields:
        if field.bot:
            wanted = with_seats_of(wanted, field.bot.versions.all())
        elif field.problem:
            wanted = wanted.none()
    return MatchesPage(asked, ladder, fields, listed_part(wanted, parameters))


def _ladders(user: Viewer) -> Choice:
    ladders = Ladder.objects.visible_to(user).order_by("pk").values_list("slug", "name")
    return Choice("ladder", gettext("Ladder"), {"": gettext("All ladders"), **dict(ladders)})


def _of(ladder: Ladder | None, user: Viewer, few: bool) -> QuerySet[Match]:
    """The matches of ``ladder``, or of all; unless ``few`` of them are wanted, read in the order of the list."""
    if ladder:
        return Match.objects.filter(ladder=ladder)
    return matches_seen_by(user) if few else matches_in_order_seen_by(user, Match.objects.all())


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    slug = request.GET.get("ladder")
    chosen = ladder_seen_by(request.user, slug) if slug else None
    page = matches_page(chosen, request.GET.get, request.user)
    return render(request, "pages/matches.html", {"page": page})
