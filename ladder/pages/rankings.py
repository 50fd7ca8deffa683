"""A ladder's table as a page shows it: in the order and with the filters that its address asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.core.paginator import Page
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import NullIf
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from bots import remote
from bots.languages import LANGUAGES
from bots.models import Bot, BotVersion
from games.base import Game
from games.registry import GAMES
from ladder.matches.candidates import people_on, playing_versions
from ladder.members.standings import Standing, listed, page_of
from ladder.models import Entry, Estimate, Ladder, Season
from ladder.models.ladders import Viewer
from ladder.pages.apart import Apart, apart
from ladder.pages.axis import Axis, axis
from ladder.pages.by_strength import ByStrength
from ladder.pages.clocks import Clock
from ladder.pages.estimates import estimated
from ladder.pages.tables import Books, active_versions, books
from ladder.pages.tabling.asking import OF, Asked, Choice, Column, Parameters, asked_of
from ladder.pages.tabs import Tabs, ladder_tabs
from ladder.ratings.elo import PROVISIONAL_GAMES

ROWS: Final = 50
NAMED: Final = 3
"""Bots that the sentence above a table names beside the first, at most."""

COLUMNS: Final = (
    Column("rating", _("rating")),
    Column("bot", _("bot"), falling=False, numeric=False),
    Column("strength", _("strength, 95 %")),
    Column("change", _("last game")),
    Column("games", _("games")),
    Column("first", _("first places, %")),
)
FIELDS: Final = {
    "rating": "rating",
    "bot": "bot__name",
    "change": "last_change",
    "games": "games",
    "first": "share",
}
"""By column, what it is sorted by; strengths are not the entries' own."""

STATE: Final = Choice(
    "state", _("Who plays"), {"": _("Playing or not"), "playing": _("Playing"), "resting": _("Resting")}
)
CERTAINTY: Final = Choice(
    "games",
    _("Games"),
    {"": _("Any number of games"), "settled": _("Settled ratings"), "provisional": _("Provisional")},
)
LANGUAGE: Final = Choice(
    "language", _("Language"), {"": _("All languages"), **{one.name: one.title for one in LANGUAGES.values()}}
)
MINE: Final = Choice(OF.name, OF.label, {**OF.values, "mine": _("My bots")})
"""Whose bots, for somebody who has signed in."""


@dataclass(frozen=True)
class Row:
    """One row: who stands there, with the version that plays, and how surely it stands there.

    ``marks`` are what the lines at the left draw beside it; ``reach`` are the first and the last rank of the neighbours
    that it cannot be told apart from, ``None`` where it can.
    """

    standing: Standing
    version: int | None
    estimate: Estimate | None
    marks: Sequence[str]
    reach: tuple[int, int] | None
    own: bool

    @property
    def entry(self) -> Entry:
        return self.standing.entry


@dataclass(frozen=True)
class LadderPage:
    """One ladder's table, a page of it, with everything that is drawn beside it.

    ``standing_bots`` are all in the table, ``people`` have bots that play here, counted up to the seats of a table, and
    ``here`` are the remote bots that play here and are connected.
    """

    ladder: Ladder
    season: Season | None
    tabs: Sequence[Tabs]
    asked: Asked
    standings: Page[Standing]
    rows: Sequence[Row]
    lanes: int
    standing_bots: int
    books: Books
    people: int
    here: int

    @property
    def clock(self) -> Clock:
        """The time that a seat of a live game has."""
        return Clock.of(self.ladder)

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def fair_share(self) -> float:
        """The share of first places that luck alone gives, 0 to 1."""
        return 1 / self.ladder.seats

    @property
    def widest_share(self) -> float:
        """The share of first places that fills its bar, 0 to 1: never less than twice the fair one."""
        return max([2 * self.fair_share, *(row.entry.win_share or 0 for row in self.rows)])

    @cached_property
    def axis(self) -> Axis:
        """The one axis of all rows."""
        ends = [end for row in self.rows for end in _ends(row)]
        return axis(ends)

    @property
    def provisional_games(self) -> int:
        return PROVISIONAL_GAMES

    @property
    def leaders(self) -> list[str]:
        """Who is first, if this is the top of the table; a few names at most."""
        if not self.asked.usual or self.standings.number > 1:
            return []
        return [row.entry.bot.name for row in self.rows if row.standing.rank == 1][:NAMED]

    @property
    def level(self) -> list[str]:
        """Who cannot be told apart from the one who leads alone."""
        if len(self.leaders) != 1 or self.rows[0].reach is None:
            return []
        last = self.rows[0].reach[1]
        return [row.entry.bot.name for row in self.rows[1:] if row.standing.rank <= last]


