"""Limits on the games that people and bots play, create or propose. The numbers are settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Final, Literal

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from bots import remote
from bots.models import Bot, RemoteBot
from bots.owners import guest_player, player_of
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.intake import require_intake
from esr_platform.accounts.limits import DAY, Limit
from esr_platform.accounts.models import Intake, User
from ladder.live.start import Guest
from ladder.members.memberships import require_rated, require_sits
from ladder.models import Block, Ladder, LiveSeat, Match, Pairing, Proposal, ProposalPlayer, Seat

# --- Remote and hosted bots ------------------------------------------------------------------------------------------


def free_games(bots: Collection[RemoteBot]) -> dict[int, int]:
    """By bot, how many more games it can start; one query."""
    theirs = Seat.objects.filter(version__bot__in=[bot.pk for bot in bots], match__status=Match.Status.RUNNING)
    running = Counter(theirs.values_list("version__bot", flat=True))
    return {bot.pk: max(0, bot.games_at_once - running[bot.pk]) for bot in bots}


def held_free(bots: Collection[int]) -> set[int]:
    """The remote bots of ``bots`` that are online and can start a game. Their rows are locked.

    Call this before a table is opened, with the ladder locked: of two tables opened at once, the second then sees the
    first.
    """
    list(RemoteBot.objects.select_for_update(no_key=True).filter(pk__in=bots).order_by("pk").values_list("pk"))
    rows = list(remote.available().filter(pk__in=bots))
    return {bot for bot, free in free_games(rows).items() if free}


def hosted_room() -> int:
    """How many more seats of live games can be given to hosted bots, which are started for each decision."""
    asked = LiveSeat.objects.filter(kind__in=LiveSeat.ASKED_BY_WORKERS, forfeit="")
    seated = asked.filter(table__match__status=Match.Status.RUNNING)
    most: int = settings.MAX_LIVE_HOSTED_SEATS
    return max(0, most - seated.count())


# --- Human players ---------------------------------------------------------------------------------------------------
#
# A player occupies a seat while they can still play in it: not after they resign or forfeit, or when they can only
# watch. Limits are checked while the rows of the people are locked: of two games that start at once, the second sees
# the first.

RETRY_S: Final = 60
"""When to retry if a game must end first."""

_GAMES_AT_ONCE: Final = Limit(
    "MAX_LIVE_GAMES_PER_USER",
    ngettext_lazy(
        "You are playing %(most)s game (the maximum). Finish it first.",
        "You are playing %(most)s games (the maximum). Finish one first.",
        "most",
    ),
    retry_s=RETRY_S,
    code="games_at_once",
)
_HOSTED_SEATS: Final = Limit(
    "MAX_HOSTED_SEATS_PER_USER",
    ngettext_lazy(
        "Hosted bots can fill at most %(most)s seat in all running games of one player. Try again after a game ends.",
        "Hosted bots can fill at most %(most)s seats in all running games of one player. Try again after a game ends.",
        "most",
    ),
    retry_s=RETRY_S,
    code="hosted_seats",
)


def lock_people(ids: Iterable[int]) -> dict[int, User]:
    """Lock the rows of these people, ordered by id as everywhere.

    Returns them by id, without unknown ids and suspended or deleted accounts.
    """
    rows = get_user_model()._default_manager.select_for_update(no_key=True)
    return {user.pk: user for user in rows.filter(pk__in=set(ids)).order_by("pk") if user.is_active}


def people_of(bots: Iterable[Bot]) -> list[int]:
    """The user ids of the human players among ``bots``, without guests."""
    return [bot.owner_id for bot in bots if bot.kind == Bot.Kind.PERSON and bot.owner_id is not None]


def kept_seats(person: int) -> QuerySet[LiveSeat]:
    """The seats in running games in which ``person`` plays or to which they can return."""
    mine = _live_seats_of([person]).filter(table__over=False, forfeit="", resigned=False)
    return mine.exclude(kind=LiveSeat.Kind.SUBSTITUTE, returned=True)


def why_busy(person: int, *, rated: bool) -> Literal["", "games", "rated"]:
    """Why ``person``, whose row is locked, cannot start another game; empty if they can.

    ``games``: they play the maximum number of games. ``rated``: they play a rated game, and this one is also rated.
    """
    mine = list(kept_seats(person).values_list("table__match__block__purpose", flat=True))
    if not _GAMES_AT_ONCE.allows(len(mine)):
        return "games"
    return "rated" if rated and Block.Purpose.LIVE in mine else ""


def require_may_begin(person: User, *, rated: bool) -> None:
    """Raises ``TooMany`` if ``person``, whose row is locked, cannot start another game."""
    busy = why_busy(person.pk, rated=rated)
    if busy == "games":
        raise _GAMES_AT_ONCE.reached()
    if busy == "rated":
        text = _("You are already playing a rated game. Finish it before you start another one.")
        raise TooMany(text, RETRY_S, code="rated_at_once")


def may_have_code(person: int, seats: int) -> bool:
    """Whether hosted bots may fill ``seats`` more seats in games of ``person``, whose row is locked.

    The seats of a running game count even if the person has left it.
    """
    if not seats:
        return True
    tables = _live_seats_of([person]).values("table")
    kept = LiveSeat.objects.filter(table__in=tables, kind__in=LiveSeat.ASKED_BY_WORKERS, forfeit="").count()
    return _HOSTED_SEATS.allows(kept, seats)


def require_code(people: Collection[int], seats: int) -> None:
    """Raises ``TooMany`` if ``seats`` more hosted bots are too many for one of ``people``."""
    if not all(may_have_code(person, seats) for person in people):
        raise _HOSTED_SEATS.reached()


def end_searches(people: Collection[int], kept: int | None = None) -> None:
    """End the searches and open games of these people, and remove them from the open games of others.

    Their rows are locked. ``kept`` is the proposal of the game that they have found; it stays.
    """
    Pairing.objects.filter(bot__owner__in=people).delete()
    others = Proposal.objects.games().filter(state=Proposal.State.OPEN).exclude(pk__in=[] if kept is None else [kept])
    others.filter(by__in=people).update(state=Proposal.State.WITHDRAWN, ended=Now())
    ProposalPlayer.objects.filter(proposal__in=others, bot__owner__in=people, bot__kind=Bot.Kind.PERSON).delete()


def _live_seats_of(people: Collection[int]) -> QuerySet[LiveSeat]:
    return LiveSeat.objects.filter(
        kind__in=LiveSeat.OF_PEOPLE,
        seat__version__bot__owner__in=people,
        table__match__status=Match.Status.RUNNING,
    )


# --- Guests ----------------------------------------------------------------------------------------------------------
#
# Guests share one bot, whose row is locked while their seats are counted. Limits count IP addresses, since anyone can
# have any number of secrets. The seats of hosted bots have separate limits.

_GUEST_GAMES_AT_ONCE: Final = Limit(
    "MAX_LIVE_GAMES_PER_USER",
    ngettext_lazy(
        "You are playing %(most)s game or waiting for one (the maximum). Finish it first.",
        "You are playing %(most)s games or waiting for them (the maximum). Finish one first.",
        "most",
    ),
    retry_s=RETRY_S,
    code="games_at_once",
)
_GUEST_SEATS_PER_IP: Final = Limit(
    "MAX_GUEST_SEATS_PER_IP",
    ngettext_lazy(
        "%(most)s guest from your network is playing (the maximum). Try again later or create an account.",
        "%(most)s guests from your network are playing (the maximum). Try again later or create an account.",
        "most",
    ),
    retry_s=RETRY_S,
    code="guest_seats_per_ip",
)
_GUEST_SEATS_PER_IP_PER_DAY: Final = Limit(
    "MAX_GUEST_SEATS_PER_IP_PER_DAY",
    ngettext_lazy(
        "Guests on your network have started %(most)s game in the last 24 hours (the maximum). Try again later or"
        " sign up.",
        "Guests on your network have started %(most)s games in the last 24 hours (the maximum). Try again later or"
        " sign up.",
        "most",
    ),
    per=DAY,
    code="guest_seats_per_day",
)
_GUEST_SEATS: Final = Limit(
    "MAX_GUEST_SEATS",
    gettext_lazy("The maximum number of guests (%(most)s) is playing. Try again in a minute or create an account."),
    retry_s=RETRY_S,
    code="guest_seats",
)
_GUEST_HOSTED_SEATS_PER_IP: Final = Limit(
    "MAX_GUEST_HOSTED_SEATS_PER_IP",
    gettext_lazy(
        "Guests on your network play with %(most)s bots (the maximum). Play without bots, try again later or create an"
        " account."
    ),
    retry_s=RETRY_S,
    code="guest_hosted_seats_per_ip",
)
_GUEST_HOSTED_SEATS: Final = Limit(
    "MAX_GUEST_HOSTED_SEATS",
    gettext_lazy(
        "Guests play with %(most)s bots (the maximum). Play without bots, try again in a minute or create an account."
    ),
    retry_s=RETRY_S,
    code="guest_hosted_seats",
)


def guest_seats() -> QuerySet[LiveSeat]:
    """The seats in running games in which guests still play, or to which they can return."""
    running = LiveSeat.objects.exclude(guest="").filter(table__match__status=Match.Status.RUNNING, table__over=False)
    return running.filter(forfeit="", resigned=False)


def waiting_guests() -> QuerySet[ProposalPlayer]:
    """The places of guests in games by link that have not begun."""
    return ProposalPlayer.objects.exclude(guest="").filter(proposal__in=Proposal.objects.waiting())


def require_guests_on(ladder: Ladder) -> Bot:
    """The bot of guests, for a casual game on ``ladder``. Raises ``Refused``, also while guests are paused."""
    require_intake(Intake.GUESTS)
    if ladder.private or ladder.by_invitation or ladder.players not in (Ladder.Players.OPEN, Ladder.Players.PEOPLE):
        raise Refused(_("Guests cannot play on this ladder. Choose another game or sign in."), code="no_guests")
    bot = guest_player().bot
    require_sits(bot, ladder)
    return bot


def require_guest_seats(guests: Collection[Guest]) -> None:
    """Raises ``TooMany`` if a limit is exceeded now that ``guests`` have their seats or places.

    The caller's transaction has written these, and is rolled back. This locks the row of the guests' bot.
    """
    Bot.objects.select_for_update(no_key=True).get(house_name=Bot.GUEST)
    for address in {guest.address for guest in guests}:
        there = guest_seats().filter(guest_address=address)
        if not _GUEST_SEATS_PER_IP.allows(there.count() + waiting_guests().filter(guest_address=address).count(), 0):
            raise _GUEST_SEATS_PER_IP.reached()
        begun: QuerySet[LiveSeat] = LiveSeat.objects.filter(guest_address=address)
        _GUEST_SEATS_PER_IP_PER_DAY.require(begun.annotate(created=F("table__match__started")), but=1)
        places: QuerySet[ProposalPlayer] = ProposalPlayer.objects.filter(guest_address=address)
        _GUEST_SEATS_PER_IP_PER_DAY.require(places.annotate(created=F("proposal__created")), but=1)
        _GUEST_HOSTED_SEATS_PER_IP.require(_hosted_beside(there), but=1)
    _GUEST_SEATS.require(guest_seats(), but=1)
    _GUEST_HOSTED_SEATS.require(_hosted_beside(guest_seats()), but=1)


def require_guest_games(guest: Guest) -> None:
    """Raises ``TooMany`` if ``guest`` now has too many games, including those that have not begun."""
    playing = guest_seats().filter(guest=guest.secret_hash).count()
    if not _GUEST_GAMES_AT_ONCE.allows(playing + waiting_guests().filter(guest=guest.secret_hash).count(), 0):
        raise _GUEST_GAMES_AT_ONCE.reached()


def end_guest_games(guests: Collection[Guest], kept: int | None) -> None:
    """Withdraw the open games of these guests, and remove them from those of others.

    ``kept`` is the proposal of the game that they have found; it stays. Games that another player is joining also
    stay: waiting for them could cause a deadlock.
    """
    theirs = waiting_guests().filter(guest__in=[guest.secret_hash for guest in guests]).exclude(proposal=kept)
    open_games = Proposal.objects.filter(state=Proposal.State.OPEN, pk__in=theirs.values("proposal"))
    held = list(open_games.select_for_update(skip_locked=True, no_key=True).order_by("pk").values_list("pk", flat=True))
    own = Proposal.objects.filter(pk__in=held, by_guest__in=[guest.secret_hash for guest in guests])
    theirs.filter(proposal__in=held).exclude(proposal__in=list(own.values_list("pk", flat=True))).delete()
    own.update(state=Proposal.State.WITHDRAWN, ended=Now())


def _hosted_beside(seats: QuerySet[LiveSeat]) -> QuerySet[LiveSeat]:
    """The seats that workers play at the tables of these seats."""
    hosted = LiveSeat.objects.filter(kind__in=LiveSeat.ASKED_BY_WORKERS, forfeit="")
    return hosted.filter(table__in=seats.values("table"))


# --- Open games ------------------------------------------------------------------------------------------------------

_GAMES_PER_DAY: Final = Limit(
    "MAX_OPEN_GAMES_PER_DAY",
    ngettext_lazy(
        "You have created %(most)s game in the last 24 hours (the maximum). Try again later.",
        "You have created %(most)s games in the last 24 hours (the maximum). Try again later.",
        "most",
    ),
    per=DAY,
    code="open_games_per_day",
)
_OPEN_GAMES: Final = Limit(
    "MAX_OPEN_GAMES_PER_USER",
    ngettext_lazy(
        "You are waiting in %(most)s open game (the maximum). Leave it first.",
        "You are waiting in %(most)s open games (the maximum). Leave one first.",
        "most",
    ),
    retry_s=10,
    code="open_games",
)


def require_place(person: User, ladder: Ladder, *, rated: bool) -> Bot:
    """The player of ``person`` for a game on ``ladder``. Their row is locked from here on.

    Raises ``Refused`` if they do not see the ladder, may not play on it, or may not play rated games.
    """
    if not Ladder.objects.visible_to(person).filter(pk=ladder.pk).exists():
        raise Refused(_("This ladder does not exist or is not open to you. Choose another one."), code="no_ladder")
    player = player_of(person).bot
    require_sits(player, ladder)
    if rated:
        require_rated(person)
    return player


def require_offer(person: User) -> None:
    """Raises ``TooMany`` if ``person``, whose row is locked, has created too many games today."""
    _GAMES_PER_DAY.require(Proposal.objects.games().filter(by=person))


def require_seat(player: Bot) -> None:
    """Raises ``TooMany`` if ``player`` waits in too many open games."""
    _OPEN_GAMES.require(Proposal.objects.games().waiting().filter(players__bot=player))


# --- Challenges ------------------------------------------------------------------------------------------------------

ANSWER_WITHIN: Final = timedelta(seconds=60)
MOST_ASKED: Final = 10
"""Maximum open challenges to one bot. To block a bot with challenges, this many accounts would be needed."""

MOST_REMATCHES: Final = 3
"""How often one person can request a rematch of the same game. After a refusal they cannot request another one."""

_DECLINED: Final = Proposal.State.DECLINED

_OPEN_CHALLENGES: Final = Limit(
    "MAX_OPEN_CHALLENGES_PER_USER",
    ngettext_lazy(
        "You have %(most)s open or running challenge (the maximum). Wait for it to end or withdraw it.",
        "You have %(most)s open or running challenges (the maximum). Wait for one to end or withdraw one.",
        "most",
    ),
    retry_s=int(ANSWER_WITHIN.total_seconds()),
    code="open_challenges",
)
_CHALLENGES_PER_DAY: Final = Limit(
    "MAX_CHALLENGES_PER_DAY",
    ngettext_lazy(
        "You have sent %(most)s challenge in the last 24 hours (the maximum). Try again later.",
        "You have sent %(most)s challenges in the last 24 hours (the maximum). Try again later.",
        "most",
    ),
    per=DAY,
    code="challenges_per_day",
)
_CHALLENGES_TO_ONE: Final = Limit(
    "MAX_CHALLENGES_TO_ONE_USER_PER_DAY",
    ngettext_lazy(
        "You have challenged this player %(most)s time in the last 24 hours (the maximum). Try again later.",
        "You have challenged this player %(most)s times in the last 24 hours (the maximum). Try again later.",
        "most",
    ),
    per=DAY,
    code="challenges_to_one",
)
_UNANSWERED: Final = Limit(
    "unanswered challenges",
    ngettext_lazy(
        "%(bot)s has %(most)s unanswered challenge (the maximum). Try again in a minute.",
        "%(bot)s has %(most)s unanswered challenges (the maximum). Try again in a minute.",
        "most",
    ),
    count=MOST_ASKED,
    retry_s=60,
    code="unanswered_challenges",
)


def require_room(by: User) -> None:
    """Raises ``TooMany`` if ``by``, whose row is locked, cannot send another challenge."""
    mine = Proposal.objects.challenges().filter(by=by)
    _OPEN_CHALLENGES.require(mine.filter(Q(state=Proposal.State.OPEN) | Q(match__status=Match.Status.RUNNING)))
    _CHALLENGES_PER_DAY.require(mine)


def require_not_too_often(by: User, people: Collection[int], again: Match | None = None) -> None:
    """Raises ``TooMany`` if ``by``, whose row is locked, has challenged one of ``people`` too often.

    Rematches do not count for this. They have a limit per match, ``again``.
    """
    if people and again is not None:
        require_rematch(Proposal.objects.filter(by=by, again=again))
    recent = Proposal.objects.challenges().filter(by=by, again=None)
    for person in people:
        _CHALLENGES_TO_ONE.require(recent.filter(players__bot__owner=person).distinct())


def require_rematch(asked: QuerySet[Proposal]) -> None:
    """Raises ``TooMany`` if a player who has ``asked`` for these rematches of a game cannot ask for another one."""
    if asked.filter(state=_DECLINED).exists() or asked.count() >= MOST_REMATCHES:
        raise TooMany(
            "You cannot offer another rematch of this game. The other players can still offer one.",
            code="rematch_again",
        )


def require_unasked(bots: Iterable[Bot]) -> None:
    """Raises ``TooMany`` if one of ``bots`` has too many unanswered challenges."""
    for bot in bots:
        asked = ProposalPlayer.objects.filter(bot=bot, accepted=None, proposal__state=Proposal.State.OPEN)
        _UNANSWERED.require(asked, bot=bot.name)
