"""Why a bot is not playing: for each ladder, the first cause that applies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from bots.remote import here
from bots.tournaments.seatings import seatings
from bots.uploads.queue import in_turn
from ladder.ledger.entries import merged_on
from ladder.matches.house_bots import LadderPlayers, playable_house_bots, players_on, resting_ladders
from ladder.matches.machines import trouble
from ladder.matches.throughput import Throughput, recent
from ladder.matches.traffic import Traffic, traffic
from ladder.models import Attempt, Block, Ladder, Match, Membership
from ladder.pairings.turns import TURNS

SILENCE: Final = timedelta(seconds=60)
"""If no game was started for this long while games are queued, the workers are considered down."""


class Cause(Enum):
    """Why a bot is not playing. Causes above ``DECLINED`` concern the bot on all ladders, the others one ladder."""

    RETIRED = "the bot is retired"
    SUSPENDED = "the bot is suspended"
    PAUSED = "the bot is paused"
    IN_VALIDATION = "its newest version is being validated"
    NO_VERSION = "no version is active"
    AWAY = "its program is offline"
    DECLINED = "its owner left the ladder"
    MERGED = "its results count for another member, or not at all"
    NOT_SUPPORTED = "the active version does not support the format"
    CLOSED = "the ladder is closed"
    LADDER_PAUSED = "operators have paused the ladder"
    NO_SEASON = "no season is open"
    TOO_FEW = "there are too few opponents"
    WORKERS_DOWN = "the workers are down"
    PLAYING = "the bot is playing"
    LATER = "its game is not due yet"
    QUEUED = "its game is queued"
    HOUSE_ALONE = "only house bots play there, a few blocks per hour"
    ITS_TURN = "the bot waits for its turn"
    NO_TABLE = "the bot waits for other players"


@dataclass(frozen=True)
class Wait:
    """Why a bot is not playing on ``ladder`` (``None``: on all ladders).

    ``place`` of ``among`` is its position in the queue of games, the validation queue, or the turns of its ladder.
    ``seconds`` is the estimated waiting time, ``None`` if nothing was played lately. ``detail`` is why the bot
    or the ladder is paused, or why the workers fail.
    """

    cause: Cause
    ladder: Ladder | None = None
    place: int = 0
    among: int = 0
    seconds: float | None = None
    detail: str = ""
    version: BotVersion | None = None
    match_id: int | None = None
    due_at: datetime | None = None


def waits_of(bot: Bot, versions: Sequence[BotVersion], memberships: Sequence[Membership]) -> list[Wait]:
    """Why ``bot`` is not playing: one answer for all ladders, or one for each of its ``memberships``.

    ``versions`` are its newest versions first, including the active one. At most ten queries.
    """
    plays = any(version.active for version in versions)
    its_own = _of_the_bot(bot, versions[0] if versions else None, plays)
    if its_own is not None and (its_own.cause is not Cause.IN_VALIDATION or not plays):
        return [its_own]
    return [*([its_own] if its_own else []), *_of_ladders(bot, memberships)]


def _of_the_bot(bot: Bot, newest: BotVersion | None, plays: bool) -> Wait | None:
    """The cause on all ladders, or the validation of its newest version."""
    if bot.retired is not None:
        return Wait(Cause.RETIRED)
    if bot.suspended is not None:
        return Wait(Cause.SUSPENDED)
    if bot.paused is not None:
        return Wait(Cause.PAUSED, detail=bot.pause_reason)
    if newest is not None and newest.state in BotVersion.UNVALIDATED:
        line = list(in_turn().values_list("pk", flat=True))
        return Wait(
            Cause.IN_VALIDATION,
            version=newest,
            place=line.index(newest.pk) + 1 if newest.pk in line else 0,
            among=len(line),
        )
    if not plays:
        return Wait(Cause.NO_VERSION)
    away = bot.kind == Bot.Kind.REMOTE and not here().filter(pk=bot.pk).exists()
    return Wait(Cause.AWAY) if away else None


def _of_ladders(bot: Bot, memberships: Sequence[Membership]) -> Iterator[Wait]:
    ladders = [membership.ladder for membership in memberships]
    pending, around = _pending(bot, ladders), _Around.read(ladders)
    for membership in memberships:
        wait = _closed(membership, around) or _with_games(membership, pending.get(membership.ladder_id, []), around)
        yield wait or _without_games(membership, around)


@dataclass(frozen=True)
class _Around:
    """The state of queues and workers, read once for all ladders of a bot."""

    players: Mapping[int, LadderPlayers]
    throughput: Throughput
    line: Sequence[int]
    down: str
    merged: Collection[int]

    @classmethod
    def read(cls, ladders: Sequence[Ladder]) -> _Around:
        throughput = recent()
        queued = traffic(throughput)
        return cls(players_on(ladders), throughput, queued.line, _down(queued), merged_on(ladders))


def _down(queued: Traffic) -> str:
    """A public sentence on why no queued game is played; empty while workers play."""
    failing = trouble()
    if failing or not queued.waited(SILENCE):
        return failing
    attempts = Attempt.objects.of_workers()
    if attempts.filter(ending=Attempt.Ending.OPEN, match__lease_until__gt=Now()).exists():
        return ""
    begun = attempts.order_by("-pk").annotate(silent=Now() - SILENCE).values_list("started", "silent").first()
    return "" if begun is not None and begun[0] > begun[1] else "no worker has started a game in the last minute"


def _pending(bot: Bot, ladders: Sequence[Ladder]) -> dict[int, list[Match]]:
    """By ladder, the pending rated games of ``bot``, the next one first."""
    rated = Match.objects.filter(status__in=Match.PENDING, ladder__in=ladders, block__purpose__in=Block.COUNTED)
    matches: dict[int, list[Match]] = {}
    for match in rated.filter(seats__version__bot=bot).order_by("due_at", "pk"):
        matches.setdefault(match.ladder_id, []).append(match)
    return matches


def _closed(membership: Membership, around: _Around) -> Wait | None:
    ladder = membership.ladder
    if not ladder.open:
        return Wait(Cause.CLOSED, ladder)
    if ladder.paused:
        return Wait(Cause.LADDER_PAUSED, ladder, detail=ladder.pause_reason)
    if membership.declined:
        return Wait(Cause.DECLINED, ladder)
    if membership.pk in around.merged:
        return Wait(Cause.MERGED, ladder)
    if not membership.active:
        return Wait(Cause.NOT_SUPPORTED, ladder)
    return None if around.players[ladder.pk].season_open else Wait(Cause.NO_SEASON, ladder)


def _with_games(membership: Membership, pending: Sequence[Match], around: _Around) -> Wait | None:
    """Why its scheduled games have not started; ``None`` if it has none."""
    if not pending:
        return None
    ladder = membership.ladder
    running = next((match for match in pending if match.status == Match.Status.RUNNING), None)
    if running is not None:
        return Wait(Cause.PLAYING, ladder, match_id=running.pk)
    if around.down:
        return Wait(Cause.WORKERS_DOWN, ladder, detail=around.down)
    places = {match_id: place for place, match_id in enumerate(around.line, 1)}
    in_the_line = [match for match in pending if match.pk in places]
    if not in_the_line:
        return Wait(Cause.LATER, ladder, match_id=pending[0].pk, due_at=pending[0].due_at)
    first = min(in_the_line, key=lambda match: places[match.pk])
    place, rate = places[first.pk], around.throughput.per_s
    seconds = place / rate if rate else None
    return Wait(Cause.QUEUED, ladder, place, len(around.line), seconds, match_id=first.pk)


def _without_games(membership: Membership, around: _Around) -> Wait:
    """Why no game is scheduled. One of n bots gets a seat within as many blocks as n bots have turns."""
    ladder, players = membership.ladder, around.players[membership.ladder_id]
    if players.owners + players.house < ladder.seats and players.owners + _fillers(ladder) < ladder.seats:
        return Wait(Cause.TOO_FEW, ladder, among=players.owners + players.house)
    if ladder.live:
        return Wait(Cause.NO_TABLE, ladder)
    if around.down:
        return Wait(Cause.WORKERS_DOWN, ladder, detail=around.down)
    if resting_ladders([ladder.pk]):
        return Wait(Cause.HOUSE_ALONE, ladder)
    rate = around.throughput.per_s_on(ladder.pk)
    seconds = players.bots / ladder.seats * len(seatings(ladder.seats)) / rate if rate else None
    return Wait(Cause.ITS_TURN, ladder, len(TURNS) * players.bots, players.bots, seconds)


def _fillers(ladder: Ladder) -> int:
    """How many house bots could fill seats on ``ladder``."""
    return len(playable_house_bots(ladder)) if ladder.for_house else 0
