"""What a human player can do at a table besides moves: resign, abort, claim victory, return.

Each action locks the match, so that actions and answers have one order. Its effects follow the rules of
``ladder.live.presence``. Functions that change something raise ``Refused``; repeating a change has no further effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.sessions import guest_hash
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.live import presence
from ladder.live.game import LockedMatch, lock_match
from ladder.live.notify import save_and_tell
from ladder.live.outages import forgive_at
from ladder.live.position import Position
from ladder.live.presence import AWAY, GONE
from ladder.live.rows import position_at
from ladder.models import LiveSeat, Match

ENDED_EARLY: Final = "A player aborted the game before the second round. It has no result."
ENDED_UNBEGUN: Final = "A player aborted the game before the first move. It has no result."
AGREED: Final = "The players agreed to abort the game. It has no result."

_CLAIMED: Final = {
    "abandoned": "offline for a minute; another player claimed victory",
    "resign": "resigned; another player claimed victory",
}


def seat_of(match_id: int, user_id: int | None, guest: str | None) -> int | None:
    """The seat of a user or of the guest with this secret in a live game; ``None`` if they have none.

    The seat is theirs while a substitute plays for them and after the end of the game, too.
    """
    if not 0 < match_id < 2**63:
        return None
    of_person = [] if user_id is None else _of_person(match_id=match_id, owner=user_id)
    seats = of_person or (_of_guest(match_id=match_id, guest=guest_hash(guest)) if guest else [])
    return min(seats, default=None)


_of_people: Final = (
    LiveSeat.objects.filter(kind__in=LiveSeat.OF_PEOPLE).order_by().values_list("seat__index", flat=True)
)
_of_person: Final = Prepared(
    lambda match_id, owner: _of_people.filter(
        table=match_id, seat__version__bot__owner=owner, seat__version__bot__kind=Bot.Kind.PERSON
    )
)
_of_guest: Final = Prepared(lambda match_id, guest: _of_people.filter(table=match_id, guest=guest))


# --- Rights ----------------------------------------------------------------------------------------------------------


def rights_of(position: Position, seat: int, rounds: int | None = None) -> Document:
    """What the person of ``seat`` may do now.

    ``{"resign": bool, "resigning": str, "abort": {…}, "claim": bool, "return": bool}``: ``resigning`` is what would
    follow (``_resigning``). In ``abort``, ``allowed`` means that they can abort the game alone and ``agree`` that they
    can vote for it; ``agreed`` are the seats that have voted. ``rounds`` is the number of rounds that have begun as far
    as the seat may know; by default it is computed.
    """
    live_seat = position.live_seats[seat]
    if not _runs(position) or live_seat.kind not in LiveSeat.OF_PEOPLE:
        none = {"allowed": False, "agree": False, "agreed": []}
        return {"resign": False, "resigning": "", "abort": none, "claim": False, "return": False}
    return {
        "resign": _may_resign(live_seat),
        "resigning": _resigning(position, seat) if _may_resign(live_seat) else "",
        "abort": {
            "allowed": bool(_abort_alone(position, seat, rounds)),
            "agree": _may_agree(position, seat),
            "agreed": [index for index, live_seat in enumerate(position.live_seats) if live_seat.would_abort],
        },
        "claim": _may_claim(position, seat),
        "return": _may_return(live_seat),
    }


def _runs(position: Position) -> bool:
    return position.match.status == Match.Status.RUNNING and not position.table.over


def _sits(live_seat: LiveSeat) -> bool:
    return live_seat.kind == LiveSeat.Kind.PERSON and not live_seat.forfeit


def _may_resign(live_seat: LiveSeat) -> bool:
    return live_seat.kind in LiveSeat.OF_PEOPLE and not live_seat.forfeit and not live_seat.resigned


def _resigning(position: Position, seat: int) -> str:
    """What follows if the person of ``seat`` resigns (``presence.resign``, ``presence.conclude``).

    - ``ended``: the game ends at once, and the only one left wins.
    - ``won``: the game ends at once, and this player wins, because all others have given up or left earlier.
    - ``tied``: the same, but others gave up at the same step, or it is unknown when they did.
    - ``replaced``: a house bot plays on in the seat.
    - ``aborted``: no other person is there, so the game ends without a result.
    - ``left``: the same in a rated game, which the bots finish.
    """
    live_seats = position.live_seats
    others = [other for other in range(len(live_seats)) if other != seat]
    staying = [other for other in others if not presence.gave_up(live_seats[other])]
    if len(staying) > 1 and any(_sits(live_seats[other]) for other in others):
        return "replaced"
    if len(staying) > 1:
        if not position.rated:
            return "aborted"
        staying = [other for other in staying if live_seats[other].kind not in LiveSeat.OF_PEOPLE]
    if len(staying) > 1:
        return "left"
    if any(not presence.has_left(position, other) for other in staying):
        return "ended"
    mine = presence.resigning_at(position, seat, len(position.state().steps_since(0)))
    theirs = [_gave_up_at(position, other) for other in others]
    return "won" if all(at is not None and at < mine for at in theirs) else "tied"


def _gave_up_at(position: Position, seat: int) -> int | None:
    """When a player gave up who has forfeited, resigned or left; ``None`` if it is unknown."""
    live_seat = position.live_seats[seat]
    return live_seat.forfeit_at if live_seat.forfeit else presence.forfeit_of(position, seat).at


def _may_return(live_seat: LiveSeat) -> bool:
    """Players can return once, unless they have resigned or used up their time for the game."""
    gone = live_seat.forfeit or live_seat.resigned or live_seat.returned
    return live_seat.kind == LiveSeat.Kind.SUBSTITUTE and not gone and live_seat.game_ms > 0


def _abort_alone(position: Position, seat: int, rounds: int | None = None) -> str:
    """The reason with which the person of ``seat`` can abort the game alone; empty if they cannot."""
    if not _sits(position.live_seats[seat]):
        return ""
    if not position.rated:
        rounds = position.shown_to(seat).rounds_begun if rounds is None else rounds
        return ENDED_EARLY if rounds < 2 else ""
    answered = any(row.decision is not None and not row.default for row in position.rows)
    return "" if answered or not _all_people(position) else ENDED_UNBEGUN


def _may_agree(position: Position, seat: int) -> bool:
    """Players can vote only in rated games without bots, since bots and their owners have no vote."""
    live_seat = position.live_seats[seat]
    return _sits(live_seat) and not live_seat.would_abort and position.rated and _all_people(position)


def _all_people(position: Position) -> bool:
    return len(position.people) == len(position.live_seats)


def _may_claim(position: Position, seat: int) -> bool:
    """Whether all other people who play or could return have been offline for ``GONE``."""
    live_seats = position.live_seats
    others = [other for other in position.people if other != seat and not live_seats[other].forfeit]
    if not _sits(live_seats[seat]) or not others:
        return False
    return all(
        position.unseen(other) >= GONE or not (_sits(live_seats[other]) or _may_return(live_seats[other]))
        for other in others
    )


# --- Repeated actions ------------------------------------------------------------------------------------------------


def _has_resigned(position: Position, seat: int) -> bool:
    live_seat = position.live_seats[seat]
    return live_seat.resigned or live_seat.forfeit == "resign"


def _has_aborted(position: Position, seat: int) -> bool:
    """Whether the person of ``seat`` has voted to abort, and the game was aborted or is still running."""
    ended = position.match.status == Match.Status.ABORTED
    return position.live_seats[seat].would_abort and (ended or _runs(position))


def _has_claimed(position: Position, seat: int) -> bool:
    others = (live_seat for other, live_seat in enumerate(position.live_seats) if other != seat)
    return _sits(position.live_seats[seat]) and any(live_seat.evidence in _CLAIMED.values() for live_seat in others)


def _has_returned(position: Position, seat: int) -> bool:
    live_seat = position.live_seats[seat]
    return _runs(position) and _sits(live_seat) and live_seat.returned


Act = Callable[[int, int], None]


def _once(so: Callable[[Position, int], bool]) -> Callable[[Act], Act]:
    """Decorate an action that succeeds if the seat is already ``so``.

    A client that lost the connection to the database does not know whether its change was stored, and retries.
    """

    def repeatable(act: Act) -> Act:
        @wraps(act)
        def done(match_id: int, seat: int) -> None:
            try:
                act(match_id, seat)
            except Refused:
                position = position_at(match_id)
                if position is None or seat not in position.people or not so(position, seat):
                    raise

        return done

    return repeatable


# --- Actions ---------------------------------------------------------------------------------------------------------


@_once(_has_resigned)
def resign(match_id: int, seat: int) -> None:
    """Resign. :func:`_resigning` tells what follows."""
    with _table(match_id, seat) as (table, live_seat):
        if not _may_resign(live_seat):
            raise Refused(_("You have already left this game. Nothing was changed."), code="already_left")
        presence.resign(table, live_seat)
        table.go_on()


@_once(_has_aborted)
def abort(match_id: int, seat: int) -> None:
    """Abort the game if one player can do so alone, else vote for it. With the last vote the game is aborted.

    Players who could still return must vote, too, so that nobody loses a game by a lost connection.
    """
    with _table(match_id, seat) as (table, live_seat):
        position = table.position
        alone = _abort_alone(position, seat)
        if not alone and not _may_agree(position, seat):
            raise _no_abort(position, live_seat)
        live_seat.would_abort = True
        table.change(live_seat)
        others = [live_seat for live_seat in position.live_seats if _sits(live_seat) or _may_return(live_seat)]
        if alone or all(other.would_abort for other in others):
            table.aborted = alone or AGREED


@_once(_has_claimed)
def claim(match_id: int, seat: int) -> None:
    """Claim victory over people who have been offline for a minute: they forfeit. With two players the game ends."""
    with _table(match_id, seat) as (table, _live_seat):
        position = table.position
        if not _may_claim(position, seat):
            raise Refused(
                _("You can claim victory only after all other human players have been offline for a minute."),
                code="no_claim",
            )
        for other in position.people:
            live_seat = position.live_seats[other]
            if other != seat and not live_seat.forfeit:
                forfeit = presence.forfeit_of(position, other)
                table.forfeit(live_seat, forfeit, _CLAIMED[forfeit.reason])
        table.go_on()


@_once(_has_returned)
def return_to_seat(match_id: int, seat: int) -> None:
    """Return to a seat in which a substitute plays, once. An open decision is asked again, with the time left."""
    with _table(match_id, seat) as (table, live_seat):
        if live_seat.kind == LiveSeat.Kind.PERSON and not live_seat.forfeit:
            raise Refused(_("You are already in your seat. Reload the page to continue."), code="already_seated")
        if not _may_return(live_seat):
            raise Refused(
                _("You cannot return: you have returned once already, have resigned, or have no time left."),
                code="no_return",
            )
        presence.withdraw_votes(table)
        live_seat.returned, live_seat.missed = True, 0
        LiveSeat.objects.filter(pk=live_seat.pk).update(seen_at=Now(), left_at=None)
        table.seat(live_seat, LiveSeat.Kind.PERSON, live_seat.seat.version)


@contextmanager
def _table(match_id: int, seat: int) -> Iterator[tuple[LockedMatch, LiveSeat]]:
    """The locked table and the person's seat. Saves and publishes the changes at the end. Raises ``Refused``."""
    with transaction.atomic():
        table = lock_match(match_id)
        if table is None or not table.state.pending:
            raise Refused(
                _("The game has ended, so this is no longer possible. Reload the page to see the result."),
                code="game_over",
            )
        live_seats = table.position.live_seats
        if not 0 <= seat < len(live_seats) or live_seats[seat].kind not in LiveSeat.OF_PEOPLE:
            raise Refused(_("You do not play in this game. Join or create another one."), code="no_seat")
        forgive_at(table)
        yield table, live_seats[seat]
        save_and_tell(table)


def _no_abort(position: Position, live_seat: LiveSeat) -> Refused:
    """The error for a player who can neither abort the game alone nor vote for it."""
    if not _sits(live_seat):
        if _may_return(live_seat):
            text = _("A substitute bot plays in your seat. Return to the game before you abort it.")
        else:
            text = _("You have left this game, so you cannot abort it.")
        return Refused(text, code="not_seated")
    if position.rated:
        return Refused(_("A rated game with bots cannot be aborted. You can resign."), code="abort_with_bots")
    text = _("A casual game can be aborted only before its second round. You can resign.")
    return Refused(text, code="abort_too_late")


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
