"""Whom one may choose for a match on demand: one's own ready versions, what other people's bots play with, the house.

Nobody is asked for a test or a challenge: it is unrated, and what plays is what plays on the ladder anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q, QuerySet

from bots.models import Bot, BotVersion
from bots.programs import plays
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.freezing import playing_versions
from ladder.models import Entry, Ladder

OWN: Final = 60
OTHERS: Final = 60


@dataclass(frozen=True)
class Choices:
    """What a form offers: all that is one's own, the house, and the best of the others on the ladder."""

    own: Sequence[BotVersion]
    house: Sequence[BotVersion]
    others: Sequence[BotVersion]

    @property
    def everybody(self) -> list[BotVersion]:
        return [*self.own, *self.house, *self.others]


def choices(person: User, ladder: Ladder, also: str | None = None) -> Choices:
    """What ``person`` is offered on ``ladder``, with the bot called ``also`` if it plays there; five queries."""
    ready = _versions().filter(state=BotVersion.State.READY)
    own = ready.filter(bot__owner=person).order_by("bot__name", "bot", "-number")[:OWN]
    house = ready.filter(bot__owner=None, active=True).order_by("bot__name")
    return Choices(
        own=[version for version in own if plays(version, ladder.game, ladder.seats)],
        house=[version for version in house if plays(version, ladder.game, ladder.seats)],
        others=_best_of_the_others(person, ladder, also),
    )


def chosen(person: User, ladder: Ladder, ids: Sequence[int]) -> list[BotVersion]:
    """The versions with ``ids``, in that order, if ``person`` may choose each. Raises ``Refused``."""
    found = {version.pk: version for version in _versions().filter(pk__in=ids)}
    for pk in ids:
        if pk not in found or not _may_choose(person, ladder, found[pk]):
            raise Refused("One of the bots cannot be chosen (any more). Look at the list again.")
    if len(set(ids)) != len(ids):
        raise Refused("The same version cannot take two places. Choose another one.")
    return [found[pk] for pk in ids]


def unable(versions: Iterable[BotVersion], ladder: Ladder) -> str:
    """Why ``versions`` cannot be given another game on ``ladder``, in a sentence for everybody; empty if they can."""
    if not ladder.open:
        return "The ladder is closed."
    for version in versions:
        if not version.bot.plays:
            return "A bot at the table is retired, on leave or suspended."
        if not plays(version, ladder.game, ladder.seats):
            return "The code of a bot at the table is not there any more."
    return ""


def _versions() -> QuerySet[BotVersion]:
    playing = BotVersion.objects.filter(bot__in=Bot.objects.playing().of_code())
    return playing.select_related("bot__owner").defer("check_report")


def _may_choose(person: User, ladder: Ladder, version: BotVersion) -> bool:
    if version.state != BotVersion.State.READY or not plays(version, ladder.game, ladder.seats):
        return False
    if version.bot.owner_id == person.pk:
        return True
    if version.bot.owner_id is None:
        return version.active
    return _entered(ladder).filter(bot=version.bot_id).filter(_plays_there(version)).exists()


def _best_of_the_others(person: User, ladder: Ladder, also: str | None) -> list[BotVersion]:
    theirs = _entered(ladder).exclude(bot__owner=person).filter(bot__in=Bot.objects.playing())
    entries = list(theirs.order_by("-rating", "pk")[:OTHERS])
    if also and "\0" not in also:
        entries += theirs.filter(bot__slug=also).exclude(pk__in=[entry.pk for entry in entries])
    versions = playing_versions(entries, "bot__owner")
    found = [versions[entry.bot_id] for entry in entries if entry.bot_id in versions]
    return [version for version in found if plays(version, ladder.game, ladder.seats)]


def _entered(ladder: Ladder) -> QuerySet[Entry]:
    """The entries of people's bots that play on ``ladder``."""
    return Entry.objects.filter(ladder=ladder, active=True, bot__owner__isnull=False)


def _plays_there(version: BotVersion) -> Q:
    return Q(frozen=version.pk) | Q(frozen=None, bot__versions=version.pk, bot__versions__active=True)
