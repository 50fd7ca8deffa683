"""Whether a version may sit at a ladder's tables: its kind fits, and it claims them."""

from __future__ import annotations

from typing import Final

from bots.models import Bot, BotVersion
from bots.programs import plays
from bots.remote import plays_remotely
from ladder.models import Ladder

_ALONE: Final = {
    Bot.Kind.HOSTED: Ladder.Players.HOSTED,
    Bot.Kind.REMOTE: Ladder.Players.REMOTE,
    Bot.Kind.PERSON: Ladder.Players.PEOPLE,
}


def may_sit(version: BotVersion, ladder: Ladder) -> bool:
    """Whether ``version`` may be given a seat on ``ladder``. Its ``bot`` comes with it."""
    if not kind_sits(version.bot, ladder):
        return False
    if version.bot.kind == Bot.Kind.PERSON:
        return version.state == version.State.READY
    of_its_kind = plays_remotely if version.bot.kind == Bot.Kind.REMOTE else plays
    return of_its_kind(version, ladder.game, ladder.seats)


def kind_sits(bot: Bot, ladder: Ladder) -> bool:
    """Whether players of its kind sit there: everybody at open tables, else those alone that the ladder is for."""
    return ladder.players in (_ALONE[Bot.Kind(bot.kind)], Ladder.Players.OPEN)


def enters_by_itself(bot: Bot, ladder: Ladder) -> bool:
    """Whether ``bot`` is on ``ladder`` as soon as it claims its tables, without its owner's tick.

    Not where somebody has to be invited. Nor is code on an open ladder unless its owner wants it there: a live game is
    played at the pace of others, a start of the program a decision. People enter when they sit down
    (``ladder.persons``).
    """
    if ladder.by_invitation or bot.kind == Bot.Kind.PERSON:
        return False
    return not ladder.live or bot.kind == Bot.Kind.REMOTE
