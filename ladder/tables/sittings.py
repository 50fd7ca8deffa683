"""Who sat where from which move to which, kept beside the record for tables with people (``ladder.models.Sitting``)."""

from __future__ import annotations

from collections.abc import Iterable
from sys import maxsize

from bots.models import BotVersion
from ladder.models import Chair, Match, Sitting


def begin(match: Match, chairs: Iterable[Chair]) -> None:
    """Write down who sits at a new table, if any of them is a person."""
    chairs = list(chairs)
    if any(chair.kind in Chair.OF_PEOPLE for chair in chairs):
        Sitting.objects.bulk_create(
            Sitting(match=match, seat=chair.seat, version=chair.seat.version, from_move=0) for chair in chairs
        )


def stood_in(chairs: Iterable[Chair]) -> dict[int, list[range]]:
    """By seat, the numbers of the moves while which a bot sat in a person's chair; one query, if one ever has."""
    seats = {chair.seat_id: chair.seat for chair in chairs if chair.stand_in_id is not None}
    rows = Sitting.objects.filter(seat__in=seats).order_by("pk") if seats else ()
    found: dict[int, list[range]] = {}
    for row in rows:
        if row.version_id != seats[row.seat_id].version_id:
            part = range(row.from_move, maxsize if row.to_move is None else row.to_move)
            found.setdefault(seats[row.seat_id].index, []).append(part)
    return found


def change(chair: Chair, version: BotVersion, move: int) -> None:
    """From ``move`` on ``version`` sits in ``chair``; who has sat there for no move at all has not sat there."""
    mine = Sitting.objects.filter(seat=chair.seat_id)
    if not mine.filter(to_move=None, from_move=move).delete()[0]:
        mine.filter(to_move=None).update(to_move=move)
    if not mine.filter(version=version, to_move=move).update(to_move=None):
        Sitting.objects.create(match_id=chair.table_id, seat_id=chair.seat_id, version=version, from_move=move)
