"""Games of guests against house bots, and lobby rows that expire.

Casual, against house bots alone. A guest has one such table; from one address there are a few, and a bounded number in
all. Of secrets and addresses hashes are kept, for a while.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import SystemRandom
from typing import Final

from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from bots.models import Bot
from bots.owners import guest_player
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.limits import wait_s
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import guest_hash
from esr_platform.disconnects import run_isolated
from ladder.ledger.append import NoSeason
from ladder.live.game import held
from ladder.live.notify import save_and_tell
from ladder.live.start import open_table
from ladder.matches.blocks import Player
from ladder.matchmaking import proposals, quick_pairing
from ladder.matchmaking.begin import CLOCKS, quick_bots, versions_of
from ladder.matchmaking.limits import hosted_room
from ladder.matchmaking.presence import tell_lobby
from ladder.matchmaking.proposals import create_game
from ladder.models import GuestTable, Ladder, LiveSeat, Match, PlayedMove, Proposal

logger = logging.getLogger(__name__)

MOST_SEATS: Final = 4
CLOCK: Final = "usual"
SCOPE: Final = "guests"

IDLE: Final = timedelta(minutes=10)
"""A guest's game in which they have decided nothing for so long is closed."""

CLOSED: Final = "The guest has decided nothing for ten minutes."

KEPT: Final = timedelta(days=2)
"""So long it is kept who sat where, by hashes: limits are counted over one day."""

_DAY: Final = timedelta(days=1)
_AT_ONCE: Final = 500
_SALT: Final = "ladder.matchmaking.guests"
_TOKEN_BYTES: Final = 32
_RETRY_S: Final = 60
_RANDOM: Final = SystemRandom()


def play_now(ladder: Ladder, secret: str | None, address: str) -> tuple[Match, str]:
    """Seat the guest who knows ``secret``, a new one without, with house bots; the match, and the secret that opens it.

    Their game that runs already is that one. ``address`` is that of ``accounts.limits.address``. Raises ``Refused``.
    """
    running = _running().filter(secret_hash=guest_hash(secret)).first() if secret else None
    if running is not None and secret:
        return running.match, secret
    wait = wait_s(SCOPE, address)
    if wait:
        raise TooMany(_("Somebody there sits down too often. Try again in a minute."), wait)
    _require_guests_at(ladder)
    kept = secret or secrets.token_urlsafe(_TOKEN_BYTES)
    where = _hash_of_address(address)
    _require_room(where)
    with transaction.atomic():
        match = _begin(ladder, guest_hash(kept))
        Bot.objects.select_for_update(no_key=True).get(house_name=Bot.GUEST)
        GuestTable.objects.create(match=match, secret_hash=guest_hash(kept), address=where)
        again = _running().filter(secret_hash=guest_hash(kept)).exclude(match=match).first()
        if again is None:
            _require_room(where, mine=1)
            return match, kept
        transaction.set_rollback(True)
    return again.match, kept


def play_house(person: User, ladder: Ladder) -> Match:
    """The same for somebody with an account: a casual game with bots of the house. A second click is the same game.

    Raises ``Refused``.
    """
    made = create_game(person, ladder, clock=CLOCK, kind=Proposal.Kind.BOTS)
    if made.match is None:
        raise Refused(_("The game could not begin. Try again in a moment."))
    return made.match


# --- what is over --------------------------------------------------------------------------------------------------


def close_idle() -> int:
    """End the games in which guests have decided nothing for ``IDLE``; how many. Safe to run twice at once."""
    matches = _running().filter(match__started__lt=Now() - IDLE).values_list("match", flat=True)
    return sum(_closed(match_id) for match_id in matches if not _lately(match_id))


def forget_guests() -> int:
    """Forget who sat at games that have ended a while ago, and sessions that are over; of how many games."""
    try:
        call_command("clearsessions")
    except Exception:
        logger.exception("sessions that are over are kept")
    old = GuestTable.objects.filter(created__lt=Now() - KEPT).exclude(match__status=Match.Status.RUNNING)
    forgotten = 0
    while ids := list(old.values_list("pk", flat=True)[:_AT_ONCE]):
        with transaction.atomic():
            tables = GuestTable.objects.filter(pk__in=ids)
            LiveSeat.objects.filter(table__in=list(tables.values_list("match", flat=True))).update(guest="")
            forgotten += tables.delete()[0]
    return forgotten


