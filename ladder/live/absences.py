"""Human players who do not answer, leave or return, and the substitute bots that play for them.

If a person does not answer in time, the default move is played, without further cost. A substitute bot replaces a
person who misses two decisions in a row, or one while offline, so that the others can keep playing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from django.db.models.functions import Now

from bots.house.catalogue import HOUSE
from bots.models import BotVersion
from bots.programs import plays
from games.rules import Forfeit
from ladder.live.position import Position
from ladder.live.presence import AWAY, GONE
from ladder.models import Ladder, LiveSeat, Membership

if TYPE_CHECKING:
    from ladder.live.game import LockedMatch

# --- Substitutes -----------------------------------------------------------------------------------------------------

ENOUGH_GAMES: Final = 20
"""A bot needs this many games for its rating to count."""

KNOWN_TO_BE_STRONG: Final = ("kontor", "sommelier")
"""The strongest house bots while there are no ratings, by catalogue name. Then follow the others, simple ones last."""


class NoSubstitute(LookupError):
    """No house bot can play this format on this machine, at a live table or in a cup."""


def substitute_for(game: str, seats: int) -> BotVersion:
    """The strongest house bot for ``game`` with ``seats`` seats, with its ``bot``. Raises ``NoSubstitute``.

    Strength is the rating on the most played hosted ladder of that format, or else ``KNOWN_TO_BE_STRONG``.
    """
    house = BotVersion.objects.filter(active=True, bot__owner=None, bot__house_name__in=HOUSE, bot__retired=None)
    able = [
        version for version in house.select_related("bot").defer("validation_report") if plays(version, game, seats)
    ]
    if not able:
        raise NoSubstitute(f"no house bot can play {game} with {seats} seats")
    ratings = _ratings(game, seats)
    return max(able, key=lambda version: (ratings.get(version.bot_id, 0), -_place(version.bot.house_name)))


def _ratings(game: str, seats: int) -> dict[int, int]:
    """Ratings by bot on public hosted ladders, from the ladder with the most games of the bot."""
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
    """The rank without ratings: strong bots first, then the catalogue from its last to its first bot."""
    names = list(HOUSE)
    return KNOWN_TO_BE_STRONG.index(name) if name in KNOWN_TO_BE_STRONG else 2 * len(names) - names.index(name)


# --- Consequences ----------------------------------------------------------------------------------------------------

MOST_MISSED: Final = 2
"""After this many missed decisions in a row a substitute plays."""

NOBODY_LEFT: Final = "All human players left the game. It has no result."

_EVIDENCE: Final = {"abandoned": "had left the table when the game ended", "resign": "resigned"}
_LEFT: Final = {"abandoned": "left the table, as did all other human players", "resign": "resigned"}


def answered(table: LockedMatch, live_seat: LiveSeat, missed: bool) -> None:
    """Handle a decision that a person has just answered or ``missed``."""
    live_seat.missed = live_seat.missed + 1 if missed else 0
    seat = live_seat.seat.index
    if not missed and table.position.unseen(seat) >= AWAY / 2:  # online without a stream
        LiveSeat.objects.filter(pk=live_seat.pk).update(seen_at=Now(), left_at=None)
        table.changed_more = True
    if missed and (
        live_seat.missed >= MOST_MISSED
        or table.position.unseen(seat) >= AWAY
        or not table.position.clock(seat).allowed_ms
    ):
        substitute(table, live_seat)


def substitute(table: LockedMatch, live_seat: LiveSeat) -> bool:
    """Let a house bot play in the seat after that. Returns ``False`` if none can."""
    ladder = table.match.ladder
    try:
        version = substitute_for(ladder.game, ladder.seats)
    except NoSubstitute:
        return False
    live_seat.would_abort = False
    table.seat(live_seat, LiveSeat.Kind.SUBSTITUTE, version)
    return True


def conclude(table: LockedMatch) -> None:
    """End a game with people if it must end now, before seats are asked.

    It ends if all but one player have given up. If no person is left in a seat, a casual game is aborted; in a rated
    game the bots play on.
    """
    live_seats = table.position.live_seats
    people = [live_seat for live_seat in live_seats if live_seat.kind in LiveSeat.OF_PEOPLE]
    if not people or not table.state.pending:
        return
    if one_left(live_seats):
        _forfeit(
            [live_seat for live_seat in people if live_seat.resigned or live_seat.kind == LiveSeat.Kind.SUBSTITUTE],
            table,
            _EVIDENCE,
        )
        table.play_out()
    elif not any(live_seat.kind == LiveSeat.Kind.PERSON and not live_seat.forfeit for live_seat in people):
        if not table.position.rated:
            table.aborted = NOBODY_LEFT
            return
        _forfeit(people, table, _LEFT)
        if one_left(live_seats):
            table.play_out()


def end(table: LockedMatch) -> None:
    """Handle the end of a game: people who have not returned to their seats forfeit."""
    _forfeit(
        [live_seat for live_seat in table.position.live_seats if live_seat.kind == LiveSeat.Kind.SUBSTITUTE],
        table,
        _EVIDENCE,
    )


def resign(table: LockedMatch, live_seat: LiveSeat) -> None:
    """Let a person resign. With two players the game ends; with more, a substitute bot continues in the seat.

    A person whose seat a substitute has taken over gave up when they left. If the game ends by the resignation, those
    over whom victory could be claimed have left before.
    """
    position = table.position
    forfeit = Forfeit("resign", resigning_at(position, live_seat.seat.index, table.recorded))
    if len(position.live_seats) == 2:
        table.forfeit(live_seat, forfeit, _EVIDENCE["resign"])
    else:
        live_seat.resigned, live_seat.forfeit_at = True, forfeit.at
        table.change(live_seat)
        if live_seat.kind == LiveSeat.Kind.PERSON and not substitute(table, live_seat):
            table.forfeit(live_seat, forfeit, _EVIDENCE["resign"])
    if one_left(position.live_seats):
        left = [position.live_seats[other] for other in position.people if has_left(position, other)]
        _forfeit(left, table, _EVIDENCE)


def resigning_at(position: Position, seat: int, recorded: int) -> int:
    """When a person gives up who resigns after ``recorded`` steps: now, unless they have left before."""
    substituted = position.live_seats[seat].kind == LiveSeat.Kind.SUBSTITUTE
    return position.answered_at(seat) if substituted else recorded


def forfeit_of(position: Position, seat: int) -> Forfeit:
    """The forfeit of a person who has resigned, or has left, which counts from the last decision they answered."""
    live_seat = position.live_seats[seat]
    if live_seat.resigned:
        return Forfeit("resign", live_seat.forfeit_at)
    return Forfeit("abandoned", position.answered_at(seat))


def gave_up(live_seat: LiveSeat) -> bool:
    """Whether a player has forfeited or resigned. Those who have only left may still return."""
    return bool(live_seat.forfeit or live_seat.resigned)


def has_left(position: Position, seat: int) -> bool:
    """Whether a person has left and does not win if the game ends now: a substitute plays, or they are ``GONE``."""
    kind = position.live_seats[seat].kind
    return kind == LiveSeat.Kind.SUBSTITUTE or (kind == LiveSeat.Kind.PERSON and position.unseen(seat) >= GONE)


def withdraw_votes(table: LockedMatch) -> None:
    """Clear all votes to abort the game."""
    for live_seat in table.position.live_seats:
        if live_seat.would_abort:
            live_seat.would_abort = False
            table.change(live_seat)


def one_left(live_seats: Collection[LiveSeat]) -> bool:
    """Whether all but one player have given up, so that the game ends."""
    return sum(not gave_up(live_seat) for live_seat in live_seats) <= 1


def _forfeit(live_seats: Collection[LiveSeat], table: LockedMatch, evidence: Mapping[str, str]) -> None:
    for live_seat in live_seats:
        if not live_seat.forfeit:
            forfeit = forfeit_of(table.position, live_seat.seat.index)
            table.forfeit(live_seat, forfeit, evidence[forfeit.reason])
