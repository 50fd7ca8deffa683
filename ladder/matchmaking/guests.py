"""Guests: visitors without an account who play casual games, and lobby rows that expire.

Guests play against house bots, or with people by a link (``proposals``). ``limits`` bounds their seats per IP address
and in total. Secrets and IP addresses are stored only as hashes. These and the names of guests are kept for a while.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import SystemRandom
from typing import Final

from django.core.management import call_command
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots.models import Bot
from bots.owners import guest_player
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.limits import DAY, Limit, lock_active_user, wait_s
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import guest_hash
from esr_platform.disconnects import run_isolated
from ladder.ledger.entries import NoSeason
from ladder.live.game import lock_match
from ladder.live.outages import is_forgiving_due
from ladder.live.position import Position
from ladder.live.publish import save_and_publish
from ladder.live.start import Guest, open_table
from ladder.matches.blocks import BlockPlayer
from ladder.matchmaking import proposals, quick_pairing
from ladder.matchmaking.game_start import CLOCKS, no_season, require_hosted_room, table_of, versions_of
from ladder.matchmaking.limits import guest_seats, require_guest_seats, require_guests_on, waiting_guests
from ladder.matchmaking.presence import tell_lobby
from ladder.matchmaking.proposals import create_game
from ladder.models import GuestNameReport, Ladder, LiveSeat, Match, Proposal, ProposalPlayer, Seat

logger = logging.getLogger(__name__)

CLOCK: Final = "usual"
SCOPE: Final = "guests"

IDLE: Final = timedelta(minutes=2)
"""A game with guests is aborted if no human player was connected for this long and no clock of a person is running."""

CLOSED: Final = "No player was connected for 2 minutes."

KEPT: Final = timedelta(days=2)
"""How long hashes and names of guests are kept. Limits count games of the last 24 hours."""

_GAMES_PER_BATCH: Final = 500
_SALT: Final = "ladder.matchmaking.guests"
_TOKEN_BYTES: Final = 32
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_RANDOM: Final = SystemRandom()


# --- Identity --------------------------------------------------------------------------------------------------------


def new_secret() -> str:
    """A new secret of a guest: 43 characters."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def is_secret(text: str) -> bool:
    """Whether ``text`` has the form of a secret."""
    return _SECRET.fullmatch(text) is not None


def guest_of(secret: str, address: str, name: str = "") -> Guest:
    """The guest with this secret. ``address`` comes from ``accounts.limits.address``, ``name`` from ``guest_name``."""
    return Guest(guest_hash(secret), salted_hmac(_SALT, address, algorithm="sha256").hexdigest(), name)


def guest_at(match_id: int, seat: int) -> Guest:
    """The guest at a seat. Raises ``Refused`` if they were forgotten."""
    live_seat = (
        LiveSeat.objects.exclude(guest="").filter(table=match_id, seat__index=seat).select_related("seat").first()
    )
    if live_seat is None:
        raise Refused(_("This game is too old. Start a new one."), code="no_guest")
    return Guest(live_seat.guest, live_seat.guest_address, live_seat.seat.guest_name)


def require_pace(address: str) -> None:
    """Count an attempt to get a seat as a guest. Raises ``TooMany`` after too many from one IP address."""
    wait = wait_s(SCOPE, address)
    if wait:
        raise TooMany(_("Too many new games from your network. Try again in a minute."), wait, code="too_often")


# --- Games against house bots ----------------------------------------------------------------------------------------


