"""What a human player may do at a table besides moves: resign, abort, claim victory, return.

Each is judged while the match is held, in the order in which all that happens at a table is; what it gives follows from
the rules of ``ladder.live.presence``. Functions that change something raise ``Refused`` with a sentence; twice is once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Final

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.sessions import guest_hash
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.live import presence
from ladder.live.game import LockedMatch, held
from ladder.live.notify import save_and_tell
from ladder.live.outages import forgive_at
from ladder.live.position import Position
from ladder.live.presence import AWAY, GONE
from ladder.live.rows import position_at
from ladder.models import LiveSeat, Match

ENDED_EARLY: Final = "A player ended it before the second round. It counts for nobody."
ENDED_UNBEGUN: Final = "A player ended it before anybody had played. It counts for nobody."
AGREED: Final = "Its players agreed to end it. It counts for nobody."

_CLAIMED: Final = {"abandoned": "away for a minute, then claimed", "resign": "resigned, then claimed"}


def seat_of(match_id: int, user_id: int | None, guest: str | None) -> int | None:
    """Whose seat it is at a live game: the seat of a person, or of the guest with that secret; ``None`` for others.

    Also while somebody stands in for them, and once the game has ended.
    """
    if not 0 < match_id < 2**63:
        return None
    of_person = [] if user_id is None else _of_person(match_id=match_id, owner=user_id)
    found = of_person or (_of_guest(match_id=match_id, guest=guest_hash(guest)) if guest else [])
    return min(found, default=None)


_of_people: Final = (
    LiveSeat.objects.filter(kind__in=LiveSeat.OF_PEOPLE).order_by().values_list("seat__index", flat=True)
)
_of_person: Final = Prepared(
    lambda match_id, owner: _of_people.filter(
        table=match_id, seat__version__bot__owner=owner, seat__version__bot__kind=Bot.Kind.PERSON
    )
)
_of_guest: Final = Prepared(lambda match_id, guest: _of_people.filter(table=match_id, guest=guest))


# --- what may be done ----------------------------------------------------------------------------------------------


def rights_of(position: Position, seat: int, rounds: int | None = None) -> Document:
    """What the person of ``seat`` may do now.

    ``{"resign": bool, "resigning": str, "abort": {…}, "claim": bool, "return": bool}``: ``resigning`` says what would
    follow (``_resigning``). In ``abort``, ``allowed`` says that they can end it by themselves, ``agree`` that they can
    say that they want to, and ``agreed`` are the seats that have. ``rounds`` is how many rounds have begun as far as
    the seat may know; it is found out where it is left out.
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
            "agreed": [index for index, one in enumerate(position.live_seats) if one.would_abort],
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
    """What follows if the person of ``seat`` resigns (``presence.conclude``).

    ``ended``: the game ends at once, and the only one left wins. ``replaced``: a house bot plays on in the seat.
    ``aborted``: no other person is there, so the game ends without a result. ``left``: the same in a rated game, which
    the bots finish.
    """
    others = [live_seat for other, live_seat in enumerate(position.live_seats) if other != seat]
    if len(others) == 1 or sum(not (live_seat.forfeit or live_seat.resigned) for live_seat in others) <= 1:
        return "ended"
    if any(map(_sits, others)):
        return "replaced"
    return "left" if position.rated else "aborted"


def _may_return(live_seat: LiveSeat) -> bool:
    """Once; who has resigned has gone for good, and so has who has no time left for the game."""
    gone = live_seat.forfeit or live_seat.resigned or live_seat.returned
    return live_seat.kind == LiveSeat.Kind.SUBSTITUTE and not gone and live_seat.game_ms > 0


def _abort_alone(position: Position, seat: int, rounds: int | None = None) -> str:
    """The reason by which the person of ``seat`` may end it now without asking anybody; empty if they may not."""
    if not _sits(position.live_seats[seat]):
        return ""
    if not position.rated:
        rounds = position.shown_to(seat).rounds_begun if rounds is None else rounds
        return ENDED_EARLY if rounds < 2 else ""
    answered = any(row.decision is not None and not row.default for row in position.rows)
    return "" if answered or not _all_people(position) else ENDED_UNBEGUN


def _may_agree(position: Position, seat: int) -> bool:
    """Only where nobody else could lose by it: bots and their owners are not asked."""
    live_seat = position.live_seats[seat]
    return _sits(live_seat) and not live_seat.would_abort and position.rated and _all_people(position)


def _all_people(position: Position) -> bool:
    return len(position.people) == len(position.live_seats)


def _may_claim(position: Position, seat: int) -> bool:
    """Whether nobody else has been here for ``GONE``, of those who sit or could come back; bots are always here."""
    live_seats = position.live_seats
    others = [other for other in position.people if other != seat and not live_seats[other].forfeit]
    if not _sits(live_seats[seat]) or not others:
        return False
    return all(
        position.unseen(other) >= GONE or not (_sits(live_seats[other]) or _may_return(live_seats[other]))
        for other in others
    )


