"""What a bot waits for, on a page of its own that the bot's page brings in: how long takes a look at all queues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bots.models import Bot
from ladder.access import may_read
from ladder.models import Entry, Ladder
from ladder.models.ladders import Viewer
from ladder.pages.versions import spoken_of
from ladder.pages.waiting import Reason, reasons


@dataclass(frozen=True)
class WaitsPage:
    """Why ``bot`` does not play at this moment; nothing is said of the house's bots, which wait for nobody."""

    bot: Bot
    waits: Sequence[Reason]


def waits_page(bot: Bot, user: Viewer) -> WaitsPage:
    """What ``user`` may read of it; eleven queries at most, however long the queues."""
    if bot.owner_id is None:
        return WaitsPage(bot, ())
    seen = Entry.objects.filter(bot=bot, ladder__in=Ladder.objects.visible_to(user)).select_related("ladder")
    entries = list(seen.order_by("ladder"))
    return WaitsPage(bot, reasons(bot, spoken_of(bot), entries, inside=may_read(user, bot)))
