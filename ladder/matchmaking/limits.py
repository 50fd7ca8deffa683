"""How many games people and bots may be in, offer or ask for at a time. The numbers are settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots import remote
from bots.models import Bot, RemoteBot
from bots.owners import player_of
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.members.memberships import require_rated, require_sits
from ladder.models import Block, Ladder, LiveSeat, Match, Pairing, Proposal, ProposalPlayer, Seat

# --- Remote and hosted bots ------------------------------------------------------------------------------------------


def free_games(bots: Collection[RemoteBot]) -> dict[int, int]:
    """By bot, how many games more it may begin; one query."""
    theirs = Seat.objects.filter(version__bot__in=[one.pk for one in bots], match__status=Match.Status.RUNNING)
    running = Counter(theirs.values_list("version__bot", flat=True))
    return {one.pk: max(0, one.games_at_once - running[one.pk]) for one in bots}


def held_free(bots: Collection[int]) -> set[int]:
    """Those of these remote bots that are here and can begin a game, their rows held until the transaction's end.

    Whoever opens a table asks here first, after the ladder's row is held: so of two tables that are opened at once, the
    second sees the first.
    """
    list(RemoteBot.objects.select_for_update(no_key=True).filter(pk__in=bots).order_by("pk").values_list("pk"))
    rows = list(remote.available().filter(pk__in=bots))
    return {bot for bot, free in free_games(rows).items() if free}


def hosted_room() -> int:
    """How many seats of live games may still be given to code that runs here: it is started anew for each decision."""
    asked = LiveSeat.objects.filter(kind__in=LiveSeat.ASKED_BY_WORKERS, forfeit="")
    seated = asked.filter(table__match__status=Match.Status.RUNNING)
    most: int = settings.MAX_LIVE_HOSTED_SEATS
    return max(0, most - seated.count())


# --- Human players ---------------------------------------------------------------------------------------------------
#
# Who still plays keeps a seat: whoever has resigned or forfeited does not, nor who can only watch any more. All of it
# is judged while the rows of the people are held: of two games that begin at once the second sees the first.

RETRY_S: Final = 60
"""When to ask again where a game has to end first."""


def hold_people(ids: Iterable[int]) -> dict[int, User]:
    """Hold the rows of these people until the end of the transaction, in the order in which everybody holds them.

    By id; who is not there, or whose account is closed, is left out.
    """
    rows = get_user_model()._default_manager.select_for_update(no_key=True)
    return {one.pk: one for one in rows.filter(pk__in=set(ids)).order_by("pk") if one.is_active}


def people_of(bots: Iterable[Bot]) -> list[int]:
    """The ids of the people who play themselves among ``bots``; guests have none."""
    return [bot.owner_id for bot in bots if bot.kind == Bot.Kind.PERSON and bot.owner_id is not None]


def kept_seats(person: int) -> QuerySet[LiveSeat]:
    """The seats at running tables in which ``person`` still plays, or to which they may come back."""
    mine = _live_seats_of([person]).filter(table__over=False, forfeit="", resigned=False)
    return mine.exclude(kind=LiveSeat.Kind.SUBSTITUTE, returned=True)


def may_begin(person: int, *, rated: bool) -> bool:
    """Whether ``person``, whose row is held, may begin another game."""
    mine = list(kept_seats(person).values_list("table__match__block__purpose", flat=True))
    return len(mine) < settings.MAX_LIVE_GAMES_PER_USER and not (rated and Block.Purpose.LIVE in mine)


def require_may_begin(person: User, *, rated: bool) -> None:
    """The same for whoever asks for it. Raises ``TooMany`` with what to do first."""
    if may_begin(person.pk, rated=rated):
        return
    if kept_seats(person.pk).count() >= settings.MAX_LIVE_GAMES_PER_USER:
        most = settings.MAX_LIVE_GAMES_PER_USER
        raise TooMany(
            _("You play %(most)s games at once, which is the most. End one of them first.") % {"most": most}, RETRY_S
        )
    raise TooMany(_("You play a rated game already. One at a time: end that one first."), RETRY_S)


def may_have_code(person: int, seats: int) -> bool:
    """Whether code that runs here may sit at so many seats more of the games of ``person``, whose row is held.

    Those of a table that they have left count as long as it runs.
    """
    if not seats:
        return True
    tables = _live_seats_of([person]).values("table")
    kept = LiveSeat.objects.filter(table__in=tables, kind__in=LiveSeat.ASKED_BY_WORKERS, forfeit="").count()
    most: int = settings.MAX_HOSTED_SEATS_PER_USER
    return kept + seats <= most


def require_code(people: Collection[int], seats: int) -> None:
    """Raises ``TooMany`` where that is too much for one of ``people``."""
    if all(may_have_code(person, seats) for person in people):
        return
    most = settings.MAX_HOSTED_SEATS_PER_USER
    raise TooMany(
        _("Bots that run here sit at %(most)s seats of one person's games at most. Wait until one has ended.")
        % {"most": most},
        RETRY_S,
    )


def end_searches(people: Collection[int], found: int | None = None) -> None:
    """End the searches and open games of these people, whose rows are held, and leave the open games of others.

    ``found`` is the proposal that stays: the game that they have found by it.
    """
    Pairing.objects.filter(bot__owner__in=people).delete()
    others = Proposal.objects.games().filter(state=Proposal.State.OPEN).exclude(pk__in=[] if found is None else [found])
    others.filter(by__in=people).update(state=Proposal.State.WITHDRAWN, ended=Now())
    ProposalPlayer.objects.filter(proposal__in=others, bot__owner__in=people, bot__kind=Bot.Kind.PERSON).delete()


def _live_seats_of(people: Collection[int]) -> QuerySet[LiveSeat]:
    return LiveSeat.objects.filter(
        kind__in=LiveSeat.OF_PEOPLE,
        seat__version__bot__owner__in=people,
        table__match__status=Match.Status.RUNNING,
    )


# --- Open games ------------------------------------------------------------------------------------------------------

_DAY: Final = timedelta(days=1)


def require_place(person: User, ladder: Ladder, *, rated: bool) -> Bot:
    """The player that ``person``, whose row is held from here on, sits down as on ``ladder``.

    Raises ``Refused`` where they may not know of it, do not belong there, or may not play for a rating.
    """
    if not Ladder.objects.visible_to(person).filter(pk=ladder.pk).exists():
        raise Refused(_("There is no such ladder. Choose one of those that you see."))
    player = player_of(person).bot
    require_sits(player, ladder)
    if rated:
        require_rated(person)
    return player


def require_offer(person: User) -> None:
    """Raises ``TooMany`` where ``person``, whose row is held, has made as many offers as one may."""
    made = Proposal.objects.games().filter(by=person, created__gt=Now() - _DAY)
    if made.count() >= settings.MAX_OPEN_GAMES_PER_DAY:
        most = settings.MAX_OPEN_GAMES_PER_DAY
        raise TooMany(
            _("You have offered seats %(most)s times within 24 hours, which is the most. Come back later.")
            % {"most": most}
        )


def require_seat(player: Bot) -> None:
    """Raises ``TooMany`` where ``player`` sits at as many tables that wait for others as one may."""
    waiting = Proposal.objects.games().waiting().filter(players__bot=player)
    if waiting.count() >= settings.MAX_OPEN_GAMES_PER_USER:
        most = settings.MAX_OPEN_GAMES_PER_USER
        raise TooMany(
            _("You wait at %(most)s tables, which is the most. Leave one of them first.") % {"most": most}, 10
        )


# --- Challenges ------------------------------------------------------------------------------------------------------

ANSWER_WITHIN: Final = timedelta(seconds=60)
MOST_ASKED: Final = 10
"""Open challenges for one bot: whoever wants to keep it from others would need as many accounts."""

MOST_REMATCHES: Final = 3
"""So often one person asks others for another game after the same one; once they have declined not any more."""

_DECLINED: Final = Proposal.State.DECLINED


def require_room(by: User) -> None:
    """Raises ``TooMany`` where ``by``, whose row the caller holds, has made all the challenges that one may."""
    mine = Proposal.objects.challenges().filter(by=by)
    going_on = mine.filter(Q(state=Proposal.State.OPEN) | Q(match__status=Match.Status.RUNNING))
    if going_on.count() >= settings.MAX_OPEN_CHALLENGES_PER_USER:
        raise TooMany(
            f"{settings.MAX_OPEN_CHALLENGES_PER_USER} of your challenges are open or being played, which is the most."
            " Wait for one, or withdraw one.",
            int(ANSWER_WITHIN.total_seconds()),
        )
    if mine.filter(created__gt=Now() - _DAY).count() >= settings.MAX_CHALLENGES_PER_DAY:
        raise TooMany(
            f"You have made {settings.MAX_CHALLENGES_PER_DAY} challenges within 24 hours, which is the most."
            " Come back later."
        )


def require_not_too_often(by: User, people: Collection[int], again: Match | None = None) -> None:
    """Raises ``TooMany`` where ``by``, whose row the caller holds, has asked one of ``people`` all day long.

    Rematches are no part of that: each is of a game, ``again``, after which so many may be asked for.
    """
    asked = Proposal.objects.filter(by=by, again=again) if people and again is not None else None
    if asked is not None and (asked.filter(state=_DECLINED).exists() or asked.count() >= MOST_REMATCHES):
        raise TooMany("You have asked for another game already. Let them ask you.")
    lately = Proposal.objects.challenges().filter(by=by, again=None, created__gt=Now() - _DAY)
    for person in people:
        if lately.filter(players__bot__owner=person).distinct().count() >= settings.MAX_CHALLENGES_TO_ONE_USER_PER_DAY:
            raise TooMany(
                f"You have challenged them {settings.MAX_CHALLENGES_TO_ONE_USER_PER_DAY} times within 24 hours,"
                " which is the most. Let them ask you."
            )


def require_unasked(bots: Iterable[Bot]) -> None:
    """Raises ``TooMany`` where one of ``bots`` has as many open challenges to answer as may be."""
    for bot in bots:
        asked = ProposalPlayer.objects.filter(bot=bot, accepted=None, proposal__state=Proposal.State.OPEN)
        if asked.count() >= MOST_ASKED:
            raise TooMany(f"{bot.name} has {MOST_ASKED} challenges to answer. Try again in a minute.", 60)
