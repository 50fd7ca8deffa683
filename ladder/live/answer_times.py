"""The answer times of remote bots."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Final

from django.db.models import QuerySet

from bots.models import Bot
from ladder.models import PlayedMove, Seat
from ladder.openness import opened

GAMES: Final = 20
"""Number of latest games that are evaluated."""


@dataclass(frozen=True)
class AnswerTimes:
    """Answers of a bot in its latest games, for its owner: number, median and 95th percentile in ms.

    ``network`` is the median time that the client was not thinking, ``None`` if no client reports its thinking time.
    """

    answers: int
    middle: int
    slow: int
    network: int | None


def latest_decisions(bot: Bot) -> QuerySet[PlayedMove]:
    """Return the decisions of ``bot`` in its latest finished games. One query for the games."""
    ended = Seat.objects.filter(opened("match__block"), version__bot=bot, live_seat__isnull=False).order_by("-pk")
    games = list(ended.values_list("pk", flat=True)[:GAMES])
    return PlayedMove.objects.filter(seat__in=games, decision__isnull=False)


def answer_times(decisions: QuerySet[PlayedMove]) -> AnswerTimes:
    """Return the times of the answers among ``decisions``. One query."""
    times = list(decisions.filter(default="").order_by("wall_ms").values_list("wall_ms", "thought_ms"))
    walls = [wall for wall, _thought in times]
    network = [max(0, wall - thought) for wall, thought in times if thought is not None]
    return AnswerTimes(
        answers=len(walls),
        middle=round(median(walls)) if walls else 0,
        slow=walls[int(0.95 * len(walls))] if walls else 0,
        network=round(median(network)) if network else None,
    )
