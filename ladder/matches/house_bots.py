"""House bots on ladders: they fill up tables, and they play a few blocks per hour where no user has a bot.

If a ladder has too few bots for one table, house bots take the empty seats, and the page of the ladder shows that.
Their memberships are not active, so they leave the tables as soon as there are enough other bots. Their games count
like all others.

A ladder on which only house bots play gets a few blocks per hour, and none while every version is known well enough.
Without this limit it would use all cores of the machine forever, although no owner waits for its games. A new version
of a house bot does not wait for the next hour: it gets its first block at once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.programs import plays
from ladder.models import Block, Estimate, Ladder, LastSeat, Membership, Season

HOUR: Final = timedelta(hours=1)

NARROW: Final = 100_000
"""The width of an interval, in 1/1000 point, below which a house bot is known well enough: 1540 ± 50."""

ENOUGH_BLOCKS: Final = 250
"""After this number of blocks of a version, one more block narrows its interval by only 0.2%."""

_users_bots: Final = Membership.objects.filter(active=True, bot__owner__isnull=False, bot__in=Bot.objects.playing())


@dataclass(frozen=True)
class LadderPlayers:
    """The numbers of owners, house bots and all bots that play on a ladder, without house bots that only fill up.

    ``season_open`` says whether new blocks can be scheduled, as far as that depends on seasons.
    """

    ladder: Ladder
    owners: int
    house: int
    bots: int
    season_open: bool


def owners_on(ladder: Ladder) -> int:
    """The number of users with a bot that plays on ``ladder``, at most the number of seats; one query."""
    members = Membership.objects.filter(
        ladder=ladder, active=True, bot__owner__isnull=False, bot__in=Bot.objects.playing()
    )
    return len(members.order_by().values_list("bot__owner", flat=True).distinct()[: ladder.seats])


def players_on(ladders: Sequence[Ladder]) -> dict[int, LadderPlayers]:
    """By ladder, the numbers of those who play there now; one query."""
    plays = Q(memberships__active=True, memberships__bot__in=Bot.objects.playing())
    counted = Ladder.objects.filter(pk__in=[ladder.pk for ladder in ladders]).annotate(
        owners=Count("memberships__bot__owner", filter=plays, distinct=True),
        bots=Count("memberships__bot", filter=plays, distinct=True),
        house=Count("memberships__bot", filter=plays & Q(memberships__bot__owner=None), distinct=True),
        season_open=Exists(Season.objects.filter(ladder=OuterRef("pk"), closing=None)),
    )
    by_id = {ladder.pk: ladder for ladder in ladders}
    rows = counted.values_list("pk", "owners", "house", "bots", "season_open")
    return {pk: LadderPlayers(by_id[pk], owners, house, bots, season) for pk, owners, house, bots, season in rows}


def resting_ladders(ladders: Collection[int]) -> set[int]:
    """Those of ``ladders`` that get no block now: only house bots play there, and they have played enough.

    They have had their blocks of this hour and have no new version, or all their intervals are narrow enough. At most
    four queries.
    """
    most: int = settings.MAX_HOUSE_BLOCKS_PER_HOUR
    of_ladder = Block.objects.filter(ladder=OuterRef("pk"), purpose=Block.Purpose.LADDER).order_by("-pk")
    last = Subquery(of_ladder.values("created")[max(most - 1, 0) :][:1])
    alone = Ladder.objects.filter(~Exists(_users_bots.filter(ladder=OuterRef("pk"))), pk__in=ladders)
    rows = list(alone.annotate(last=last).order_by().values_list("pk", "last"))
    since = timezone.now() - HOUR
    limited = {pk for pk, created in rows if most < 1 or (created is not None and created > since)}
    others = {pk for pk, _ in rows} - limited
    if most > 0 and limited:
        limited -= _with_new_versions(limited)
    return limited | (_settled(others) if others else set())


def house_blocks_left(ladder: Ladder) -> int | None:
    """The number of blocks that a ladder may get within this hour; ``None`` if a user's bot plays there (no limit)."""
    if _users_bots.filter(ladder=ladder).exists():
        return None
    most: int = settings.MAX_HOUSE_BLOCKS_PER_HOUR
    newest = Block.objects.filter(ladder=ladder, purpose=Block.Purpose.LADDER).order_by("-pk")
    since = timezone.now() - HOUR
    left = most - sum(created > since for created in newest.values_list("created", flat=True)[:most])
    return 0 if left <= 0 or _settled([ladder.pk]) else left


def _with_new_versions(ladders: Collection[int]) -> set[int]:
    """The ladders on which a house bot has a version without a seat and an estimate; one query."""
    active = BotVersion.objects.filter(bot=OuterRef("bot"), active=True).values("pk")[:1]
    playing = Membership.objects.filter(ladder__in=ladders, active=True, bot__owner=None, bot__in=Bot.objects.playing())
    new = playing.annotate(version=Subquery(active)).exclude(version=None)
    seated = LastSeat.objects.filter(membership=OuterRef("pk"), version=OuterRef("version"))
    known = Estimate.objects.filter(
        season__ladder=OuterRef("ladder"), season__closing=None, version=OuterRef("version")
    )
    return set(new.filter(~Exists(seated), ~Exists(known)).order_by().values_list("ladder", flat=True))


def _settled(ladders: Collection[int]) -> set[int]:
    """The ladders on which no house bot has an interval that more games would narrow; two queries."""
    playing = Membership.objects.filter(
        ladder__in=ladders, active=True, bot__owner=None, bot__in=Bot.objects.playing(), bot__versions__active=True
    )
    of_seasons = Estimate.objects.filter(season__ladder__in=ladders, season__closing=None).order_by()
    rows = of_seasons.values_list("season__ladder", "version", "low", "high", "blocks")
    known = {(row[0], row[1]) for row in rows if row[3] - row[2] <= NARROW or row[4] >= ENOUGH_BLOCKS}
    seated = set(playing.order_by().values_list("ladder", "bot__versions"))
    return {ladder for ladder, _ in seated} - {ladder for ladder, _ in seated - known}


def playable_house_bots(ladder: Ladder) -> list[int]:
    """The ids of the house bots that could play on ``ladder``, whether they are members or not; one query."""
    active = BotVersion.objects.filter(active=True, bot__owner=None, bot__in=Bot.objects.playing()).order_by("bot")
    versions = active.select_related("bot").defer("validation_report")
    return [version.bot_id for version in versions if plays(version, ladder.game, ladder.seats)]


def fillers(ladder: Ladder, owners: Sequence[int | None]) -> list[Membership]:
    """Memberships of house bots that fill up games of ``ladder`` with bots of ``owners`` (``None`` for house bots).

    Empty if these bots can fill a game. Creates missing memberships, so the caller has locked the row of the ladder.
    """
    if len(set(owners) - {None}) + owners.count(None) >= ladder.seats:
        return []
    known = {membership.bot_id: membership for membership in Membership.objects.filter(ladder=ladder, bot__owner=None)}
    missing = [bot for bot in playable_house_bots(ladder) if bot not in known]
    new = Membership.objects.bulk_create(Membership(ladder=ladder, bot_id=bot, active=False) for bot in missing)
    return [*(membership for membership in known.values() if not membership.active), *new]
