"""The list of all matches, with its filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.utils.translation import gettext, gettext_noop

from bots.models import Bot
from ladder.access import matches_in_order_seen_by, matches_seen_by, with_seats_of
from ladder.models import Ladder, Match
from ladder.models.ladders import Viewer
from ladder.pages.comparing.choosing import Named, named
from ladder.pages.matches import listed_part
from ladder.pages.paging import Part
from ladder.pages.tabling.asking import Parameters, word
from ladder.pages.tabs import Tab, Tabs, ladder_tabs

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
