"""Games of guests against house bots, and lobby rows that expire.

Guests play casual games against house bots. A guest has one running game; the number of guest games per IP address and
in total is limited. Secrets and IP addresses are stored only as hashes, and only for a while.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import SystemRandom
from typing import Final

from django.core.management import call_command
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from bots.models import Bot
from bots.owners import guest_player
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.limits import DAY, Limit, wait_s
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import guest_hash
from esr_platform.disconnects import run_isolated
from ladder.ledger.append import NoSeason
from ladder.live.game import held
from ladder.live.notify import save_and_tell
from ladder.live.start import open_table
from ladder.matches.blocks import Player
from ladder.matchmaking import proposals, quick_pairing
from ladder.matchmaking.begin import CLOCKS, no_season, quick_bots, require_hosted_room, versions_of
from ladder.matchmaking.presence import tell_lobby
from ladder.matchmaking.proposals import create_game
from ladder.models import GuestTable, Ladder, LiveSeat, Match, PlayedMove, Proposal

logger = logging.getLogger(__name__)

MOST_SEATS: Final = 4
CLOCK: Final = "usual"
SCOPE: Final = "guests"

IDLE: Final = timedelta(minutes=10)
"""A guest game is aborted if the guest has made no decision for this long."""

CLOSED: Final = "The guest made no decision for 10 minutes."

KEPT: Final = timedelta(days=2)
"""How long the hashes of guests are kept. Limits count games of the last 24 hours."""

_AT_ONCE: Final = 500
_SALT: Final = "ladder.matchmaking.guests"
_TOKEN_BYTES: Final = 32
_RETRY_S: Final = 60
_RANDOM: Final = SystemRandom()

_GAMES_FROM_IP: Final = Limit(
    "MAX_GUEST_GAMES_PER_IP",
    ngettext_lazy(
        "%(most)s guest game from your network is running (the maximum). Try again later or create an account.",
        "%(most)s guest games from your network are running (the maximum). Try again later or create an account.",
        "most",
    ),
    retry_s=_RETRY_S,
    code="guest_games_per_ip",
)
_GAMES_FROM_IP_PER_DAY: Final = Limit(
    "MAX_GUEST_GAMES_PER_IP_PER_DAY",
    ngettext_lazy(
        "Guests on your network have started %(most)s game in the last 24 hours (the maximum). Try again later or"
        " create an account.",
        "Guests on your network have started %(most)s games in the last 24 hours (the maximum). Try again later or"
        " create an account.",
        "most",
    ),
    per=DAY,
    code="guest_games_per_day",
)
_GAMES: Final = Limit(
    "MAX_GUEST_GAMES",
    gettext_lazy(
        "The maximum number of guest games (%(most)s) is running. Try again in a minute or create an account."
    ),
    retry_s=_RETRY_S,
    code="guest_games",
)


def play_now(ladder: Ladder, secret: str | None, address: str) -> tuple[Match, str]:
    """Start a game of a guest against house bots. Returns the match and the secret that gives access to it.

    A guest whose ``secret`` belongs to a running game gets that game. Without ``secret`` the guest is new. ``address``
    comes from ``accounts.limits.address``. Raises ``Refused``.
    """
    running = _running().filter(secret_hash=guest_hash(secret)).first() if secret else None
    if running is not None and secret:
        return running.match, secret
    wait = wait_s(SCOPE, address)
    if wait:
        raise TooMany(_("Too many new games from your network. Try again in a minute."), wait, code="too_often")
    _require_guests_at(ladder)
    kept = secret or secrets.token_urlsafe(_TOKEN_BYTES)
    where = salted_hmac(_SALT, address, algorithm="sha256").hexdigest()
    _require_room(where)
    with transaction.atomic():
        match = _begin(ladder, guest_hash(kept))
        Bot.objects.select_for_update(no_key=True).get(house_name=Bot.GUEST)
        GuestTable.objects.create(match=match, secret_hash=guest_hash(kept), address=where)
        again = _running().filter(secret_hash=guest_hash(kept)).exclude(match=match).first()
        if again is None:
            _require_room(where, but=1)
            return match, kept
        transaction.set_rollback(True)
    return again.match, kept


def play_house(person: User, ladder: Ladder) -> Match:
    """Start a casual game of ``person`` against house bots. A second click returns the same game."""
    made = create_game(person, ladder, clock=CLOCK, kind=Proposal.Kind.BOTS)
    if made.match is None:
        raise Refused(_("The game could not start. Try again in a moment."), code="not_started")
    return made.match


# --- Idle and old games ----------------------------------------------------------------------------------------------


def close_idle() -> int:
    """Abort guest games without a decision of the guest for ``IDLE``. Returns how many. Safe to run concurrently."""
    matches = _running().filter(match__started__lt=Now() - IDLE).values_list("match", flat=True)
    return sum(_closed(match_id) for match_id in matches if not _lately(match_id))


def forget_guests() -> int:
    """Delete expired sessions and the hashes of guests older than ``KEPT``. Returns the number of games."""
    try:
        call_command("clearsessions")
    except Exception:
        logger.exception("expired sessions not deleted")
    old = GuestTable.objects.filter(created__lt=Now() - KEPT).exclude(match__status=Match.Status.RUNNING)
    forgotten = 0
    while ids := list(old.values_list("pk", flat=True)[:_AT_ONCE]):
        with transaction.atomic():
            tables = GuestTable.objects.filter(pk__in=ids)
            LiveSeat.objects.filter(table__in=list(tables.values_list("match", flat=True))).update(guest="")
            forgotten += tables.delete()[0]
    return forgotten


def _closed(match_id: int) -> bool:
    """Abort one game. A failure does not affect the other games."""
    return run_isolated(partial(_close, match_id), False, logger, "idle guest match %s not aborted", match_id)


def _close(match_id: int) -> bool:
    """Check again while the match is locked: the guest may have decided in the meantime."""
    with transaction.atomic():
        table = held(match_id)
        if table is None or table.position.table.over or _lately(match_id):
            return False
        table.aborted = CLOSED
        save_and_tell(table)
        tell_lobby()
        return True


def _lately(match_id: int) -> bool:
    """Whether the guest of a game has made a decision within ``IDLE``."""
    own = PlayedMove.objects.filter(match=match_id, decision__isnull=False, default="").exclude(
        seat__live_seat__guest=""
    )
    return own.filter(received_at__gt=Now() - IDLE).exists()


# --- Starting --------------------------------------------------------------------------------------------------------


def _running() -> QuerySet[GuestTable]:
    return GuestTable.objects.filter(match__status=Match.Status.RUNNING).select_related("match").order_by("pk")


def _begin(ladder: Ladder, secret_hash: str) -> Match:
    """Start the game with a random seat for the guest. The row of the ladder is locked from here on."""
    locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
    versions = versions_of(locked, quick_bots(locked, locked.seats - 1))
    require_hosted_room(len(versions))
    guest = guest_player()
    players = [Player(guest), *(Player(version) for version in versions)]
    _RANDOM.shuffle(players)
    seat = next(index for index, player in enumerate(players) if player.version == guest)
    try:
        return open_table(locked, players, rated=False, limits=CLOCKS[CLOCK], guests={seat: secret_hash})
    except NoSeason as none:
        raise no_season(ladder) from none


def _require_guests_at(ladder: Ladder) -> None:
    private = ladder.private or ladder.by_invitation
    if ladder.players != Ladder.Players.OPEN or private or ladder.seats > MOST_SEATS:
        raise Refused(_("Guests cannot play on this ladder. Choose another game or sign in."), code="no_guests")


def _require_room(where: str, but: int = 0) -> None:
    """Raises ``TooMany`` if a limit on guest games is reached. ``but`` games do not count."""
    from_ip = GuestTable.objects.filter(address=where)
    _GAMES_FROM_IP.require(from_ip.filter(match__status=Match.Status.RUNNING), but)
    _GAMES_FROM_IP_PER_DAY.require(from_ip, but)
    _GAMES.require(_running(), but)


# --- Expired rows ----------------------------------------------------------------------------------------------------

_STEPS: Final[tuple[Callable[[], int], ...]] = (proposals.expire, quick_pairing.forget, close_idle)


def tidy() -> int:
    """Run all steps. Returns how many rows they ended. A failed step does not affect the others."""
    return sum(run_isolated(step, 0, logger, "lobby cleanup step failed: %s", step.__name__) for step in _STEPS)