def play_now(ladder: Ladder, opponent: Bot, secret: str | None, address: str) -> tuple[Match, str]:
    """Start a game of a guest against a house bot, which plays all other seats.

    Returns the match and the secret that gives access to it. A guest whose ``secret`` belongs to a running game gets
    that game. Without ``secret`` the guest is new. ``address`` comes from ``accounts.limits.address``. Raises
    ``Refused``.
    """
    running = None if secret is None else _running_game(guest_of(secret, address))
    if running is not None and secret:
        return running, secret
    require_pace(address)
    if ladder.players != Ladder.Players.OPEN:
        raise Refused(_("Guests cannot play on this ladder. Choose another game or sign in."), code="no_guests")
    require_guests_on(ladder)
    kept = secret or new_secret()
    guest = guest_of(kept, address)
    with transaction.atomic():
        match = _begin(ladder, opponent, guest)
        require_guest_seats([guest])
        again = _running_game(guest, but=match)
        if again is None:
            return match, kept
        transaction.set_rollback(True)
    return again, kept


def play_house(person: User, ladder: Ladder, opponent: Bot) -> Match:
    """Start a casual game of ``person`` against a house bot, which plays all other seats.

    A second click returns the same game. Raises ``Refused``.
    """
    bots = [opponent] * (ladder.seats - 1)
    made = create_game(person, ladder, clock=CLOCK, kind=Proposal.Kind.BOTS, bots=bots)
    if made.match is None:
        raise Refused(_("The game could not start. Try again in a moment."), code="not_started")
    return made.match


def _running_game(guest: Guest, but: Match | None = None) -> Match | None:
    """A running game in which the guest still plays, other than ``but``."""
    seats = guest_seats().filter(guest=guest.secret_hash).exclude(table=None if but is None else but.pk)
    return Match.objects.filter(pk__in=seats.values("table")).order_by("pk").first()


def _begin(ladder: Ladder, opponent: Bot, guest: Guest) -> Match:
    """Start the game with a random seat for the guest. This locks the row of the ladder."""
    locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
    versions = versions_of(locked, table_of(None, locked, [opponent] * (locked.seats - 1), rated=False))
    require_hosted_room(len(versions))
    player = guest_player()
    players = [BlockPlayer(player), *(BlockPlayer(version) for version in versions)]
    _RANDOM.shuffle(players)
    seat = next(index for index, other in enumerate(players) if other.version == player)
    try:
        return open_table(locked, players, rated=False, limits=CLOCKS[CLOCK], guests={seat: guest})
    except NoSeason as none:
        raise no_season(ladder) from none


# --- Abandoned and old games -----------------------------------------------------------------------------------------


def close_idle() -> int:
    """Abort abandoned games with guests. Returns how many. Safe to run concurrently."""
    at_table = LiveSeat.objects.filter(table=OuterRef("table"), kind__in=LiveSeat.OF_PEOPLE)
    connected = Exists(at_table.filter(seen_at__gt=Now() - IDLE, forfeit="", resigned=False))
    running_clock = Exists(at_table.filter(kind=LiveSeat.Kind.PERSON, owes=True, deadline__gt=Now()))
    idle = LiveSeat.objects.exclude(guest="").filter(
        ~connected, ~running_clock, table__match__status=Match.Status.RUNNING, table__over=False
    )
    matches = sorted(set(idle.order_by().values_list("table", flat=True)))
    return sum(map(_closed, matches))


def _closed(match_id: int) -> bool:
    """Abort one game. A failure does not affect the other games."""
    return run_isolated(partial(_close, match_id), False, logger, "idle guest match %s not aborted", match_id)


def _close(match_id: int) -> bool:
    """Check again while the match is locked. An outage of the site is not an absence."""
    with transaction.atomic():
        table = lock_match(match_id)
        if table is None or table.position.table.over or not _is_idle(table.position):
            return False
        table.aborted = CLOSED
        save_and_publish(table)
        tell_lobby()
        return True


def _is_idle(position: Position) -> bool:
    """Whether no human player is connected and no clock of a person is running. The site is watching the table."""
    return not is_forgiving_due(position) and not any(_is_played(position, seat) for seat in position.people)


def _is_played(position: Position, seat: int) -> bool:
    """Whether the person of ``seat`` is connected or on the clock."""
    live_seat = position.live_seats[seat]
    if live_seat.forfeit or live_seat.resigned:
        return False
    deadline = live_seat.deadline if live_seat.owes and live_seat.kind == LiveSeat.Kind.PERSON else None
    return position.unseen(seat) < IDLE or (deadline is not None and deadline > position.now)


