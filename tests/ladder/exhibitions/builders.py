"""Orders of a person with bots, and their blocks played by random legal games, with losers where a test wants them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from bots.models import BotVersion
from esr_platform.accounts.models import User
from ladder.exhibitions.progress import feed
from ladder.exhibitions.requests import request_comparison, request_test
from ladder.models import Block, Exhibition, Ladder, Match
from tests.build import finish_game, variety_of


def a_test(by: User, ladder: Ladder, versions: Sequence[BotVersion], blocks: int = 2) -> Exhibition:
    return request_test(by, ladder, [version.pk for version in versions], blocks, uuid4())


def a_comparison(
    by: User, ladder: Ladder, pair: tuple[BotVersion, BotVersion], gauntlet: Sequence[BotVersion], most: int = 40
) -> Exhibition:
    others = [version.pk for version in gauntlet]
    return request_comparison(by, ladder, (pair[0].pk, pair[1].pk), others, most, 100, uuid4())


def play_all(exhibition: Exhibition, loser: BotVersion | None = None, rounds: int = 100) -> Exhibition:
    """Feed and play the exhibition to its end; ``loser`` forfeits every game."""
    for _ in range(rounds):
        feed()
        exhibition.refresh_from_db()
        if not exhibition.open:
            break
        for match in Match.objects.filter(block__exhibition=exhibition, status="queued").order_by("pk"):
            lost = match.seats.filter(version=loser).values_list("index", flat=True)
            finish_game(match, variety_of(match), dict.fromkeys(lost, "resign"))
    return exhibition


def blocks_of(exhibition: Exhibition) -> list[Block]:
    return list(Block.objects.filter(exhibition=exhibition).order_by("pk"))
