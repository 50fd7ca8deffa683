"""Which ladders a bot is on: it enters those of the tables that it claims, and its owner may untick them."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from bots.programs import plays
from ladder.models import Entry, Ladder
from ladder.retiring import cancel_untried


class CannotJoin(ValueError):
    """The bot cannot be on this ladder; the message says why."""


def enter(version: BotVersion) -> list[Entry]:
    """Enter the bot of ``version`` in every open ladder whose table it claims; where it was unticked, it stays so."""
    return [
        Entry.objects.get_or_create(ladder=ladder, bot=version.bot)[0]
        for ladder in Ladder.objects.filter(open=True)
        if plays(version, ladder.game, ladder.seats)
    ]


def join(bot: Bot, ladder: Ladder) -> Entry:
    """Put ``bot`` on ``ladder``, or back on it with the rating that it had. Raises ``CannotJoin``."""
    version = bot.active_version
    if version is None or not plays(version, ladder.game, ladder.seats):
        raise CannotJoin(f"The version of {bot.name} that plays does not claim the tables of {ladder.name}.")
    return Entry.objects.update_or_create(ladder=ladder, bot=bot, defaults={"active": True})[0]


def leave(bot: Bot, ladder: Ladder) -> None:
    """No new matches for ``bot`` on ``ladder``; its rating stays, and what was not begun is cancelled."""
    Entry.objects.filter(ladder=ladder, bot=bot).update(active=False)
    cancel_untried(f"{bot.name} has left the ladder.", entry__ladder=ladder, entry__bot=bot)


def retire(bot: Bot) -> None:
    """No new matches for ``bot`` anywhere, until it is taken back. Its results and ratings stay."""
    Bot.objects.filter(pk=bot.pk, retired=None).update(retired=Now())
    cancel_untried(f"{bot.name} is retired.", entry__bot=bot)


def take_back(bot: Bot) -> None:
    """End the retirement of ``bot``."""
    with transaction.atomic():
        Bot.objects.filter(pk=bot.pk).update(retired=None)
