"""Blocks that are finished without a runner: random games of their own deals, recorded as a worker records them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from bots.runner.report import MatchReport
from ladder.matches.blocks import Player
from ladder.matches.leases import claim
from ladder.matches.results import record_result
from ladder.models import Block, Entry, Ladder, Match
from tests.ladder.reports import report_of, variety_of
from tests.ladder.uploaded import active_version, scheduled

Play = Callable[[Match], MatchReport]


def table_of(entries: Iterable[Entry]) -> list[Player]:
    """The entries with the versions that play for them."""
    return [Player(active_version(entry.bot), entry) for entry in entries]


def bring(match: Match, play: Play | None = None) -> None:
    """Play and record one match, by random play unless ``play`` does it."""
    lease = claim(match.pk, "test")
    assert lease is not None
    report = play(match) if play else report_of(match, variety=variety_of(match))
    assert record_result(lease, report) is not None


def finished_block(ladder: Ladder, entries: Sequence[Entry], play: Play | None = None) -> Block:
    """A rated block of these, in this order, every game of which is recorded."""
    block = scheduled(ladder, table_of(entries))
    for match in block.matches.select_related("ladder", "block").order_by("seating"):
        bring(match, play)
    block.refresh_from_db()
    assert block.ended
    return block


def finished_blocks(ladder: Ladder, count: int, play: Play | None = None) -> list[Block]:
    """Blocks among all of the ladder's entries, drawn with a fixed seed."""
    entries, random = list(ladder.entries.select_related("bot").order_by("pk")), Random(7)
    return [finished_block(ladder, random.sample(entries, ladder.seats), play) for _ in range(count)]
