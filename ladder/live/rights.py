"""What a person at a table may do now besides moves, and what all players may know of their presence."""

from __future__ import annotations

from typing import Final

from games.rules import Document
from ladder.live import absences
from ladder.live.position import Position
from ladder.live.presence import AWAY, GONE
from ladder.models import LiveSeat, Match

ENDED_EARLY: Final = "A player aborted the game before the second round. It has no result."
ENDED_UNBEGUN: Final = "A player aborted the game before the first move. It has no result."


def is_here(position: Position, seat: int) -> str:
    """The presence at ``seat`` that all players may know: ``here``, ``away``, ``substitute``, ``left`` or ``bot``."""
    live_seat = position.live_seats[seat]
    if live_seat.kind not in LiveSeat.OF_PEOPLE:
        return "bot"
    if live_seat.forfeit or live_seat.resigned:
        return "left"
    if live_seat.kind == LiveSeat.Kind.SUBSTITUTE:
        return "substitute"
    return "away" if position.unseen(seat) >= AWAY else "here"


def rights_of(position: Position, seat: int, rounds: int | None = None) -> Document:
    """What the person of ``seat`` may do now.

    ``{"resign": bool, "resigning": str, "abort": {…}, "claim": bool, "return": bool}``: ``resigning`` is what would
    follow (``_resigning``). In ``abort``, ``allowed`` means that they can abort the game alone and ``agree`` that they
    can vote for it; ``agreed`` are the seats that have voted. ``rounds`` is the number of rounds that have begun as far
    as the seat may know; by default it is computed.
    """
    live_seat = position.live_seats[seat]
    if not runs(position) or live_seat.kind not in LiveSeat.OF_PEOPLE:
        none = {"allowed": False, "agree": False, "agreed": []}
        return {"resign": False, "resigning": "", "abort": none, "claim": False, "return": False}
    return {
        "resign": may_resign(live_seat),
        "resigning": _resigning(position, seat) if may_resign(live_seat) else "",
        "abort": {
            "allowed": bool(abort_alone(position, seat, rounds)),
            "agree": may_agree(position, seat),
            "agreed": [index for index, live_seat in enumerate(position.live_seats) if live_seat.would_abort],
        },
        "claim": may_claim(position, seat),
        "return": may_return(live_seat),
    }


def runs(position: Position) -> bool:
    return position.match.status == Match.Status.RUNNING and not position.table.over


def sits(live_seat: LiveSeat) -> bool:
    return live_seat.kind == LiveSeat.Kind.PERSON and not live_seat.forfeit


def may_resign(live_seat: LiveSeat) -> bool:
    return live_seat.kind in LiveSeat.OF_PEOPLE and not live_seat.forfeit and not live_seat.resigned


def _resigning(position: Position, seat: int) -> str:
    """What follows if the person of ``seat`` resigns (``absences.resign``, ``absences.conclude``).

    - ``ended``: the game ends at once, and the only one left wins.
    - ``won``: the game ends at once, and this player wins, because all others have given up or left earlier.
    - ``tied``: the same, but others gave up at the same step, or it is unknown when they did.
    - ``replaced``: a house bot plays on in the seat.
    - ``aborted``: no other person is there, so the game ends without a result.
    - ``left``: the same in a rated game, which the bots finish.
    """
    live_seats = position.live_seats
    others = [other for other in range(len(live_seats)) if other != seat]
    staying = [other for other in others if not absences.gave_up(live_seats[other])]
    if len(staying) > 1 and any(sits(live_seats[other]) for other in others):
        return "replaced"
    if len(staying) > 1:
        if not position.rated:
            return "aborted"
        staying = [other for other in staying if live_seats[other].kind not in LiveSeat.OF_PEOPLE]
    if len(staying) > 1:
        return "left"
    if any(not absences.has_left(position, other) for other in staying):
        return "ended"
    mine = absences.resigning_at(position, seat, len(position.state().steps_since(0)))
    theirs = [_gave_up_at(position, other) for other in others]
    return "won" if all(at is not None and at < mine for at in theirs) else "tied"


def _gave_up_at(position: Position, seat: int) -> int | None:
    """When a player gave up who has forfeited, resigned or left; ``None`` if it is unknown."""
    live_seat = position.live_seats[seat]
    return live_seat.forfeit_at if live_seat.forfeit else absences.forfeit_of(position, seat).at


def may_return(live_seat: LiveSeat) -> bool:
    """Players can return once, unless they have resigned or used up their time for the game."""
    gone = live_seat.forfeit or live_seat.resigned or live_seat.returned
    return live_seat.kind == LiveSeat.Kind.SUBSTITUTE and not gone and live_seat.game_ms > 0


def abort_alone(position: Position, seat: int, rounds: int | None = None) -> str:
    """The reason with which the person of ``seat`` can abort the game alone; empty if they cannot."""
    if not sits(position.live_seats[seat]):
        return ""
    if not position.rated:
        rounds = position.shown_to(seat).rounds_begun if rounds is None else rounds
        return ENDED_EARLY if rounds < 2 else ""
    answered = any(row.decision is not None and not row.default for row in position.rows)
    return "" if answered or not _all_people(position) else ENDED_UNBEGUN


def may_agree(position: Position, seat: int) -> bool:
    """Players can vote only in rated games without bots, since bots and their owners have no vote."""
    live_seat = position.live_seats[seat]
    return sits(live_seat) and not live_seat.would_abort and position.rated and _all_people(position)


def _all_people(position: Position) -> bool:
    return len(position.people) == len(position.live_seats)


def may_claim(position: Position, seat: int) -> bool:
    """Whether all other people who play or could return have been offline for ``GONE``."""
    live_seats = position.live_seats
    others = [other for other in position.people if other != seat and not live_seats[other].forfeit]
    if not sits(live_seats[seat]) or not others:
        return False
    return all(
        position.unseen(other) >= GONE or not (sits(live_seats[other]) or may_return(live_seats[other]))
        for other in others
    )
