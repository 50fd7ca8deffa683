"""Which versions may be given a seat on a ladder now, and the house bots that fill up tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.programs import house_bot, plays
from bots.tournaments.seatings import seatings
from ladder.ledger.entries import merged_on
from ladder.matches.blocks import BlockPlayer
from ladder.models import Block, Estimate, Ladder, LastSeat, Match, Membership, Season, Seat
from ladder.pairings.candidates import Candidate

# --- Frozen ladders --------------------------------------------------------------------------------------------------
#
# The moment is the ladder's, by the database's clock, and not when somebody looks: a membership is frozen by the
# clock's task, or before another version of its bot may play, whichever comes first. The house's bots go on as they are
# installed: what a newer installation has replaced could not be played.

BOTS_PER_RUN = 200


def frozen_ladders() -> QuerySet[Ladder]:
    """The ladders whose deadline has passed."""
    return Ladder.objects.filter(freezes_at__lte=Now())


def freeze(bot: Bot) -> None:
    """Pin what ``bot``, whose row the caller holds, plays on the ladders that are frozen by now.

    Call it before another version may play. A version whose check ended after a deadline was not there in time.
    """
    for membership in _due(Membership.objects.filter(bot=bot)):
        version = bot.versions.filter(active=True).values_list("pk", flat=True).first()
        Membership.objects.filter(pk=membership.pk, frozen=None).update(frozen=version)


def freeze_all() -> int:
    """Do that for every membership that is due; of how many bots. Safe to run twice at once."""
    bots = list(_due(Membership.objects.all()).order_by("bot").values_list("bot", flat=True).distinct()[:BOTS_PER_RUN])
    for bot_id in bots:
        with transaction.atomic():
            freeze(Bot.objects.select_for_update(no_key=True).get(pk=bot_id))
    return len(bots)


def playing_versions(
    memberships: Iterable[Membership], with_bot: str = "bot", fields: Sequence[str] = ()
) -> dict[int, BotVersion]:
    """By bot, the version that plays for its membership: the frozen one, else the bot's active one. Two queries.

    ``with_bot`` is what comes with each version: its ``bot``, or ``bot__owner`` too. ``fields`` are what is read of
    both, where that is not everything.
    """
    by_bot = {membership.bot_id: membership.frozen_id for membership in memberships}
    versions = BotVersion.objects.select_related(with_bot).defer("check_report")
    versions = versions.only(*fields) if fields else versions
    active = {
        version.bot_id: version
        for version in versions.filter(active=True, bot__in=[b for b, f in by_bot.items() if not f])
    }
    pinned = {version.bot_id: version for version in versions.filter(pk__in=[f for f in by_bot.values() if f])}
    return active | pinned


def _due(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    """Those that are to be frozen: the active version of their bot was there at the deadline."""
    in_time = Q(bot__versions__checked=None) | Q(bot__versions__checked__lte=F("ladder__freezes_at"))
    return memberships.filter(
        in_time, bot__versions__active=True, frozen=None, bot__owner__isnull=False, ladder__in=frozen_ladders()
    )


# --- Candidates ------------------------------------------------------------------------------------------------------

_READ: Final = ("bot__name", "bot__owner", "bot__house_name", "number", "digest", "state", "archive", "claims")
"""What pairing needs of a version and its bot: there may be ten thousand."""


@dataclass(frozen=True)
class StandingBy:
    """The candidates of ``ladder``; ``players`` and ``last_seats`` are theirs, by membership."""

    ladder: Ladder
    candidates: Collection[Candidate]
    players: Mapping[int, BlockPlayer]
    last_seats: Mapping[int, LastSeat]

    def remember(self, blocks: Iterable[tuple[Block, Iterable[int]]]) -> None:
        """Write down that these memberships were given seats in these blocks."""
        games, seated = len(seatings(self.ladder.seats)), set[int]()
        for block, memberships in blocks:
            for membership in memberships:
                last, version = self.last_seats[membership], self.players[membership].version
                last.version_games = last.games_of(version) + games
                last.since, last.version = block.pk, version
                seated.add(membership)
        LastSeat.objects.bulk_update(
            [self.last_seats[membership] for membership in sorted(seated)],
            ["since", "version", "version_games"],
            batch_size=100,
        )


def standing_by(ladder: Ladder) -> StandingBy:
    """Everybody who may be given a seat on ``ladder`` now; seven queries, however many there are.

    House bots that fill up the tables are among them only while the others are too few for one. Who was merged into
    another membership, or out, is not.
    """
    everybody = Membership.objects.filter(ladder=ladder, active=True, bot__in=Bot.objects.playing())
    merged = merged_on([ladder])
    memberships = [
        membership
        for membership in everybody.only("ladder", "bot", "rating", "games", "frozen")
        if membership.pk not in merged
    ]
    players = _players(ladder, memberships)
    memberships = [membership for membership in memberships if membership.pk in players]
    if spare := fillers(ladder, [_owner(players[membership.pk].version) for membership in memberships]):
        players |= _players(ladder, spare)
        memberships += [membership for membership in spare if membership.pk in players and membership.pk not in merged]
    last_seats, waiting, widths = _last_seats(ladder, memberships), _waiting(ladder), _widths(ladder)
    candidates = [
        Candidate(
            membership=membership.pk,
            rating=membership.rating,
            games=membership.games + waiting[membership.pk],
            owner=_owner(players[membership.pk].version),
            version_games=last_seats[membership.pk].games_of(players[membership.pk].version),
            width=widths.get(players[membership.pk].version.pk),
            since=last_seats[membership.pk].since,
        )
        for membership in memberships
    ]
    return StandingBy(ladder, candidates, players, last_seats)


def _players(ladder: Ladder, memberships: Collection[Membership]) -> dict[int, BlockPlayer]:
    """By membership, with the version that plays for it, where it can be played at the ladder's tables now."""
    versions = playing_versions(memberships, fields=_READ)
    return {
        membership.pk: BlockPlayer(versions[membership.bot_id], membership)
        for membership in memberships
        if membership.bot_id in versions and plays(versions[membership.bot_id], ladder.game, ladder.seats)
    }


