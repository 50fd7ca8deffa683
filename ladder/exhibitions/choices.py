"""Whom a person may choose for an exhibition match, by which names, and how many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.programs import plays
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit
from esr_platform.accounts.models import User
from ladder.matches.candidates import playing_versions
from ladder.models import Exhibition, Ladder, Membership

# --- Limits ----------------------------------------------------------------------------------------------------------

SOONEST: Final = timedelta(minutes=1)
MARGINS: Final = (20, 50, 100)
"""What a comparison may look for, in 1/1000 of a score: 2, 5 or 10 points of 100."""


@dataclass(frozen=True)
class Allowances:
    """What may be ordered: at once and a day by one person, and in one order."""

    at_once: int
    per_day: int
    games_a_day: int
    blocks: int
    comparison_blocks: int
    deals: int
    days_ahead: int


def allowances() -> Allowances:
    """The limits as the settings have them."""
    return Allowances(
        at_once=settings.MAX_OPEN_EXHIBITIONS_PER_USER,
        per_day=settings.MAX_EXHIBITIONS_PER_DAY,
        games_a_day=settings.MAX_EXHIBITION_MATCHES_PER_DAY,
        blocks=settings.MAX_EXHIBITION_BLOCKS,
        comparison_blocks=settings.MAX_COMPARISON_BLOCKS,
        deals=settings.MAX_SCHEDULED_DEALS,
        days_ahead=settings.MAX_SCHEDULED_DAYS_AHEAD,
    )


_AT_ONCE: Final = Limit(
    "MAX_OPEN_EXHIBITIONS_PER_USER",
    "%(most)s of your orders are open, which is the most. Wait for one, or cancel one.",
    retry_s=60,
)
_A_DAY: Final = Limit(
    "MAX_EXHIBITIONS_PER_DAY",
    "You have ordered %(most)s times within 24 hours, which is the most: cancelled orders count, since their deals are"
    " used up. Come back later.",
    per=DAY,
)
_GAMES_A_DAY: Final = Limit(
    "MAX_EXHIBITION_MATCHES_PER_DAY",
    "That would be %(games)s games, and you have %(left)s left of the %(most)s that one person may order within 24"
    " hours. Order fewer blocks, or come back later.",
    per=DAY,
)


def games_left(person: User) -> int:
    """How many games ``person`` may still order today.

    An exhibition that is open counts with all its games, one that has ended with those that were begun: what a
    comparison did not need and what was cancelled comes back.
    """
    recent = Exhibition.objects.filter(requested_by=person, created__gt=timezone.now() - DAY)
    begun = Count("blocks__matches", filter=Q(blocks__matches__attempts_started__gt=0))
    open_games = recent.filter(ended=None).aggregate(sum=Coalesce(Sum("games_wanted"), 0))["sum"]
    played = sum(recent.filter(ended__isnull=False).order_by().annotate(begun=begun).values_list("begun", flat=True))
    return max(0, allowances().games_a_day - int(open_games) - played)


def require_room(person: User, games: int) -> None:
    """Raise ``TooMany`` if ``person``, whose row the caller holds, may not order ``games`` more games."""
    mine = Exhibition.objects.filter(requested_by=person)
    _AT_ONCE.require(mine.filter(state__in=Exhibition.OPEN))
    _A_DAY.require(mine)
    left = games_left(person)
    if games > left:
        raise _GAMES_A_DAY.reached(games=games, left=left)


def require_blocks(blocks: int, most: int) -> None:
    """Raises ``Refused`` for a number of blocks that is none, or above ``most``."""
    if not 1 <= blocks <= most:
        raise Refused(f"An order has 1 to {most} blocks, not {blocks}.")


# --- Names of versions -----------------------------------------------------------------------------------------------


def versions_named(person: User, ladder: Ladder, names: Sequence[str]) -> list[int]:
    """The ids of the versions that ``names`` stand for, in that order, if ``person`` may choose each on ``ladder``.

    ``citrine`` is the version of Citrine that plays there, ``citrine/3`` its third. Raises ``Refused``, in the same
    words for what is not there and for what is not for everybody.
    """
    return [_named(person, ladder, name) for name in names]


def _named(person: User, ladder: Ladder, name: str) -> int:
    slug, _, number = name.partition("/")
    version = _numbered(slug, number) if number else _playing(ladder, slug)
    try:
        return chosen(person, ladder, [-1 if version is None else version.pk])[0].pk
    except Refused as refusal:
        raise Refused(
            f"{name} cannot be chosen at {ladder}. Name a ready version of yours (as in citrine/3), a house bot, or a"
            " bot that plays there."
        ) from refusal


def _numbered(slug: str, number: str) -> BotVersion | None:
    return BotVersion.objects.filter(bot__slug=slug, number=int(number)).only("pk").first()


def _playing(ladder: Ladder, slug: str) -> BotVersion | None:
    """The version that plays on ``ladder``, or would if the bot were there."""
    membership = Membership.objects.filter(ladder=ladder, bot__slug=slug).first()
    if membership is not None:
        return playing_versions([membership]).get(membership.bot_id)
    return BotVersion.objects.filter(bot__slug=slug, active=True).only("pk").first()


# --- Opponents -------------------------------------------------------------------------------------------------------
#
# Nobody is asked for a test or a challenge: it is unrated, and what plays is what plays on the ladder anyway.

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
    memberships = list(theirs.order_by("-rating", "pk")[:OTHERS])
    if also and "\0" not in also:
        memberships += theirs.filter(bot__slug=also).exclude(pk__in=[membership.pk for membership in memberships])
    versions = playing_versions(memberships, "bot__owner")
    found = [versions[membership.bot_id] for membership in memberships if membership.bot_id in versions]
    return [version for version in found if plays(version, ladder.game, ladder.seats)]


def _entered(ladder: Ladder) -> QuerySet[Membership]:
    """The memberships of people's bots that play on ``ladder``."""
    return Membership.objects.filter(ladder=ladder, active=True, bot__owner__isnull=False)


def _plays_there(version: BotVersion) -> Q:
    return Q(frozen=version.pk) | Q(frozen=None, bot__versions=version.pk, bot__versions__active=True)
