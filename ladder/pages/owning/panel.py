"""What the owner of a bot sees on its page beside what everybody sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bots.models import Bot, BotVersion
from bots.waiting import waiting
from ladder.models import Entry
from ladder.pages.owning.choices import Choice, choices
from ladder.pages.owning.remote import Answering, answering
from ladder.pages.owning.trial import Trial


@dataclass(frozen=True)
class Panel:
    """The check of the newest version, the ladders to tick, and whether the viewer may change anything (or is staff).

    ``others`` is how many more versions wait for their check, of everybody. A remote bot has no check; ``answering`` is
    how it does at the table.
    """

    bot: Bot
    yours: bool
    trial: Trial | None
    choices: Sequence[Choice]
    others: int
    answering: Answering | None

    @property
    def can_choose(self) -> bool:
        """Whether any tick means anything now."""
        return self.bot.retired is None and any(choice.open for choice in self.choices)

    @property
    def live_ladder(self) -> str:
        """The slug of a ladder of live games on which a remote bot can play now, ``""`` if there is none."""
        there = (choice for choice in self.choices if choice.open and choice.ticked and choice.claimed)
        return next((choice.ladder.slug for choice in there if choice.ladder.live), "")


def panel(bot: Bot, versions: Sequence[BotVersion], entries: Sequence[Entry], yours: bool) -> Panel | None:
    """The panel of ``bot``, from its newest, active and waiting ``versions`` (newest first) and its ``entries``.

    Two queries at most, three for a remote bot. ``None`` for the house's bots: nobody uploads them.
    """
    if bot.owner_id is None:
        return None
    is_remote = bot.kind == Bot.Kind.REMOTE
    trial = Trial(versions[0]) if versions and not is_remote else None
    received = trial is not None and trial.version.state == BotVersion.State.RECEIVED
    others = waiting().exclude(pk=versions[0].pk).count() if received else 0
    how = answering(bot) if is_remote else None
    return Panel(bot, yours, trial, choices(bot, versions, entries), others, how)
