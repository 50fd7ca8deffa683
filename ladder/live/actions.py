"""What a human player can do at a table besides moves: resign, abort, claim victory, return.

Each action locks the match, so that actions and answers have one order. Its effects follow the rules of
``ladder.live.absences``. Functions that change something raise ``Refused``; repeating a change has no further effect.
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
from ladder.live import absences
from ladder.live.game import LockedMatch, lock_match
from ladder.live.outages import forgive_at
from ladder.live.position import Position
from ladder.live.publish import save_and_publish
from ladder.live.rights import abort_alone, may_agree, may_claim, may_resign, may_return, runs, sits
from ladder.live.rows import position_at
from ladder.models import LiveSeat, Match

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


# --- Repeated actions ------------------------------------------------------------------------------------------------


def _has_resigned(position: Position, seat: int) -> bool:
    live_seat = position.live_seats[seat]
    return live_seat.resigned or live_seat.forfeit == "resign"


def _has_aborted(position: Position, seat: int) -> bool:
    """Whether the person of ``seat`` has voted to abort, and the game was aborted or is still running."""
    ended = position.match.status == Match.Status.ABORTED
    return position.live_seats[seat].would_abort and (ended or runs(position))


def _has_claimed(position: Position, seat: int) -> bool:
    others = (live_seat for other, live_seat in enumerate(position.live_seats) if other != seat)
    return sits(position.live_seats[seat]) and any(live_seat.evidence in _CLAIMED.values() for live_seat in others)


def _has_returned(position: Position, seat: int) -> bool:
    live_seat = position.live_seats[seat]
    return runs(position) and sits(live_seat) and live_seat.returned


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
        if not may_resign(live_seat):
            raise Refused(_("You have already left this game. Nothing was changed."), code="already_left")
        absences.resign(table, live_seat)
        table.go_on()


@_once(_has_aborted)
def abort(match_id: int, seat: int) -> None:
    """Abort the game if one player can do so alone, else vote for it. With the last vote the game is aborted.

    Players who could still return must vote, too, so that nobody loses a game by a lost connection.
    """
    with _table(match_id, seat) as (table, live_seat):
        position = table.position
        alone = abort_alone(position, seat)
        if not alone and not may_agree(position, seat):
            raise _no_abort(position, live_seat)
        live_seat.would_abort = True
        table.change(live_seat)
        others = [live_seat for live_seat in position.live_seats if sits(live_seat) or may_return(live_seat)]
        if alone or all(other.would_abort for other in others):
            table.aborted = alone or AGREED


@_once(_has_claimed)
def claim(match_id: int, seat: int) -> None:
    """Claim victory over people who have been offline for a minute: they forfeit. With two players the game ends."""
    with _table(match_id, seat) as (table, _live_seat):
        position = table.position
        if not may_claim(position, seat):
            raise Refused(
                _("You can claim victory only after all other human players have been offline for a minute."),
                code="no_claim",
            )
        for other in position.people:
            live_seat = position.live_seats[other]
            if other != seat and not live_seat.forfeit:
                forfeit = absences.forfeit_of(position, other)
                table.forfeit(live_seat, forfeit, _CLAIMED[forfeit.reason])
        table.go_on()


@_once(_has_returned)
def return_to_seat(match_id: int, seat: int) -> None:
    """Return to a seat in which a substitute plays, once. An open decision is asked again, with the time left."""
    with _table(match_id, seat) as (table, live_seat):
        if live_seat.kind == LiveSeat.Kind.PERSON and not live_seat.forfeit:
            raise Refused(_("You are already in your seat. Reload the page to continue."), code="already_seated")
        if not may_return(live_seat):
            raise Refused(
                _("You cannot return: you have returned once already, have resigned, or have no time left."),
                code="no_return",
            )
        absences.withdraw_votes(table)
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
        save_and_publish(table)


def _no_abort(position: Position, live_seat: LiveSeat) -> Refused:
    """The error for a player who can neither abort the game alone nor vote for it."""
    if not sits(live_seat):
        if may_return(live_seat):
            text = _("A substitute bot plays in your seat. Return to the game before you abort it.")
        else:
            text = _("You have left this game, so you cannot abort it.")
        return Refused(text, code="not_seated")
    if position.rated:
        return Refused(_("A rated game with bots cannot be aborted. You can resign."), code="abort_with_bots")
    text = _("A casual game can be aborted only before its second round. You can resign.")
    return Refused(text, code="abort_too_late")
