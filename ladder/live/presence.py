"""Human players who do not answer, leave or return, and the house bots that substitute for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from bots.house.catalogue import HOUSE
from bots.models import BotVersion
from bots.programs import plays
from ladder.live.notify import tell
from ladder.live.position import WATCHED_WITHIN
from ladder.models import Attempt, Ladder, LiveSeat, Match, Membership

if TYPE_CHECKING:
    from ladder.live.game import LockedMatch

# --- Substitutes -----------------------------------------------------------------------------------------------------

ENOUGH_GAMES: Final = 20
"""With fewer a rating says little."""

KNOWN_TO_BE_STRONG: Final = ("kontor", "sommelier")
"""Who plays best where no rating says so yet, by their names in the catalogue; then the others, simple ones last."""


class NoSubstitute(LookupError):
    """No bot of the house can play at such a table here."""


def substitute_for(game: str, seats: int) -> BotVersion:
    """The strongest bot of the house for a table of ``seats`` at ``game``, with its ``bot``. Raises ``NoSubstitute``.

    By its rating on the house's ladder of hosted code for that table, and before there is one by what is known.
    """
    house = BotVersion.objects.filter(active=True, bot__owner=None, bot__house_name__in=HOUSE, bot__retired=None)
    able = [one for one in house.select_related("bot").defer("check_report") if plays(one, game, seats)]
    if not able:
        raise NoSubstitute(f"no bot of the house plays {game} with {seats} seats here")
    ratings = _ratings(game, seats)
    return max(able, key=lambda one: (ratings.get(one.bot_id, 0), -_place(one.bot.house_name)))


def _ratings(game: str, seats: int) -> dict[int, int]:
    """By bot, on the ladders of hosted code that everybody may enter, the most played one's."""
    on = Membership.objects.filter(
        ladder__game=game,
        ladder__seats=seats,
        ladder__players=Ladder.Players.HOSTED,
        ladder__by_invitation=False,
        bot__owner=None,
        games__gte=ENOUGH_GAMES,
    )
    return dict(on.order_by("games").values_list("bot", "rating"))


def _place(name: str) -> int:
    """Before all others those that are known to be strong, then from the catalogue's last to its first."""
    names = list(HOUSE)
    return KNOWN_TO_BE_STRONG.index(name) if name in KNOWN_TO_BE_STRONG else 2 * len(names) - names.index(name)


# --- Absences --------------------------------------------------------------------------------------------------------
#
# A decision that a person does not answer in time is played as the default and costs nothing else. Who misses two in a
# row, or one while they are not here, is stood in for by a bot of the house, for the sake of the others.
#
# When they were here is noted in ``LiveSeat.seen_at`` and ``left_at``. These two change without the row of the match.

AWAY: Final = timedelta(seconds=30)
"""Who was not seen for so long is away."""

GONE: Final = timedelta(seconds=60)
"""Who was not seen for so long may lose the game by a claim."""

NOTED_EVERY: Final = timedelta(seconds=4)
"""A sign of life is not written down again so soon."""

MOST_MISSED: Final = 2
"""So many decisions in a row that a person lets pass, and somebody plays in their seat."""

NOBODY_LEFT: Final = "Nobody was left at the table. It counts for nobody."

NEVER_CAME: Final = Q(seen_at__lte=F("table__match__started"))
"""Seats of people of whom the table has not heard since their game began."""

_EVIDENCE: Final = {"abandoned": "not in the chair when the game ended", "resign": "resigned"}
_LEFT: Final = {"abandoned": "left the table, and nobody was there any more", "resign": "resigned"}


# --- who is here ---------------------------------------------------------------------------------------------------


def note_seen(seats: Mapping[int, Collection[int]]) -> int:
    """People sit before these tables now: by match, their seats. How many were noted anew; mostly nothing is written.

    Who was known to be gone is back by that, though perhaps not in their seat.
    """
    due = Q(seen_at=None) | Q(seen_at__lt=Now() - NOTED_EVERY) | NEVER_CAME
    running = LiveSeat.objects.filter(table__in=list(seats), table__match__status=Match.Status.RUNNING)
    live_seats = running.filter(due, kind__in=LiveSeat.OF_PEOPLE)
    found = live_seats.order_by("pk").values_list("pk", "table", "seat__index", "left_at")
    new = [(pk, match, left) for pk, match, seat, left in found if seat in seats[match]]
    if not new:
        return 0
    with transaction.atomic():
        noted = _free(pk for pk, *_ in new)
        LiveSeat.objects.filter(pk__in=noted).update(seen_at=Now(), left_at=None)
        for match in sorted({match for pk, match, left in new if left is not None and pk in noted}):
            tell(match, "moved")
    return len(noted)


