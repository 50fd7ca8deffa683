"""Blocks: one deal, played in every seating.

A deal is never chosen. It follows from the season's secret key and the number of the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from bots.models import BotVersion
from bots.tournaments.keys import season_seed
from bots.tournaments.seatings import seatings
from esr_platform.prepared import ConditionalUpdate, Prepared
from games.chance import commitment
from ladder.ledger.entries import NoSeason
from ladder.models import Block, CupTable, DealSeries, Exhibition, Ladder, Match, Membership, Seat

_SERIES: Final = {
    Block.Purpose.LADDER: DealSeries.Kind.LADDER,
    Block.Purpose.LIVE: DealSeries.Kind.LIVE,
    Block.Purpose.CASUAL: DealSeries.Kind.LIVE,
}
"""Which series a block's number is of; all others are tests."""


UNRATED_PRIORITY: Final = -1
"""Priority of test matches, challenges and comparisons: below ladder matches, with a reserved share of workers."""

CUP_PRIORITY: Final = -2
"""Priority of cup matches. They have the share of the workers that ``CUP_SHARE`` sets."""


@dataclass(frozen=True)
class BlockPlayer:
    """A player of a block: a version, and in a rated block the membership that it plays for."""

    version: BotVersion
    membership: Membership | None = None


def schedule_block(
    ladder: Ladder,
    players: Sequence[BlockPlayer],
    *,
    purpose: Block.Purpose = Block.Purpose.LADDER,
    priority: int = 0,
    due_at: datetime | None = None,
    sent: bool = True,
    exhibition: Exhibition | None = None,
    others: Sequence[BlockPlayer] = (),
    rotated: bool = True,
) -> Block:
    """Write a block with its matches and seats, one match a seating, and the commitment to its deal.

    ``others`` are a second line-up that plays the same deal apart from the first, in a comparison. Without ``rotated``
    the deal is played once, seated as given. Call it in a transaction that holds the row of ``ladder``; ``sent`` says
    that the caller tells the workers when that is committed. Raises ``NoSeason`` where no season is open,
    ``ValueError`` for a wrong number of players.
    """
    lineups = [lineup for lineup in (players, others) if lineup]
    for lineup in lineups:
        if len(lineup) != ladder.seats:
            raise ValueError(f"{ladder} has {ladder.seats} seats, not {len(lineup)}")
    block = _numbered(ladder, purpose, exhibition)
    _add_matches([(block, lineups)], priority, due_at, sent, rotated)
    return block


@dataclass(frozen=True)
class CupBlock:
    """A block to be scheduled: a table of a cup, the number of the block there, its seed, and who plays.

    ``players`` are in the order of the entrants of the table.
    """

    table: CupTable
    number: int
    seed: bytes
    players: Sequence[BlockPlayer]


def schedule_cup_blocks(ladder: Ladder, wanted: Sequence[CupBlock]) -> None:
    """Write blocks of cups on ``ladder`` with their matches and seats; three statements for any number of blocks.

    Call it in a transaction that holds the row of the cup; the caller tells the workers when that is committed.
    """
    if any(len(cup_block.players) != ladder.seats for cup_block in wanted):
        raise ValueError(f"{ladder} has {ladder.seats} seats")
    blocks = Block.objects.bulk_create(
        Block(
            ladder=ladder,
            purpose=Block.Purpose.CUP,
            cup_table=cup_block.table,
            number=cup_block.number,
            seed=cup_block.seed,
            commitment=commitment(cup_block.seed),
        )
        for cup_block in wanted
    )
    _add_matches([(block, [cup_block.players]) for block, cup_block in zip(blocks, wanted, strict=True)], CUP_PRIORITY)


def _add_matches(
    blocks: Sequence[tuple[Block, Sequence[Sequence[BlockPlayer]]]],
    priority: int,
    due_at: datetime | None = None,
    sent: bool = False,
    rotated: bool = True,
) -> None:
    """Write the matches and seats of new blocks, given with their line-ups."""
    timing = {"due_at": due_at} if due_at else {}
    games = [
        (block, lineup, seating, [players[place] for place in order])
        for block, lineups in blocks
        for lineup, players in enumerate(lineups)
        for seating, order in enumerate(seatings(len(players))[: None if rotated else 1])
    ]
    matches = Match.objects.bulk_create(
        Match(
            ladder_id=block.ladder_id,
            block=block,
            lineup=lineup,
            seating=seating,
            priority=priority,
            sent_at=Now() if sent else None,
            **timing,
        )
        for block, lineup, seating, _seated in games
    )
    Seat.objects.bulk_create(
        Seat(match=match, index=index, membership=player.membership, version=player.version)
        for match, (_block, _lineup, _seating, seated) in zip(matches, games, strict=True)
        for index, player in enumerate(seated)
    )


