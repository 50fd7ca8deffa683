"""A bot that fails again and again goes on leave, and its owner puts it back. Its rating stays as it is.

A match is *bad* for a bot that lost it by its own failure, for one of the reasons in ``BAD``. Every other is *good*, a
lost or resigned one too, and ends the row. One that it lost after the machine had made it late counts as neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Bot
from bots.runner.report import MatchReport
from ladder.models import SeatResult
from ladder.retiring import cancel_unwanted

MOST_BAD: Final = 3
"""After so many bad matches in a row a bot goes on leave."""

BAD: Final = {
    "strikes": "three strikes",
    "exit": "its process ended",
    "not_ready": "not ready in time",
    "memory": "more memory than a seat is given",
    "time": "its time for the game was used up",
}
"""The ways to lose a match that are a program's own failure, in words."""


def count(report: MatchReport, results: Sequence[SeatResult], bots: dict[int, Bot]) -> None:
    """Count a match, inside the transaction of its result, for ``bots``: by seat, those of people, locked.

    ``results`` are the match's, stored, in seat order.
    """
    delayed = {delay.seat for delay in report.machine_delays}
    for seat in sorted(bots, key=lambda seat: bots[seat].pk):
        bot = bots[seat]
        if results[seat].forfeit in BAD:
            if seat not in delayed:
                _one_more(bot)
        elif bot.bad_in_a_row:
            Bot.objects.filter(pk=bot.pk).update(bad_in_a_row=0)


def put_back(bot: Bot) -> bool:
    """End the leave of ``bot``, which starts with a clean count; whether it was on leave."""
    on_leave = Bot.objects.filter(pk=bot.pk, on_leave__isnull=False)
    return bool(on_leave.update(on_leave=None, leave_reason="", bad_in_a_row=0))


def _one_more(bot: Bot) -> None:
    bad = bot.bad_in_a_row + 1
    Bot.objects.filter(pk=bot.pk).update(bad_in_a_row=bad)
    if bad < MOST_BAD or bot.on_leave is not None:
        return
    Bot.objects.filter(pk=bot.pk).update(on_leave=Now(), leave_reason=_sentence(bot))
    transaction.on_commit(partial(cancel_unwanted, bot), robust=True)


def _sentence(bot: Bot) -> str:
    """Which matches, and why; the last three bad ones, since its rows are written under the bot's lock."""
    lost = SeatResult.objects.filter(seat__entry__bot=bot, forfeit__in=BAD).order_by("-pk")[:MOST_BAD]
    told = [f"match {one.seat.match_id} ({BAD[one.forfeit]})" for one in reversed(lost.select_related("seat"))]
    return f"It failed in {MOST_BAD} matches in a row: {', '.join(told[:-1])} and {told[-1]}."