def ladder_page(ladder: Ladder, parameters: Parameters, user: Viewer) -> LadderPage:
    """The page of the table of ``ladder`` that an address asks for; twelve queries at most, however many stand."""
    season = ladder.seasons.order_by("-number").first()
    asked = asked_of(parameters, COLUMNS, (MINE if user.pk else OF, *_languages(ladder), STATE, CERTAINTY))
    shown, everybody = page_of(ladder, _wanted(ladder, season, asked, user), parameters("page"), ROWS)
    lines, rows = _rows(ladder, list(shown), asked, user)
    return LadderPage(
        ladder=ladder,
        season=season,
        tabs=ladder_tabs(Ladder.objects.visible_to(user).order_by("pk"), ladder, _address),
        asked=asked,
        standings=shown,
        rows=rows,
        lanes=len(lines.lanes),
        standing_bots=everybody,
        books=books(ladder),
        people=people_on(ladder),
        here=_here(ladder) if ladder.live and ladder.players != Ladder.Players.PEOPLE else 0,
    )


def _languages(ladder: Ladder) -> tuple[Choice, ...]:
    """Nothing is known of the languages of remote bots, and people have none."""
    return (LANGUAGE,) if ladder.for_house else ()


def _here(ladder: Ladder) -> int:
    return remote.here().filter(bot__in=Entry.objects.filter(ladder=ladder, active=True).values("bot")).count()


def _wanted(ladder: Ladder, season: Season | None, asked: Asked, user: Viewer) -> QuerySet[Entry] | ByStrength:
    """The entries that are asked for, in the order that is asked for."""
    entries = listed(ladder)
    if asked.looked_for:
        word = asked.looked_for
        entries = entries.filter(Q(bot__name__icontains=word) | Q(bot__owner__username__icontains=word))
    for name, value in asked.values.items():
        condition = _conditions(user).get((name, value))
        if condition is not None:
            entries = entries.filter(condition)
    if "language" in asked.values:
        playing = BotVersion.objects.filter(bot=OuterRef("bot"), active=True, language=asked.values["language"])
        entries = entries.filter(Exists(playing))
    return _ordered(entries, season, asked)


def _conditions(user: Viewer) -> Mapping[tuple[str, str], Q]:
    return {
        ("of", "house"): Q(bot__owner=None),
        ("of", "people"): Q(bot__owner__isnull=False),
        ("of", "mine"): Q(bot__owner=user.pk),
        ("state", "playing"): Q(active=True),
        ("state", "resting"): Q(active=False),
        ("games", "settled"): Q(games__gte=PROVISIONAL_GAMES),
        ("games", "provisional"): Q(games__lt=PROVISIONAL_GAMES),
    }


def _ordered(entries: QuerySet[Entry], season: Season | None, asked: Asked) -> QuerySet[Entry] | ByStrength:
    """The entries by a column; what has no value there comes last, and ratings decide between equals."""
    key = asked.column.key
    if key == "strength":
        return ByStrength(entries, season, falling=asked.falling)
    if key == "first":
        entries = entries.alias(share=F("wins") * 1.0 / NullIf(F("games"), 0))
    field, last = F(FIELDS[key]), True if key == "first" else None
    order = field.desc(nulls_last=last) if asked.falling else field.asc(nulls_last=last)
    return entries.order_by(order, *(["-rating"] if key != "rating" else []), "pk")


def _rows(ladder: Ladder, shown: Sequence[Standing], asked: Asked, user: Viewer) -> tuple[Apart, list[Row]]:
    entries = [standing.entry for standing in shown]
    estimates, versions = estimated(ladder, entries), _versions(ladder, entries)
    by_strength = asked.column.key in ("rating", "strength")
    lines = apart([estimates.get(entry.bot_id) for entry in entries] if by_strength else [])
    rows = []
    for place, standing in enumerate(shown):
        bot = standing.entry.bot
        first, last = lines.reach(place)
        rows.append(
            Row(
                standing=standing,
                version=versions.get(bot.pk),
                estimate=estimates.get(bot.pk),
                marks=lines.marks(place),
                reach=(shown[first].rank, shown[last].rank) if last > first else None,
                own=bot.owner_id is not None and bot.owner_id == user.pk,
            )
        )
    return lines, rows


def _ends(row: Row) -> list[int]:
    its = row.estimate
    return [its.low, its.high] if its else [row.entry.rating]


def _address(ladder: Ladder) -> str:
    return reverse("pages:ladder", args=[ladder.slug])


def _versions(ladder: Ladder, entries: Sequence[Entry]) -> dict[int, int]:
    """By bot, the number of the version that plays on ``ladder``; one query, two where versions freeze."""
    if ladder.freezes_at is None:
        return active_versions([entry.bot_id for entry in entries])
    playing = playing_versions(entries).items()
    return {bot: version.number for bot, version in playing if version.bot.kind != Bot.Kind.PERSON}
