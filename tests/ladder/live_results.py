"""Ladders of live games, and such games without their tables: written and finished as a worker finishes others."""

from __future__ import annotations

from ladder.models import Block, Entry, Ladder, Match
from ladder.seasons import open_first
from tests.ladder.blocks import finish_game
from tests.ladder.finishing import table_of
from tests.ladder.uploaded import scheduled

SEATS = 2


def open_ladder(slug: str = "live-games", game: str = "edel-stein-reich-duel") -> Ladder:
    """A ladder for two on which bots of the house play live games."""
    ladder = Ladder.objects.create(slug=slug, name=slug, game=game, seats=SEATS, players=Ladder.Players.OPEN)
    open_first(ladder)
    hosted = Ladder.objects.filter(game=game, seats=SEATS, players=Ladder.Players.HOSTED).order_by("pk")[0]
    for entry in hosted.entries.filter(active=True, bot__owner=None).order_by("pk"):
        Entry.objects.create(ladder=ladder, bot=entry.bot)
    return ladder


def live_match(ladder: Ladder, purpose: Block.Purpose = Block.Purpose.LIVE, first: int = 0) -> Match:
    """A live game among the entries of ``ladder`` from the ``first`` on, not begun."""
    entries = ladder.entries.select_related("bot").order_by("pk")[first : first + ladder.seats]
    block = scheduled(ladder, table_of(entries), purpose=purpose, rotated=False)
    return Match.objects.select_related("ladder", "block").get(block=block)


def finished_live(ladder: Ladder, games: int, purpose: Block.Purpose = Block.Purpose.LIVE) -> list[Match]:
    """So many live games that are over, among changing entries."""
    return [finish_game(live_match(ladder, purpose, first=number % 3), variety=number) for number in range(games)]
