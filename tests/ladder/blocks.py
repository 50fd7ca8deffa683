"""Blocks of house bots: scheduled, found again and played to their end without a runner."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from django.db.models import QuerySet

from ladder.matches.blocks import Player
from ladder.matches.leases import claim
from ladder.matches.results import record_result
from ladder.matches.schedule import QUEUE_LENGTH, fill
from ladder.models import Block, Entry, Ladder, Match
from ladder.pairings.seatings import seatings
from tests.ladder.reports import report_of, variety_of
from tests.ladder.uploaded import active_version, scheduled


def block_on(ladder: Ladder, purpose: Block.Purpose = Block.Purpose.LADDER, first: int = 0) -> Block:
    """A block of ``ladder`` among its entries from the ``first`` on."""
    entries = list(Entry.objects.filter(ladder=ladder, active=True).order_by("pk")[first : first + ladder.seats])
    rated = purpose == Block.Purpose.LADDER
    players = [Player(active_version(entry.bot), entry if rated else None) for entry in entries]
    return scheduled(ladder, players, purpose=purpose)


def fill_with_blocks(*ladders: Ladder, count: int = 8, seed: int = 1) -> None:
    """Fill the empty queues of ``ladders`` with at least ``count`` blocks each, by weights that they have meanwhile."""
    for ladder in ladders:
        weight = -(-count * len(seatings(ladder.seats)) // QUEUE_LENGTH)
        Ladder.objects.filter(pk=ladder.pk).update(weight=weight)
    fill(Random(seed))
    for ladder in ladders:
        Ladder.objects.filter(pk=ladder.pk).update(weight=ladder.weight)


def first_games() -> QuerySet[Match]:
    """The first game of every block, by id. Only games of different blocks can run at the same time."""
    return Match.objects.filter(lineup=0, seating=0).select_related("ladder", "block").order_by("pk")


def games_of(block: Block) -> list[Match]:
    """The games of ``block`` in the order of their seatings."""
    return list(Match.objects.filter(block=block).select_related("ladder", "block").order_by("seating"))


def finish_game(match: Match, variety: int = 0, forfeits: dict[int, str] | None = None) -> Match:
    """Give ``match`` the result of a random legal game."""
    lease = claim(match.pk, "a test")
    assert lease is not None
    assert record_result(lease, report_of(match, variety=variety, forfeits=forfeits)) is not None
    match.refresh_from_db()
    return match


def finish_block(block: Block, games: Iterable[Match] | None = None) -> Block:
    """Finish ``games``, or all that are queued."""
    for number, match in enumerate(games_of(block) if games is None else games):
        finish_game(match, variety_of(match) + number)
    block.refresh_from_db()
    return block
