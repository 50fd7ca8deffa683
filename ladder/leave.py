"""A bot that fails again and again goes on leave, and its owner puts it back. Its rating stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from bots.models import Bot
from ladder.letters import ON_LEAVE, send_later
from ladder.models import Result
from ladder.retiring import cancel_untried

MOST_BAD: Final = 3
"""After so many bad matches in a row a bot goes on leave."""

BAD: Final = {
    "strikes": "three strikes",
    "exit": "its process ended",
    "not_ready": "it was not ready in time",
    "memory": "it took more memory than a seat is given",
    "time": "its time for the game was used up",
}
"""The ways to lose a match that are a program's own failure, in words. Resigning is none."""


def count(result: Result, forfeits: Mapping[Bot, str]) -> None:
    """Count a match for every uploaded bot at its table, in the transaction of its result.

    ``forfeits`` has the reason by bot, empty for a bot that played to the end.
    """
    for bot in sorted(forfeits, key=lambda bot: bot.pk):
        if bot.owner_id is None:
            continue
        if forfeits[bot] in BAD:
            _one_more(bot, result, forfeits[bot])
        elif bot.bad_in_a_row:
            Bot.objects.filter(pk=bot.pk).update(bad_in_a_row=0)


def put_back(bot: Bot) -> None:
    """End the leave of ``bot``; it starts with a clean count."""
    Bot.objects.filter(pk=bot.pk).update(on_leave=None, leave_reason="", bad_in_a_row=0)


def _one_more(bot: Bot, result: Result, reason: str) -> None:
    Bot.objects.filter(pk=bot.pk).update(bad_in_a_row=F("bad_in_a_row") + 1)
    sentence = f"{MOST_BAD} bad matches in a row; in the last one, match {result.match_id}: {BAD[reason]}."
    sent_on_leave = Bot.objects.filter(pk=bot.pk, on_leave=None, bad_in_a_row__gte=MOST_BAD).update(
        on_leave=Now(), leave_reason=sentence
    )
    if sent_on_leave:
        cancel_untried(f"{bot.name} is on leave.", entry__bot=bot)
        transaction.on_commit(partial(send_later, bot.pk, ON_LEAVE))
