"""Limits on exhibition matches, and the versions that a user may choose for them."""

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
from ladder.matches.playing_versions import playing_versions
from ladder.models import Exhibition, Ladder, Membership

# --- Limits ----------------------------------------------------------------------------------------------------------

SOONEST: Final = timedelta(minutes=1)
MARGINS: Final = (20, 50, 100)
"""Differences that a comparison can detect, in 1/1000 of a score: 2, 5 or 10 points of 100."""


@dataclass(frozen=True)
class ExhibitionLimits:
    """Limits per user (open and per day) and per match request."""

    at_once: int
    per_day: int
    games_a_day: int
    blocks: int
    comparison_blocks: int
    deals: int
    days_ahead: int


def allowances() -> ExhibitionLimits:
    """Return the limits from the settings."""
    return ExhibitionLimits(
        at_once=settings.MAX_OPEN_EXHIBITIONS_PER_USER,
        per_day=settings.MAX_EXHIBITIONS_PER_DAY,
        games_a_day=settings.MAX_EXHIBITION_MATCHES_PER_DAY,
        blocks=settings.MAX_EXHIBITION_BLOCKS,
        comparison_blocks=settings.MAX_COMPARISON_BLOCKS,
        deals=settings.MAX_SCHEDULED_DEALS,
        days_ahead=settings.MAX_SCHEDULED_DAYS_AHEAD,
    )


_OPEN_EXHIBITIONS: Final = Limit(
    "MAX_OPEN_EXHIBITIONS_PER_USER",
    "You have %(most)s open match requests (the maximum). Wait until one is finished, or cancel one.",
    retry_s=60,
    code="open_exhibitions",
)
_EXHIBITIONS_PER_DAY: Final = Limit(
    "MAX_EXHIBITIONS_PER_DAY",
    "You have made %(most)s match requests in the last 24 hours (the maximum). Canceled requests also count because"
    " their deals are used up. Try again later.",
    per=DAY,
    code="exhibitions_per_day",
)
_GAMES_A_DAY: Final = Limit(
    "MAX_EXHIBITION_MATCHES_PER_DAY",
    "This request needs %(games)s games. You have %(left)s games left of the %(most)s that you can request in 24 hours."
    " Request fewer blocks or try again later.",
    per=DAY,
    code="exhibition_matches_per_day",
)


def games_left(person: User) -> int:
    """Return the number of games that ``person`` can still request today.

    An open exhibition counts with all its games, an ended one only with the games that were started. Games that a
    comparison did not need and canceled games are available again.
    """
    recent = Exhibition.objects.filter(requested_by=person, created__gt=timezone.now() - DAY)
    begun = Count("blocks__matches", filter=Q(blocks__matches__attempts_started__gt=0))
    open_games = recent.filter(ended=None).aggregate(sum=Coalesce(Sum("games_wanted"), 0))["sum"]
    played = sum(recent.filter(ended__isnull=False).order_by().annotate(begun=begun).values_list("begun", flat=True))
    return max(0, allowances().games_a_day - int(open_games) - played)


def require_room(person: User, games: int) -> None:
    """Raise ``TooMany`` if ``person`` cannot request ``games`` more games. The person's row is locked."""
    mine = Exhibition.objects.filter(requested_by=person)
    _OPEN_EXHIBITIONS.require(mine.filter(state__in=Exhibition.OPEN))
    _EXHIBITIONS_PER_DAY.require(mine)
    left = games_left(person)
    if games > left:
        raise _GAMES_A_DAY.reached(games=games, left=left)


def require_blocks(blocks: int, most: int, word: str = "blocks") -> None:
    """Raise ``Refused`` unless ``blocks`` is between 1 and ``most``. ``word`` is the name of the field."""
    if not 1 <= blocks <= most:
        raise Refused(f"A match request can have 1 to {most} {word}, not {blocks}.", code="blocks_out_of_range")


# --- Names of versions -----------------------------------------------------------------------------------------------


def versions_named(person: User, ladder: Ladder, names: Sequence[str]) -> list[int]:
    """Return the ids of the versions with these ``names``. ``person`` must be allowed to choose them on ``ladder``.

    ``citrine`` is the version of Citrine that plays on the ladder, ``citrine/3`` is version 3. Raises ``Refused``. The
    message does not reveal whether a version is missing or private.
    """
    return [_named(person, ladder, name) for name in names]


