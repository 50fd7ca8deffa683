"""Bots that sit down with people: those that somebody has named, and house bots for the other seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import SystemRandom
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.claiming import require_code_for_ratings
from ladder.models import Entry, Ladder

QUICK: Final = ("greedy", "miser", "magpie", "haggler", "stickler", "vintner", "gleaner", "squire", "sommelier")
"""House bots that answer within a moment and play like somebody who knows the game."""

_RANDOM: Final = SystemRandom()


def house_of(ladder: Ladder) -> QuerySet[Bot]:
    """The house's bots that stand on ``ladder``."""
    standing = Entry.objects.filter(ladder=ladder, active=True).values("bot")
    return Bot.objects.playing().filter(kind=Bot.Kind.HOSTED, owner=None, pk__in=standing)


def hosted_of(ladder: Ladder, person: User | None = None) -> QuerySet[Bot]:
    """The bots whose code runs here that may be named for a table of ``ladder``: all who stand there."""
    standing = Entry.objects.filter(ladder=ladder, active=True).values("bot")
    hosted = Bot.objects.playing().filter(kind=Bot.Kind.HOSTED, pk__in=standing)
    return hosted if person is None else hosted.exclude(owner=person)


def quick_bots(ladder: Ladder, seats: int) -> list[Bot]:
    """So many house bots, drawn among those that answer quickly. Raises ``Refused`` where there are too few."""
    return _drawn(house_of(ladder).filter(house_name__in=QUICK), seats)


def table_of(by: User, ladder: Ladder, named: Sequence[Bot | None], *, rated: bool) -> list[Bot]:
    """The bots that ``by`` has named for a table of ``ladder``, with house bots where none was named.

    Raises ``Refused`` for those that cannot be named: remote bots have to be asked, nobody plays their own for a
    rating, no two of one person sit at a rated table, and uploaded ones need a machine that can play them.
    """
    bots = [bot for bot in named if bot is not None]
    if len({bot.pk for bot in bots}) != len(bots):
        raise Refused(_("Name different bots: nobody sits twice at one table."))
    standing = set(Entry.objects.filter(ladder=ladder, active=True, bot__in=bots).values_list("bot", flat=True))
    for bot in bots:
        _require_named(by, bot, stands=bot.pk in standing, rated=rated, invited=ladder.by_invitation)
    if rated:
        require_code_for_ratings(bots)
    owners = [bot.owner_id for bot in bots if bot.owner_id is not None]
    if rated and len(set(owners)) != len(owners):
        raise Refused(_("Two bots of one person do not play for a rating together. Choose another one."))
    others = house_of(ladder).exclude(pk__in=[bot.pk for bot in bots])
    return [*bots, *_drawn(others, len(named) - len(bots))]


def _require_named(by: User, bot: Bot, *, stands: bool, rated: bool, invited: bool) -> None:
    if bot.kind != Bot.Kind.HOSTED:
        raise Refused(_("%(bot)s has to be asked: challenge it.") % {"bot": bot.name})
    if not stands and (rated or invited or bot.owner_id not in (None, by.pk)):
        raise Refused(_("%(bot)s is not on this ladder. Choose a bot that is.") % {"bot": bot.name})
    if rated and bot.owner_id == by.pk:
        raise Refused(_("Nobody plays their own bot for a rating. Choose another one, or a casual game."))


def _drawn(bots: Iterable[Bot], seats: int) -> list[Bot]:
    there = list(bots)
    if len(there) < seats:
        raise Refused(_("Too few bots of the house play there. Choose another table."))
    return _RANDOM.sample(there, seats)
