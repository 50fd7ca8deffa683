"""The pages of bots: all of them, and one with its ladders, versions and matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bots.models import Bot, BotVersion
from ladder.access import matches_seen_by, may_read, may_read_source, owns, with_seats_of
from ladder.models import Estimate, Ladder, Match
from ladder.models.ladders import Viewer
from ladder.pages.charts.rating_chart import RatingChart
from ladder.pages.estimates import of_bot
from ladder.pages.matches import listed_part
from ladder.pages.owning.panel import Panel, panel
from ladder.pages.owning.remote import Presence, presence
from ladder.pages.paging import Part
from ladder.pages.playing.habits import HabitTables, habit_tables, tallies_of
from ladder.pages.playing.opponents import HeatMap, heat_map
from ladder.pages.playing.places import Placed, chosen_of, placed_of
from ladder.pages.playing.strength import Strength, newest_by_ladder, strength
from ladder.pages.playing.tracing import chart_of
from ladder.pages.versions import Versions, versions_of
from ladder.statistics.habits import FEW

MATCHES = 12
"""Matches on a bot's page, a part at a time."""


@dataclass(frozen=True)
class BotPage:
    """One bot: where it stands, how it plays on the ladder that is looked at, what code it has had, its matches.

    ``presence`` is whether a remote one is here, ``panel`` is for its owner and staff; ``versions`` are a part of all
    for them, of those that were ready for everybody else. What is of one ladder is of its latest season: of ``chosen``,
    which is ``None`` without entries.
    """

    bot: Bot
    entries: Sequence[Placed]
    chosen: Placed | None
    versions: Versions
    matches: Part[Match]
    presence: Presence | None
    panel: Panel | None
    source_opens: bool
    estimates: Mapping[int, Estimate]
    chart: RatingChart | None
    strength: Strength | None
    heat: HeatMap | None
    habits: HabitTables | None

    @property
    def active(self) -> BotVersion | None:
        return self.versions.active

    @property
    def challengeable(self) -> bool:
        """Whether people can meet it at a table: it plays, and stands on an open ladder."""
        return self.bot.plays and any(
            one.entry.active and one.ladder.open and one.ladder.players == Ladder.Players.OPEN for one in self.entries
        )

    @property
    def games(self) -> int:
        """Rated games on all ladders."""
        return sum(entry.games for entry in self.entries)

    @property
    def queued(self) -> int:
        """Its rated games that wait in the queue, on all ladders."""
        return sum(entry.queued for entry in self.entries)

    @property
    def few(self) -> int:
        """Blocks below which nothing but counts is shown."""
        return FEW


def bot_page(bot: Bot, parameters: Callable[[str], str | None], user: Viewer) -> BotPage:
    """The page of ``bot`` for ``user``, of the ladder and with the parts of lists that an address asks for.

    Ten queries, seven where the chart is kept, two more for a remote bot, and up to four more for its owner and staff,
    however much has been played. Raises ``Http404`` for a ladder on which the bot does not stand for ``user``.
    """
    its = with_seats_of(matches_seen_by(user), bot.versions.all())
    inside = may_read(user, bot)
    versions = versions_of(bot, inside, parameters("versions"), user)
    placed = placed_of(bot, user)
    chosen = chosen_of([one for one in placed if one.shown], parameters("ladder"))
    estimates = of_bot(bot, user)
    return BotPage(
        bot=bot,
        entries=[one for one in placed if one.shown],
        chosen=chosen,
        versions=versions,
        matches=listed_part(its.exclude(attempts_started=0), parameters, MATCHES),
        presence=presence(bot, its),
        panel=panel(bot, versions.spoken_of, [one.entry for one in placed], owns(user, bot)) if inside else None,
        source_opens=versions.active is not None and may_read_source(user, versions.active),
        estimates=newest_by_ladder(estimates),
        **(_on_ladder(chosen, estimates) if chosen else _NOWHERE),
    )


_NOWHERE: Final[Mapping[str, Any]] = dict.fromkeys(("chart", "strength", "heat", "habits"))


def _on_ladder(chosen: Placed, estimates: Sequence[Estimate]) -> Mapping[str, Any]:
    """What is shown of one ladder; three queries, three more where the chart is not kept."""
    entry, season = chosen.entry, chosen.season
    tallies = tallies_of(entry, season)
    its = [one for one in estimates if one.season.ladder_id == entry.ladder_id]
    return {
        "chart": chart_of(entry, its),
        "strength": strength(its),
        "heat": heat_map(entry, season, tallies) if season else None,
        "habits": habit_tables(tallies, entry.ladder.game),
    }
