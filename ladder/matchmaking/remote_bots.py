"""Pair remote bots for live games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from random import Random, SystemRandom
from time import monotonic, sleep
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import Count, Q
from django.db.models.functions import Now

from bots import remote
from bots.models import Bot, BotVersion, RemoteBot
from ladder.ledger.entries import NoSeason, merged_on
from ladder.live.notify import seat_later, seating_begins
from ladder.live.start import open_table
from ladder.matches.blocks import BlockPlayer
from ladder.matchmaking.limits import free_games, held_free, hosted_room
from ladder.members.memberships import hosted_for_ratings, may_sit
from ladder.models import Block, Ladder, LastSeat, Match, Membership, Season
from ladder.pairings.candidates import Candidate
from ladder.pairings.live import LiveLadder, OnlineBot, SeatedTable, Seating, seated

# --- Available players -----------------------------------------------------------------------------------------------

_READ: Final = ("bot__name", "bot__owner", "bot__house_name", "bot__kind", "digest", "state", "archive", "formats")


@dataclass(frozen=True)
class Offer:
    """The ladders with their available players, the free remote bots, and the player of each membership.

    ``again_s`` is the number of seconds until the rest of the first bot after a game ends, or ``None``.
    """

    ladders: list[LiveLadder]
    online: list[OnlineBot]
    players: Mapping[int, BlockPlayer]
    again_s: float | None = None


def offer() -> Offer:
    """The available players on open live ladders with an open season."""
    present = _present()
    online, again_s = _free(present)
    if not online:
        return Offer([], [], {}, again_s)
    ladders = list(_open_ladders())
    memberships = _memberships(ladders, [one.bot for one in online])
    players = _players(ladders, memberships)
    since = dict(LastSeat.objects.filter(membership__in=players).values_list("membership", "since"))
    by_ladder: dict[int, list[BlockPlayer]] = defaultdict(list)
    for membership in memberships:
        if membership.pk in players:
            by_ladder[membership.ladder_id].append(players[membership.pk])
    here = _here(ladders, present)
    shown = [_shown(ladder, by_ladder[ladder.pk], since, here.get(ladder.pk, 0)) for ladder in ladders]
    return Offer([live_ladder for live_ladder in shown if live_ladder.online], online, players, again_s)


def _present() -> list[RemoteBot]:
    return list(remote.available().annotate(moment=Now()).order_by("pk"))


def _free(present: Collection[RemoteBot]) -> tuple[list[OnlineBot], float | None]:
    """The bots that can start a game, and the seconds until another one can that rests after a game, if any.

    The start and the end of their wait are stored.
    """
    games = free_games(present)
    able = {bot.pk: _waited_s(bot) for bot in present if games[bot.pk]}
    rests = [-waited_s for waited_s in able.values() if waited_s < 0]
    free = {pk: waited_s for pk, waited_s in able.items() if waited_s >= 0}
    _note_waiting(set(free))
    return [OnlineBot(pk, games[pk], waited_s) for pk, waited_s in free.items()], min(rests, default=None)


def _note_waiting(able: Set[int]) -> None:
    """Store which bots wait. Rows are locked by id, as everywhere; rows that are locked now are noted the next time."""
    waiting = set(RemoteBot.objects.filter(waits_since__lte=Now()).values_list("pk", flat=True))
    new, over = able - waiting, waiting - able
    if not new | over:
        return
    with transaction.atomic():
        rows = RemoteBot.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=new | over)
        held = set(rows.order_by("pk").values_list("pk", flat=True))
        RemoteBot.objects.filter(pk__in=new & held, waits_since=None).update(waits_since=Now())
        RemoteBot.objects.filter(pk__in=over & held, waits_since__lte=Now()).update(waits_since=None)


def _waited_s(bot: Any) -> float:
    """The time since the bot was free and online; negative while it rests. ``bot`` has the ``moment`` of its query."""
    if bot.waits_since is None or bot.here_since is None:
        return 0.0
    return float((bot.moment - max(bot.waits_since, bot.here_since)).total_seconds())


def _open_ladders() -> Iterable[Ladder]:
    season_open = Season.objects.filter(closing=None).values("ladder")
    with_bots = Ladder.objects.filter(players__in=(Ladder.Players.REMOTE, Ladder.Players.OPEN))
    return with_bots.filter(open=True, paused=None, pk__in=season_open).order_by("pk")


def _here(ladders: Collection[Ladder], present: Collection[RemoteBot]) -> dict[int, int]:
    """By ladder, how many owners have an online bot, playing or not."""
    theirs = Membership.objects.filter(ladder__in=ladders, active=True, bot__in=[bot.pk for bot in present]).order_by()
    return dict(
        theirs.values("ladder").annotate(owners=Count("bot__owner", distinct=True)).values_list("ladder", "owners")
    )


def _memberships(ladders: Collection[Ladder], free: Collection[int]) -> list[Membership]:
    """The memberships of free remote bots and of all hosted bots."""
    sits = Q(bot__in=free) | Q(bot__in=hosted_for_ratings())
    memberships = Membership.objects.filter(sits, ladder__in=ladders, active=True).order_by("pk")
    merged = merged_on(ladders)
    return [
        membership
        for membership in memberships.only("ladder", "bot", "rating", "games", "frozen")
        if membership.pk not in merged
    ]


def _players(ladders: Collection[Ladder], memberships: Collection[Membership]) -> dict[int, BlockPlayer]:
    """By membership, the player with its version: the frozen one or the active one of the bot."""
    of_memberships = Q(pk__in={membership.frozen_id for membership in memberships if membership.frozen_id})
    of_bots = Q(active=True, bot__in={membership.bot_id for membership in memberships})
    versions = (
        BotVersion.objects.filter(of_memberships | of_bots).select_related("bot").only("number", "active", *_READ)
    )
    by_id = {version.pk: version for version in versions}
    active = {version.bot_id: version for version in by_id.values() if version.active}
    by_ladder = {ladder.pk: ladder for ladder in ladders}
    players = {}
    for membership in memberships:
        version = by_id[membership.frozen_id] if membership.frozen_id else active.get(membership.bot_id)
        if version is not None and may_sit(version, by_ladder[membership.ladder_id]):
            players[membership.pk] = BlockPlayer(version, membership)
    return players


def _shown(ladder: Ladder, players: Iterable[BlockPlayer], since: Mapping[int, int], here: int) -> LiveLadder:
    online, hosted = {}, []
    for player in players:
        candidate = _candidate(player, since)
        if player.version.bot.kind == Bot.Kind.REMOTE:
            online[player.version.bot_id] = candidate
        else:
            hosted.append(candidate)
    return LiveLadder(ladder.pk, ladder.seats, here, online, hosted)


def _candidate(player: BlockPlayer, since: Mapping[int, int]) -> Candidate:
    assert player.membership is not None
    membership, owner = player.membership, player.version.bot.owner_id
    return Candidate(membership.pk, membership.rating, membership.games, owner, since=since.get(membership.pk, 0))


# --- Starting games --------------------------------------------------------------------------------------------------

PAUSE_S: Final = 0.05
"""Maximum pause after each game, which is as long as its start took, so that other processes can write."""

_MARGIN_S: Final = 0.05
"""Added to the time of the next run, so that the waiting time of a bot has passed then."""


def seat(random: Random | None = None) -> int:
    """Start games of the remote bots that are online. Returns how many. ``random`` is for the pairing, not for deals.

    For a bot that waits for others or rests after a game, another run is scheduled.
    """
    seating_begins()
    here = offer()
    drawn = seated(here.ladders, here.online, hosted_room(), random or SystemRandom()) if here.online else Seating()
    _pass(drawn.passed)
    again_s = [seconds for seconds in (here.again_s, drawn.again_s) if seconds is not None]
    if again_s:
        seat_later(min(again_s) + _MARGIN_S)
    return open_in_turn(here, drawn.tables)


def still_there(players: Collection[BlockPlayer]) -> bool:
    """Whether all ``players`` are still members of their ladder, with the same version."""
    memberships = [player.membership.pk for player in players if player.membership is not None]
    there = Membership.objects.filter(pk__in=memberships, active=True, bot__in=Bot.objects.playing())
    unpinned = [
        player.version.pk for player in players if player.membership is not None and player.membership.frozen_id is None
    ]
    current = BotVersion.objects.filter(pk__in=unpinned, active=True)
    return there.count() == len(players) and current.count() == len(unpinned)


def open_in_turn(here: Offer, tables: Iterable[SeatedTable]) -> int:
    """Start the games one after the other. Returns how many.

    SQLite has one writer and no fair queue, so there are pauses in which other processes can write.
    """
    opened = 0
    for table in tables:
        before = monotonic()
        opened += _open(here, table) is not None
        if connection.vendor == "sqlite":
            sleep(min(monotonic() - before, PAUSE_S))
    return opened


def _open(here: Offer, table: SeatedTable) -> Match | None:
    """Start a game in its own transaction if all its players are still available. Results wait for the ladder's row."""
    players = [here.players[membership] for membership in table.memberships]
    online = {player.version.bot_id for player in players if player.version.bot.kind == Bot.Kind.REMOTE}
    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=table.ladder)
        if not ladder.plays or held_free(online) != online or not still_there(players):
            return None
        if RemoteBot.objects.filter(pk__in=online, waits_since__gt=Now()).exists():
            return None  # another game of the bot has just ended
        try:
            match = open_table(ladder, players)
        except NoSeason:
            return None
        RemoteBot.objects.filter(pk__in=online).update(waits_since=None)
        _remember(players, match.block_id)
    return match


def _remember(players: Collection[BlockPlayer], block: int) -> None:
    """Store that these memberships were seated, which determines the next turns."""
    seats = [(player.membership.pk, player.version) for player in players if player.membership is not None]
    _write(
        [LastSeat(membership_id=membership, since=block, version=version) for membership, version in seats],
        "since",
        "version",
    )


def _pass(memberships: Collection[int]) -> None:
    """Skip the turn of these memberships, as if they had been seated in the newest block."""
    newest = Block.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    _write([LastSeat(membership_id=membership, since=newest) for membership in set(memberships)], "since")


def _write(rows: Collection[LastSeat], *fields: str) -> None:
    """Write rows ordered by membership, so that concurrent writers do not deadlock."""
    in_order = sorted(rows, key=lambda row: row.membership_id)
    LastSeat.objects.bulk_create(in_order, update_conflicts=True, unique_fields=["membership"], update_fields=fields)
