"""People at live tables: how many games each may be in at once, and how many seats code may keep for them.

Who still plays keeps a seat: whoever has resigned or forfeited does not, nor who can only watch any more. All of it is
judged while the rows of the people are held: of two games that begin at once the second sees the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from ladder.models import Block, Chair, Match, Pairing, Seek, SeekPlayer

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


def kept_seats(person: int) -> QuerySet[Chair]:
    """The chairs at running tables in which ``person`` still plays, or to which they may come back."""
    mine = _chairs_of([person]).filter(table__over=False, forfeit="", resigned=False)
    return mine.exclude(kind=Chair.Kind.STAND_IN, returned=True)


def may_begin(person: int, *, rated: bool) -> bool:
    """Whether ``person``, whose row is held, may begin another game."""
    mine = list(kept_seats(person).values_list("table__match__block__purpose", flat=True))
    return len(mine) < settings.PEOPLE_TABLES_AT_ONCE and not (rated and Block.Purpose.LIVE in mine)


def require_may_begin(person: User, *, rated: bool) -> None:
    """The same for whoever asks for it. Raises ``TooMany`` with what to do first."""
    if may_begin(person.pk, rated=rated):
        return
    if kept_seats(person.pk).count() >= settings.PEOPLE_TABLES_AT_ONCE:
        most = settings.PEOPLE_TABLES_AT_ONCE
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
    tables = _chairs_of([person]).values("table")
    kept = Chair.objects.filter(table__in=tables, kind__in=Chair.ASKED_BY_WORKERS, forfeit="").count()
    most: int = settings.HOSTED_SEATS_A_PERSON
    return kept + seats <= most


def require_code(people: Collection[int], seats: int) -> None:
    """Raises ``TooMany`` where that is too much for one of ``people``."""
    if all(may_have_code(person, seats) for person in people):
        return
    most = settings.HOSTED_SEATS_A_PERSON
    raise TooMany(
        _("Bots that run here sit at %(most)s seats of one person's games at most. Wait until one has ended.")
        % {"most": most},
        RETRY_S,
    )


def end_searches(people: Collection[int], found: int | None = None) -> None:
    """Their game was found: these people, whose rows are held, look for no other one, and offer no other seats.

    ``found`` is the seek, if it was one, by which they have found it.
    """
    Pairing.objects.filter(bot__owner__in=people).delete()
    others = Seek.objects.filter(state=Seek.State.OPEN).exclude(pk__in=[] if found is None else [found])
    others.filter(by__in=people).update(state=Seek.State.WITHDRAWN, ended=Now())
    SeekPlayer.objects.filter(seek__in=others, bot__owner__in=people, bot__kind=Bot.Kind.PERSON).delete()


def _chairs_of(people: Collection[int]) -> QuerySet[Chair]:
    return Chair.objects.filter(
        kind__in=Chair.OF_PEOPLE,
        seat__version__bot__owner__in=people,
        table__match__status=Match.Status.RUNNING,
    )