def _last_seats(ladder: Ladder, memberships: Iterable[Membership]) -> dict[int, LastSeat]:
    """By membership; who is new has waited since the ladder's last block."""
    seats = {last.membership_id: last for last in LastSeat.objects.filter(membership__ladder=ladder)}
    missing = [membership for membership in memberships if membership.pk not in seats]
    if missing:
        last_block = Block.objects.filter(ladder=ladder, purpose=Block.Purpose.LADDER).order_by("-pk").first()
        since = last_block.pk if last_block else 0
        new = LastSeat.objects.bulk_create(LastSeat(membership=membership, since=since) for membership in missing)
        seats |= {last.membership_id: last for last in new}
    return seats


def _waiting(ladder: Ladder) -> Counter[int]:
    """By membership, the rated games that it has still to play."""
    pending = Seat.objects.filter(match__ladder=ladder, match__status__in=Match.PENDING, membership__isnull=False)
    return Counter(pending.values_list("membership", flat=True))


def _widths(ladder: Ladder) -> dict[int, int]:
    """By version, the width of its estimate's interval in the open season, in 1/1000 point."""
    estimates = Estimate.objects.filter(season__ladder=ladder, season__closing=None)
    return {version: high - low for version, low, high in estimates.values_list("version", "low", "high")}


def _owner(version: BotVersion) -> int | None:
    """Whose other bots may not sit at the same table; ``None`` for the house's."""
    return None if house_bot(version) else version.bot.owner_id


# --- House bots ------------------------------------------------------------------------------------------------------
#
# If a ladder has too few bots for one table, house bots take the empty seats, and the page of the ladder shows that.
# Their memberships are not active, so they leave the tables as soon as there are enough other bots. Their games count
# like all others.
#
# A ladder on which only house bots play gets a few blocks per hour, and none while every version is known well enough.
# Without this limit it would use all cores of the machine forever, although no owner waits for its games. A new version
# of a house bot does not wait for the next hour: it gets its first block at once.

HOUR: Final = timedelta(hours=1)

NARROW: Final = 100_000
"""The width of an interval, in 1/1000 point, below which a house bot is known well enough: 1540 ± 50."""

ENOUGH_BLOCKS: Final = 250
"""After this number of blocks of a version, one more block narrows its interval by only 0.2%."""


@dataclass(frozen=True)
class Company:
    """How many play on a ladder: owners, bots of the house, and bots of all. Those that only fill up do not count.

    ``season_open`` says whether new blocks can be scheduled, as far as that depends on seasons.
    """

    ladder: Ladder
    owners: int
    house: int
    bots: int
    season_open: bool


def people_on(ladder: Ladder) -> int:
    """How many people have a bot that plays on ``ladder``, counted up to the seats of a table; one query."""
    members = Membership.objects.filter(
        ladder=ladder, active=True, bot__owner__isnull=False, bot__in=Bot.objects.playing()
    )
    return len(members.order_by().values_list("bot__owner", flat=True).distinct()[: ladder.seats])


def companies(ladders: Sequence[Ladder]) -> dict[int, Company]:
    """By ladder, who plays there now; one query."""
    plays = Q(memberships__active=True, memberships__bot__in=Bot.objects.playing())
    counted = Ladder.objects.filter(pk__in=[ladder.pk for ladder in ladders]).annotate(
        owners=Count("memberships__bot__owner", filter=plays, distinct=True),
        bots=Count("memberships__bot", filter=plays, distinct=True),
        house=Count("memberships__bot", filter=plays & Q(memberships__bot__owner=None), distinct=True),
        season_open=Exists(Season.objects.filter(ladder=OuterRef("pk"), closing=None)),
    )
    by_id = {ladder.pk: ladder for ladder in ladders}
    rows = counted.values_list("pk", "owners", "house", "bots", "season_open")
    return {pk: Company(by_id[pk], owners, house, bots, season) for pk, owners, house, bots, season in rows}


