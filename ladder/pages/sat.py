"""What a table with people adds to its match page, once the game is over: substitutes, outages, and a rematch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from bots.models import Bot
from bots.persons import is_guest
from ladder.matchmaking.rematches import WITHIN, request_for
from ladder.models import Block, Challenge, Ladder, Match, Outage, Sitting
from ladder.pages.words import enumerated, span

if TYPE_CHECKING:
    from ladder.models import Seat

_ON: Final = gettext_noop("%(bot)s played for %(person)s from move %(first)s to the end.")
_TO: Final = gettext_noop("%(bot)s played for %(person)s from move %(first)s to move %(last)s.")


@dataclass(frozen=True)
class StoodIn:
    """A stretch of a game in which a bot of the house sat in somebody's chair; ``seat`` counts from 0."""

    seat: int
    sentence: str


def stood_in(match: Match, names: Sequence[str]) -> list[StoodIn]:
    """The stretches of a live game that is over, by seat; one query. Of a running one nothing is told."""
    if match.status not in Match.ENDED or match.block.purpose not in Block.DRIVEN_BY_REQUESTS:
        return []
    others = Sitting.objects.filter(match=match).exclude(version=F("seat__version"))
    rows = others.select_related("seat", "version__bot").defer("version__check_report")
    return [
        StoodIn(row.seat.index, _sentence(row, names[row.seat.index]))
        for row in rows.order_by("seat__index", "from_move")
    ]


def _sentence(row: Sitting, person: str) -> str:
    said = {"bot": row.version.bot.name, "person": person, "first": row.from_move + 1, "last": row.to_move}
    return gettext(_ON if row.to_move is None else _TO) % said


def outages(match: Match) -> list[str]:
    """The outages of the site during a live game that is over, as sentences; one query."""
    if match.status not in Match.ENDED or match.block.purpose not in Block.DRIVEN_BY_REQUESTS:
        return []
    said = gettext("The site was unavailable for %(time)s before move %(move)s. Running clocks were extended.")
    rows = Outage.objects.filter(match=match)
    return [said % {"time": span(row.ms / 1000), "move": row.before_move + 1} for row in rows]


def outages_said(ms: int) -> str:
    """The same for a table that is being played, where the number of moves may be hidden."""
    said = gettext("The site was unavailable for %(time)s. Running clocks were extended.")
    return said % {"time": span(ms / 1000)}


def own_seat(seats: Sequence[Seat], person: int | None) -> Seat | None:
    """The seat at which somebody plays by hand; ``None`` for who does not."""
    theirs = (seat for seat in seats if seat.version.bot.kind == Bot.Kind.PERSON and person is not None)
    return next((seat for seat in theirs if seat.version.bot.owner_id == person), None)


@dataclass(frozen=True)
class Again:
    """How a person can play again with the same players.

    ``how`` is ``rematch`` for a person who played there, ``asked`` while their request is open, ``accept`` if another
    player asks them, ``accepted`` once they have agreed, ``begun`` while the rematch runs, whose number is ``match``,
    and ``now`` for guests. ``names`` are the players in the sentence: those who ask, or those who have not answered.
    """

    how: str
    names: str = ""
    match: int | None = None


def again(match: Match, seats: Sequence[Seat], person: int | None) -> Again | None:
    """How ``person`` can play this table again; ``None`` if they cannot. Two queries for a person who played there."""
    if match.status not in Match.ENDED or match.ended is None or timezone.now() - match.ended > WITHIN:
        return None
    own = own_seat(seats, person)
    if own is None:
        by_guest = person is None and any(is_guest(seat.version.bot) for seat in seats)
        return Again("now") if by_guest and match.ladder.players == Ladder.Players.OPEN else None
    request = request_for(match.pk)
    if request is not None and request["match"] is not None:
        return Again("begun", match=request["match"])
    if request is None or request["state"] != Challenge.State.OPEN:
        return Again("rematch")
    called = {seat.index: seat.version.bot.name for seat in seats}
    if own.index in request["waiting"]:
        return Again("accept", called[request["by"]])
    waiting = enumerated([called[index] for index in request["waiting"]])
    return Again("asked" if request["by"] == own.index else "accepted", waiting)
