"""Who sat where at a table with people, once the game is over: bots of the house that stood in for somebody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from bots.models import Bot
from bots.persons import is_guest
from ladder.lobby.rematching import WITHIN
from ladder.models import Block, Challenge, Ladder, Match, Sitting

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


def own_seat(seats: Sequence[Seat], person: int | None) -> Seat | None:
    """The seat at which somebody plays by hand; ``None`` for who does not."""
    theirs = (seat for seat in seats if seat.version.bot.kind == Bot.Kind.PERSON and person is not None)
    return next((seat for seat in theirs if seat.version.bot.owner_id == person), None)


def again(match: Match, seats: Sequence[Seat], person: int | None) -> str:
    """How somebody can play this table again: ``rematch`` for who just played there, ``now`` for guests' tables.

    ``accept`` where one of the others has asked for a rematch. Empty where that is not possible, or not theirs to ask.
    One query for who played there.
    """
    if match.status not in Match.ENDED or match.ended is None or timezone.now() - match.ended > WITHIN:
        return ""
    if own_seat(seats, person) is not None:
        asked = Challenge.objects.filter(again=match, state=Challenge.State.OPEN, expires__gt=Now())
        return "accept" if asked.exclude(by=person).exists() else "rematch"
    by_guest = person is None and any(is_guest(seat.version.bot) for seat in seats)
    return "now" if by_guest and match.ladder.players == Ladder.Players.OPEN else ""