_LOCKED_BLOCKS: Final = Prepared(
    lambda blocks: (
        Block.objects.select_for_update(no_key=True)
        .filter(pk__in=blocks, ended=None, cup_table=None)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
)
_END_BLOCKS: Final = ConditionalUpdate(
    lambda blocks: (
        Block.objects.filter(
            ~Exists(Match.objects.filter(block=OuterRef("pk"), status__in=Match.PENDING)), pk__in=blocks
        ),
        {"ended": Now()},
    )
)


def end_if_over(block_ids: Iterable[int]) -> int:
    """End those of the blocks whose every game has ended, in the transaction that has ended one; how many.

    Blocks of a cup are ended by ``ladder.cups.progress`` with their round, whose results become public together.

    The row of the block is locked after the row of the match. Of two games that end at the same time, the later
    transaction sees the end of the other one. So a block opens with its last game and never before.
    """
    ids = _LOCKED_BLOCKS(blocks=sorted(set(block_ids)))
    return _END_BLOCKS(blocks=ids) if ids else 0


def _numbered(ladder: Ladder, purpose: Block.Purpose, exhibition: Exhibition | None) -> Block:
    """Create the next block of its series, and hold the row of the series."""
    kind = _SERIES.get(purpose, DealSeries.Kind.TEST)
    current = DealSeries.objects.filter(season__ladder=ladder, season__closing=None, kind=kind)
    series = current.select_related("season").select_for_update(no_key=True, of=("self",)).first()
    if series is None:
        raise NoSeason(f"{ladder} has no open season")
    seed = season_seed(bytes(series.key), series.name, series.season.number, series.next_number)
    block = Block.objects.create(
        ladder=ladder,
        series=series,
        number=series.next_number,
        purpose=purpose,
        exhibition=exhibition,
        seed=seed,
        commitment=commitment(seed),
    )
    DealSeries.objects.filter(pk=series.pk).update(next_number=series.next_number + 1)
    return block


# --- Games of a block ------------------------------------------------------------------------------------------------


class BlockGame(NamedTuple):
    """A match of a block."""

    pk: int
    status: str


_GAMES: Final = Prepared(
    lambda block: Match.objects.filter(block__pk=block).order_by("lineup", "seating").values_list("pk", "status")
)


def games_of(block: int) -> list[BlockGame]:
    """The matches of a block, in the order of their line-ups and seatings. One query."""
    return [BlockGame(pk, status) for pk, status in _GAMES(block=block)]


# --- Running blocks --------------------------------------------------------------------------------------------------
#
# Nothing is known about a running game of a worker, so the progress of its block is shown instead.


@dataclass(frozen=True)
class RunningBlock:
    """A block with the ``running`` game and the numbers of finished and all games."""

    running: Match
    over: int
    games: int

    @property
    def since(self) -> datetime | None:
        """The start of the running game."""
        return self.running.started

    @property
    def steps(self) -> list[str]:
        """The state of each game of the block: ``over``, ``now`` or ``to-come``."""
        return ["over"] * self.over + ["now"] + ["to-come"] * (self.games - self.over - 1)


def running_blocks(matches: Iterable[Match]) -> list[RunningBlock]:
    """The running blocks among ``matches``, the longest running game first."""
    by_block: dict[int, list[Match]] = {}
    for match in matches:
        by_block.setdefault(match.block_id, []).append(match)
    blocks: list[RunningBlock] = []
    for games in by_block.values():
        running = next((match for match in games if match.status == Match.Status.RUNNING), None)
        if running:
            blocks.append(RunningBlock(running, sum(match.status in Match.ENDED for match in games), len(games)))
    return sorted(blocks, key=lambda block: (block.running.started, block.running.pk))