def _closed(match_id: int) -> bool:
    """One game that cannot be closed holds up no other one."""
    return run_isolated(partial(_close, match_id), False, logger, "the guest's match %s was not closed", match_id)


def _close(match_id: int) -> bool:
    """Look again while the table is held: whoever decides now is not idle."""
    with transaction.atomic():
        table = held(match_id)
        if table is None or table.position.table.over or _lately(match_id):
            return False
        table.aborted = CLOSED
        save_and_tell(table)
        tell_lobby()
        return True


def _lately(match_id: int) -> bool:
    """Whether the guest of a game has decided something themselves a while ago at most."""
    own = PlayedMove.objects.filter(match=match_id, decision__isnull=False, default="").exclude(
        seat__live_seat__guest=""
    )
    return own.filter(received_at__gt=Now() - IDLE).exists()


# --- sitting down --------------------------------------------------------------------------------------------------


def _running() -> QuerySet[GuestTable]:
    return GuestTable.objects.filter(match__status=Match.Status.RUNNING).select_related("match").order_by("pk")


def _begin(ladder: Ladder, secret_hash: str) -> Match:
    """Open the table, the guest at a seat that is drawn; the row of the ladder is held from here on."""
    locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
    versions = versions_of(locked, quick_bots(locked, locked.seats - 1))
    if len(versions) > hosted_room():
        raise TooMany(_("Too many bots that run here play live games now. Try again in a minute."), _RETRY_S)
    guest = guest_player()
    players = [Player(guest), *(Player(version) for version in versions)]
    _RANDOM.shuffle(players)
    seat = next(index for index, player in enumerate(players) if player.version == guest)
    try:
        return open_table(locked, players, rated=False, limits=CLOCKS[CLOCK], guests={seat: secret_hash})
    except NoSeason as none:
        raise Refused(_("No season of %(ladder)s is open.") % {"ladder": ladder}) from none


def _require_guests_at(ladder: Ladder) -> None:
    private = ladder.private or ladder.by_invitation
    if ladder.players != Ladder.Players.OPEN or private or ladder.seats > MOST_SEATS:
        raise Refused(_("Guests do not play there. Choose one of the tables that are offered, or sign in."))


def _require_room(where: str, mine: int = 0) -> None:
    """Raises ``TooMany`` where guests, or those of one address, have all the games that they may; but for ``mine``."""
    there = GuestTable.objects.filter(address=where)
    if there.filter(match__status=Match.Status.RUNNING).count() - mine >= settings.MAX_GUEST_GAMES_PER_IP:
        raise TooMany(
            _("From where you are, %(most)s guests play already, which is the most. Wait, or make an account.")
            % {"most": settings.MAX_GUEST_GAMES_PER_IP},
            _RETRY_S,
        )
    if there.filter(created__gt=Now() - _DAY).count() - mine >= settings.MAX_GUEST_GAMES_PER_IP_PER_DAY:
        raise TooMany(
            _("From where you are, guests have begun %(most)s games within 24 hours, which is the most.")
            % {"most": settings.MAX_GUEST_GAMES_PER_IP_PER_DAY}
        )
    if _running().count() - mine >= settings.MAX_GUEST_GAMES:
        raise TooMany(_("All tables for guests are taken. Try again in a minute, or make an account."), _RETRY_S)


def _hash_of_address(address: str) -> str:
    """What is kept of an address: only this site can tell whether it was one."""
    return salted_hmac(_SALT, address, algorithm="sha256").hexdigest()


# --- Expired rows ----------------------------------------------------------------------------------------------------

_STEPS: Final[tuple[Callable[[], int], ...]] = (proposals.expire, quick_pairing.forget, close_idle)


def tidy() -> int:
    """Do all of it; of how many things. A step that fails holds up no other one. Safe to run twice at once."""
    return sum(run_isolated(step, 0, logger, "the lobby was not tidied: %s", step.__name__) for step in _STEPS)