def resting(ladders: Collection[int]) -> set[int]:
    """Those of ``ladders`` that are given no block now: only house bots play there, and they have played enough.

    They have had their blocks of this hour and have no new version, or all of them are known well enough. Up to four
    queries.
    """
    most: int = settings.MAX_HOUSE_BLOCKS_PER_HOUR
    of_ladder = Block.objects.filter(ladder=OuterRef("pk"), purpose=Block.Purpose.LADDER).order_by("-pk")
    last = Subquery(of_ladder.values("created")[max(most - 1, 0) :][:1])
    alone = Ladder.objects.filter(~Exists(_people.filter(ladder=OuterRef("pk"))), pk__in=ladders)
    rows = list(alone.annotate(last=last).order_by().values_list("pk", "last"))
    since = timezone.now() - HOUR
    limited = {pk for pk, created in rows if most < 1 or (created is not None and created > since)}
    others = {pk for pk, _ in rows} - limited
    if most > 0 and limited:
        limited -= _with_new_versions(limited)
    return limited | (_known_on(others) if others else set())


def house_blocks_left(ladder: Ladder) -> int | None:
    """How many blocks a ladder may get within this hour; ``None`` means no limit, because a user's bot plays there."""
    if _people.filter(ladder=ladder).exists():
        return None
    most: int = settings.MAX_HOUSE_BLOCKS_PER_HOUR
    newest = Block.objects.filter(ladder=ladder, purpose=Block.Purpose.LADDER).order_by("-pk")
    since = timezone.now() - HOUR
    left = most - sum(created > since for created in newest.values_list("created", flat=True)[:most])
    return 0 if left <= 0 or _known_on([ladder.pk]) else left


_people: Final = Membership.objects.filter(active=True, bot__owner__isnull=False, bot__in=Bot.objects.playing())


def _with_new_versions(ladders: Collection[int]) -> set[int]:
    """The ladders on which a house bot has a version that had neither a seat nor an estimate; one query."""
    active = BotVersion.objects.filter(bot=OuterRef("bot"), active=True).values("pk")[:1]
    playing = Membership.objects.filter(ladder__in=ladders, active=True, bot__owner=None, bot__in=Bot.objects.playing())
    new = playing.annotate(version=Subquery(active)).exclude(version=None)
    seated = LastSeat.objects.filter(membership=OuterRef("pk"), version=OuterRef("version"))
    known = Estimate.objects.filter(
        season__ladder=OuterRef("ladder"), season__closing=None, version=OuterRef("version")
    )
    return set(new.filter(~Exists(seated), ~Exists(known)).order_by().values_list("ladder", flat=True))


def _known_on(ladders: Collection[int]) -> set[int]:
    """The ladders on which no house bot has an interval that more games would narrow; two queries."""
    playing = Membership.objects.filter(
        ladder__in=ladders, active=True, bot__owner=None, bot__in=Bot.objects.playing(), bot__versions__active=True
    )
    of_seasons = Estimate.objects.filter(season__ladder__in=ladders, season__closing=None).order_by()
    rows = of_seasons.values_list("season__ladder", "version", "low", "high", "blocks")
    known = {(row[0], row[1]) for row in rows if row[3] - row[2] <= NARROW or row[4] >= ENOUGH_BLOCKS}
    seated = set(playing.order_by().values_list("ladder", "bot__versions"))
    return {ladder for ladder, _ in seated} - {ladder for ladder, _ in seated - known}


def house_on(ladder: Ladder) -> int:
    """How many bots of the house could play on ``ladder``, entered or not; one query."""
    return len(_house(ladder))


def fillers(ladder: Ladder, owners: Sequence[int | None]) -> list[Membership]:
    """Memberships of house bots to fill up the tables of ``ladder`` beside bots of ``owners`` (``None``: of the house).

    None if those can fill a table. In a transaction that holds the ladder's row: it enters who is missing.
    """
    if len(set(owners) - {None}) + owners.count(None) >= ladder.seats:
        return []
    known = {membership.bot_id: membership for membership in Membership.objects.filter(ladder=ladder, bot__owner=None)}
    missing = [bot for bot in _house(ladder) if bot not in known]
    new = Membership.objects.bulk_create(Membership(ladder=ladder, bot_id=bot, active=False) for bot in missing)
    return [*(membership for membership in known.values() if not membership.active), *new]


def _house(ladder: Ladder) -> list[int]:
    """The bots of the house that can play on ``ladder``."""
    active = BotVersion.objects.filter(active=True, bot__owner=None, bot__in=Bot.objects.playing()).order_by("bot")
    versions = active.select_related("bot").defer("check_report")
    return [version.bot_id for version in versions if plays(version, ladder.game, ladder.seats)]