# --- what is so already --------------------------------------------------------------------------------------------


def _has_resigned(position: Position, seat: int) -> bool:
    live_seat = position.live_seats[seat]
    return live_seat.resigned or live_seat.forfeit == "resign"


def _has_aborted(position: Position, seat: int) -> bool:
    """Whether the person of ``seat`` has said that they want to end it, which has ended it or still may."""
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
    """Have nothing refused to a seat that is ``so`` by what it did before.

    Whoever lost the database while it was written does not know that it was, and does it again.
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


# --- doing it ------------------------------------------------------------------------------------------------------


@_once(_has_resigned)
def resign(match_id: int, seat: int) -> None:
    """Give up: among two that loses at once, among more a bot of the house plays on in the seat."""
    with _table(match_id, seat) as (table, live_seat):
        if not _may_resign(live_seat):
            raise Refused(_("You have left this game already."))
        if len(table.position.live_seats) == 2:
            table.forfeit(live_seat, "resign", "resigned")
        else:
            live_seat.resigned = True
            table.change(live_seat)
            if live_seat.kind == LiveSeat.Kind.PERSON and not presence.substitute(table, live_seat):
                table.forfeit(live_seat, "resign", "resigned")
        table.go_on()


@_once(_has_aborted)
def abort(match_id: int, seat: int) -> None:
    """End the game without a result where one may alone, or say that one wants to; with the last who does, it ends.

    Who could still come back has to as well, and says so there: nobody loses their game by a lost connection.
    """
    with _table(match_id, seat) as (table, live_seat):
        position = table.position
        alone = _abort_alone(position, seat)
        if not alone and not _may_agree(position, seat):
            raise Refused(_unless_agreed(position, live_seat))
        live_seat.would_abort = True
        table.change(live_seat)
        others = [one for one in position.live_seats if _sits(one) or _may_return(one)]
        if alone or all(one.would_abort for one in others):
            table.aborted = alone or AGREED


@_once(_has_claimed)
def claim(match_id: int, seat: int) -> None:
    """End the game of people who have not been here for a minute: they lose it; among two that wins at once."""
    with _table(match_id, seat) as (table, _live_seat):
        position = table.position
        if not _may_claim(position, seat):
            raise Refused(_("You can claim the game when everybody else has been away for a minute."))
        for other in position.people:
            live_seat = position.live_seats[other]
            if other != seat and not live_seat.forfeit:
                reason = presence.reason_of(live_seat)
                table.forfeit(live_seat, reason, _CLAIMED[reason])
        table.go_on()


@_once(_has_returned)
def sit_down(match_id: int, seat: int) -> None:
    """Take the seat back from the bot that stands in, once; what it owes is asked anew, with the time left."""
    with _table(match_id, seat) as (table, live_seat):
        if live_seat.kind == LiveSeat.Kind.PERSON and not live_seat.forfeit:
            raise Refused(_("You sit in your chair."))
        if not _may_return(live_seat):
            raise Refused(_("You can only watch this game now: a chair can be taken back once."))
        presence.withdraw_votes(table)
        live_seat.returned, live_seat.missed = True, 0
        LiveSeat.objects.filter(pk=live_seat.pk).update(seen_at=Now(), left_at=None, starts=F("starts") + 1)
        table.seat(live_seat, LiveSeat.Kind.PERSON, live_seat.seat.version)


@contextmanager
def _table(match_id: int, seat: int) -> Iterator[tuple[LockedMatch, LiveSeat]]:
    """The table, held, and the person's seat; what is changed of it is saved and told. Raises ``Refused``."""
    with transaction.atomic():
        table = held(match_id)
        if table is None or not table.state.pending:
            raise Refused(_("The game has ended."))
        live_seats = table.position.live_seats
        if not 0 <= seat < len(live_seats) or live_seats[seat].kind not in LiveSeat.OF_PEOPLE:
            raise Refused(_("You do not sit at this table."))
        forgive_at(table)
        yield table, live_seats[seat]
        save_and_tell(table)


def _unless_agreed(position: Position, live_seat: LiveSeat) -> str:
    if not _sits(live_seat):
        return _("You do not sit in your chair.")
    if position.rated:
        return _("A rated game against bots cannot be ended without a result. You can resign.")
    return _("A game can be ended without a result before its second round only. You can resign.")


def is_here(position: Position, seat: int) -> str:
    """How the seat of ``seat`` is taken, as everybody at the table may know it.

    ``here``, ``away``, ``substitute``, ``left``, or ``bot``. Of a bot nothing more is said.
    """
    live_seat = position.live_seats[seat]
    if live_seat.kind not in LiveSeat.OF_PEOPLE:
        return "bot"
    if live_seat.forfeit or live_seat.resigned:
        return "left"
    if live_seat.kind == LiveSeat.Kind.SUBSTITUTE:
        return "substitute"
    return "away" if position.unseen(seat) >= AWAY else "here"