def notice_gone() -> int:
    """Write down who is away since a moment ago, and tell those who sit with them; how many. The sweeper calls this."""
    watched = Attempt.objects.filter(ending=Attempt.Ending.OPEN, heartbeat_at__gte=Now() - WATCHED_WITHIN)
    unseen = LiveSeat.objects.filter(kind=LiveSeat.Kind.PERSON, left_at=None, seen_at__lt=Now() - AWAY)
    gone = unseen.filter(table__in=watched.filter(match__table__over=False).values("match"))
    found = dict(gone.order_by("pk").values_list("pk", "table"))
    if not found:
        return 0
    with transaction.atomic():
        noted = _free(found)
        written: int = unseen.filter(pk__in=noted).update(left_at=Now())
        for match in sorted({match for pk, match in found.items() if pk in noted}):
            tell(match, "moved")
    return written


def _free(live_seats: Iterable[int]) -> set[int]:
    """Those of ``seats`` that nobody else holds, held from here on; the others are noted the next time.

    Whoever holds one may be waiting for another one.
    """
    rows = (
        LiveSeat.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=list(live_seats)).order_by("pk")
    )
    return set(rows.values_list("pk", flat=True))


# --- what follows for their seats ---------------------------------------------------------------------------------


def answered(table: LockedMatch, live_seat: LiveSeat, missed: bool) -> None:
    """A person has answered, or ``missed``, the decision that was played just now."""
    live_seat.missed = live_seat.missed + 1 if missed else 0
    seat = live_seat.seat.index
    if not missed and table.position.unseen(seat) >= AWAY / 2:  # who answers is here, also without a stream
        LiveSeat.objects.filter(pk=live_seat.pk).update(seen_at=Now(), left_at=None)
    if missed and (
        live_seat.missed >= MOST_MISSED
        or table.position.unseen(seat) >= AWAY
        or not table.position.clock(seat).allowed_ms
    ):
        substitute(table, live_seat)


def substitute(table: LockedMatch, live_seat: LiveSeat) -> bool:
    """Have a bot of the house play in the seat from now on; ``False`` where there is none that could."""
    ladder = table.match.ladder
    try:
        version = substitute_for(ladder.game, ladder.seats)
    except NoSubstitute:
        return False
    live_seat.would_abort = False
    table.seat(live_seat, LiveSeat.Kind.SUBSTITUTE, version)
    return True


def conclude(table: LockedMatch) -> None:
    """End a table with people that is to end now, before anybody is asked.

    It ends at once when all but one have given up; and when no person is left in a seat, a casual one is nothing, and
    of a rated one the bots play what remains.
    """
    live_seats = table.position.live_seats
    people = [live_seat for live_seat in live_seats if live_seat.kind in LiveSeat.OF_PEOPLE]
    if not people or not table.state.pending:
        return
    if _one_left(live_seats):
        _forfeit([live_seat for live_seat in people if live_seat.resigned], table, _LEFT)
        table.play_out()
    elif not any(live_seat.kind == LiveSeat.Kind.PERSON and not live_seat.forfeit for live_seat in people):
        if not table.position.rated:
            table.aborted = NOBODY_LEFT
            return
        _forfeit(people, table, _LEFT)
        if _one_left(live_seats):
            table.play_out()


def end(table: LockedMatch) -> None:
    """The game is over: whoever is not back in their seat has lost it."""
    _forfeit(
        [live_seat for live_seat in table.position.live_seats if live_seat.kind == LiveSeat.Kind.SUBSTITUTE],
        table,
        _EVIDENCE,
    )


def reason_of(live_seat: LiveSeat) -> str:
    """By which ``games.rules.FORFEIT_REASONS`` a person who has gone loses."""
    return "resign" if live_seat.resigned else "abandoned"


def withdraw_votes(table: LockedMatch) -> None:
    """Who wanted to end the game without a result is asked anew."""
    for live_seat in table.position.live_seats:
        if live_seat.would_abort:
            live_seat.would_abort = False
            table.change(live_seat)


def _one_left(live_seats: Collection[LiveSeat]) -> bool:
    return sum(not (live_seat.forfeit or live_seat.resigned) for live_seat in live_seats) <= 1


def _forfeit(live_seats: Collection[LiveSeat], table: LockedMatch, evidence: Mapping[str, str]) -> None:
    for live_seat in live_seats:
        if not live_seat.forfeit:
            reason = reason_of(live_seat)
            table.forfeit(live_seat, reason, evidence[reason])