def _named(person: User, ladder: Ladder, name: str) -> int:
    slug, _, number = name.partition("/")
    version = _numbered(slug, number) if number else _playing(ladder, slug)
    try:
        return chosen(person, ladder, [-1 if version is None else version.pk])[0].pk
    except Refused as refusal:
        raise Refused(
            f"{name} is not available on {ladder}. Name one of your validated versions (such as citrine/3), a house"
            " bot or a bot that plays on this ladder.",
            code="version_not_available",
        ) from refusal


def _numbered(slug: str, number: str) -> BotVersion | None:
    return BotVersion.objects.filter(bot__slug=slug, number=int(number)).only("pk").first()


def _playing(ladder: Ladder, slug: str) -> BotVersion | None:
    """Return the version that plays on ``ladder``, or would play if the bot joined."""
    membership = Membership.objects.filter(ladder=ladder, bot__slug=slug).first()
    if membership is not None:
        return playing_versions([membership]).get(membership.bot_id)
    return BotVersion.objects.filter(bot__slug=slug, active=True).only("pk").first()


# --- Opponents -------------------------------------------------------------------------------------------------------
#
# Test matches and challenges need no agreement: they are unrated, and the version already plays on the ladder.

OWN: Final = 60
OTHERS: Final = 60


@dataclass(frozen=True)
class Choices:
    """Versions to choose from: the user's own, house bots, and the best other bots on the ladder."""

    own: Sequence[BotVersion]
    house: Sequence[BotVersion]
    others: Sequence[BotVersion]

    @property
    def everybody(self) -> list[BotVersion]:
        return [*self.own, *self.house, *self.others]


def choices(person: User, ladder: Ladder, also: str | None = None) -> Choices:
    """Return the choices of ``person`` on ``ladder``, including the bot ``also`` if it plays there. Five queries."""
    ready = _versions().filter(state=BotVersion.State.READY)
    own = ready.filter(bot__owner=person).order_by("bot__name", "bot", "-number")[:OWN]
    house = ready.filter(bot__owner=None, active=True).order_by("bot__name")
    return Choices(
        own=[version for version in own if plays(version, ladder.game, ladder.seats)],
        house=[version for version in house if plays(version, ladder.game, ladder.seats)],
        others=_best_of_the_others(person, ladder, also),
    )


def chosen(person: User, ladder: Ladder, ids: Sequence[int]) -> list[BotVersion]:
    """Return the versions with ``ids``, in this order. Raises ``Refused`` if ``person`` may not choose one."""
    versions = {version.pk: version for version in _versions().filter(pk__in=ids)}
    for pk in ids:
        if pk not in versions or not _may_choose(person, ladder, versions[pk]):
            raise Refused(
                "A selected version is not available. Reload the page and choose again.", code="version_not_available"
            )
    if len(set(ids)) != len(ids):
        raise Refused("A version can be selected only once. Choose another version.", code="version_twice")
    return [versions[pk] for pk in ids]


def unable(versions: Iterable[BotVersion], ladder: Ladder) -> str:
    """Return a sentence on why ``versions`` cannot play another game on ``ladder``; empty if they can."""
    if not ladder.open:
        return "The ladder is closed."
    for version in versions:
        if not version.bot.plays:
            return "A selected bot is retired, paused or suspended."
        if not plays(version, ladder.game, ladder.seats):
            return "The code of a selected bot is no longer available."
    return ""


def _versions() -> QuerySet[BotVersion]:
    playing = BotVersion.objects.filter(bot__in=Bot.objects.playing().of_code())
    return playing.select_related("bot__owner").defer("validation_report")


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
    playing = [versions[membership.bot_id] for membership in memberships if membership.bot_id in versions]
    return [version for version in playing if plays(version, ladder.game, ladder.seats)]


def _entered(ladder: Ladder) -> QuerySet[Membership]:
    """The active memberships of users' bots on ``ladder``."""
    return Membership.objects.filter(ladder=ladder, active=True, bot__owner__isnull=False)


def _plays_there(version: BotVersion) -> Q:
    return Q(frozen=version.pk) | Q(frozen=None, bot__versions=version.pk, bot__versions__active=True)