def forget_guests() -> int:
    """Delete expired sessions, and the hashes and names of guests older than ``KEPT``. Returns the number of games."""
    try:
        call_command("clearsessions")
    except Exception:
        logger.exception("expired sessions not deleted")
    ended = Proposal.objects.filter(created__lt=Now() - KEPT).exclude(state=Proposal.State.OPEN)
    ProposalPlayer.objects.exclude(guest="").filter(proposal__in=ended).delete()
    ended.exclude(by_guest="").update(by_guest="")
    old = LiveSeat.objects.exclude(guest="").filter(table__match__started__lt=Now() - KEPT)
    old = old.exclude(table__match__status=Match.Status.RUNNING)
    forgotten = 0
    while rows := list(old.order_by("pk").values_list("pk", "table")[:_GAMES_PER_BATCH]):
        with transaction.atomic():
            Seat.objects.filter(pk__in=[seat for seat, _ in rows]).update(guest_name="")
            LiveSeat.objects.filter(pk__in=[seat for seat, _ in rows]).update(guest="", guest_address="")
        forgotten += len({match for _, match in rows})
    return forgotten


# --- Names -----------------------------------------------------------------------------------------------------------

MOST_REPORTS: Final = 20
_REPORTS_A_DAY: Final = Limit(
    "reports of guest names",
    gettext_lazy("You have reported %(most)s guest names in the last 24 hours (the maximum). Try again later."),
    per=DAY,
    count=MOST_REPORTS,
    code="reports_per_day",
)


def report_name(seat: Seat, by: User) -> GuestNameReport:
    """Report the name of the guest at ``seat`` to moderators. Repeating it has no effect. Raises ``Refused``."""
    with transaction.atomic():
        person = lock_active_user(by.pk)
        known = GuestNameReport.objects.filter(seat=seat, by=person).first()
        if known is not None:
            return known
        _REPORTS_A_DAY.require(GuestNameReport.objects.filter(by=person))
        return GuestNameReport.objects.create(seat=seat, by=person, name=_name_at(seat))


def settle_name(seat: Seat, by: User, *, remove: bool) -> None:
    """Close the reports of the name at ``seat``, as a moderator. ``remove`` also deletes it at all seats of the guest.

    A removal is kept as a row of the moderator. Raises ``Refused``.
    """
    with transaction.atomic():
        if not lock_active_user(by.pk).moderates:
            raise Refused(_("Only moderators can close reports. Sign in with a moderator account."), code="not_staff")
        guest = LiveSeat.objects.filter(seat=seat).values_list("guest", flat=True).first()
        theirs = Seat.objects.filter(Q(pk=seat.pk) | Q(live_seat__guest=guest)) if guest else [seat]
        if remove:
            GuestNameReport.objects.get_or_create(seat=seat, by=by, defaults={"name": _name_at(seat)})
        reports = GuestNameReport.objects.filter(seat__in=theirs, settled_at=None)
        reports.update(settled_at=Now(), settled_by=by, removed=remove)
        if remove:
            Seat.objects.filter(pk__in=[seat.pk for seat in theirs]).update(guest_name="")
            waiting_guests().filter(guest=guest).update(guest_name="")


def _name_at(seat: Seat) -> str:
    name = Seat.objects.get(pk=seat.pk).guest_name
    if not name:
        raise Refused(_("This name was already removed. Nothing was changed."), code="no_name")
    return name


# --- Expired rows ----------------------------------------------------------------------------------------------------

_STEPS: Final[tuple[Callable[[], int], ...]] = (proposals.expire, quick_pairing.forget, close_idle)


def tidy() -> int:
    """Run all steps. Returns how many rows they ended. A failed step does not affect the others."""
    return sum(run_isolated(step, 0, logger, "lobby cleanup step failed: %s", step.__name__) for step in _STEPS)
