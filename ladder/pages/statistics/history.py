"""The rating of an entry over the ledger, and the line that is drawn of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, Min, Q, Window
from django.db.models.functions import Mod, RowNumber

from ladder.models import Entry, LedgerEntry, Season, SeatResult
from ladder.pages.axis import axis
from ladder.ratings.elo import POINT

MOST_POINTS = 200
"""Points of a line: more could not be told apart on a page."""

_ROWS = 20
_ROOM = 0.04
"""The box reaches so much further than the ratings, so that the line does not touch its edge."""


@dataclass(frozen=True)
class Moment:
    """The rating, in 1/1000 point, after the result with this number of the ledger."""

    number: int
    rating: int
    version: int


@dataclass(frozen=True)
class History:
    """Moments in the order of the ledger, thinned out; ``games`` is how many there are. The last one is among them.

    ``versions`` are the first results of the versions that played, by their numbers.
    """

    moments: Sequence[Moment]
    versions: Sequence[Moment]
    games: int

    @property
    def rows(self) -> Sequence[Moment]:
        """Few of the moments, for a table beside the line."""
        step = -(-len(self.moments) // _ROWS)
        return self.moments[::-1][::step][::-1]

    @property
    def highest(self) -> Moment:
        return max(self.moments, key=lambda moment: moment.rating)

    @property
    def last(self) -> Moment:
        return self.moments[-1]


@dataclass(frozen=True)
class Mark:
    """Something drawn beside the line, in per cent of the box, with what it says."""

    place: float
    text: str


@dataclass(frozen=True)
class Line:
    """A line in a box of 100 by 100; ``levels`` are heights from the top, ``versions`` places from the left."""

    path: str
    last: tuple[float, float]
    levels: Sequence[Mark]
    versions: Sequence[Mark]


def history(entry: Entry, season: Season) -> History | None:
    """The history of ``entry`` in ``season``, ``None`` before its first rated game there; three queries.

    The database thins it out, so that as many rows come here for a hundred games as for a hundred thousand.
    """
    of_season = Q(result__ledger_entries__season=season, result__ledger_entries__kind=LedgerEntry.Kind.RESULT)
    rated = SeatResult.objects.filter(of_season, seat__entry=entry, rating_after__isnull=False).order_by()
    rated = rated.annotate(number=F("result__ledger_entries__number"), played=F("seat__version__number"))
    games = rated.count()
    if not games:
        return None
    step = -(-games // MOST_POINTS)
    placed = rated.annotate(place=Window(RowNumber(), order_by=F("number").desc())).annotate(turn=Mod("place", step))
    kept = placed.filter(turn=1 % step).order_by("number").values_list("number", "rating_after", "played")
    first = rated.values("played").annotate(first=Min("number")).order_by("first")
    moments = [Moment(number, rating or 0, version) for number, rating, version in kept]
    begun = [Moment(one["first"], 0, one["played"]) for one in first]
    return History(moments, begun, games)


def line(its: History) -> Line:
    """The line of a history: the ledger to the right, the rating upwards."""
    ratings = [moment.rating for moment in its.moments]
    low, high = min(ratings), max(ratings)
    room = max(POINT, (high - low) * _ROOM)
    first = min(its.moments[0].number, *(version.number for version in its.versions))
    width = max(1, its.last.number - first)

    def right(number: int) -> float:
        return round(100 * (number - first) / width, 2)

    def down(rating: float) -> float:
        return round(100 * (high + room - rating) / (high - low + 2 * room), 2)

    levels = [points for points, _ in axis(ratings).ticks if low - room <= points * POINT <= high + room]
    points = [(right(moment.number), down(moment.rating)) for moment in its.moments]
    return Line(
        path="M" + "L".join(f"{x} {y}" for x, y in points),
        last=points[-1],
        levels=[Mark(down(level * POINT), str(level)) for level in levels],
        versions=[Mark(right(version.number), f"v{version.version}") for version in its.versions],
    )
