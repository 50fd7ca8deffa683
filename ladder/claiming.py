"""Whether a version may sit at a ladder's tables: its kind fits, and it claims them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db.models import QuerySet

from bots.machines import uploads_play_rated
from bots.models import Bot, BotVersion
from bots.programs import plays
from bots.remote import plays_remotely
from esr_platform.accounts.errors import Refused
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


def hosted_for_ratings() -> QuerySet[Bot]:
    """Hosted bots that can be seated at rated live tables now: only house bots while no machine can play uploads."""
    hosted = Bot.objects.playing().filter(kind=Bot.Kind.HOSTED)
    return hosted if uploads_play_rated() else hosted.filter(owner=None)


def require_code_for_ratings(bots: Iterable[Bot]) -> None:
    """Raises ``Refused`` for hosted bots of a new rated game that are not among :func:`hosted_for_ratings`."""
    uploaded = [bot for bot in bots if bot.kind == Bot.Kind.HOSTED and bot.owner_id is not None]
    if uploaded and not uploads_play_rated():
        raise Refused(
            f"The site cannot run {uploaded[0].name} in rated games at the moment. Choose a casual game or a house bot."
        )


def enters_by_itself(bot: Bot, ladder: Ladder) -> bool:
    """Whether ``bot`` is on ``ladder`` as soon as it claims its tables, without its owner's tick.

    Not where somebody has to be invited. Nor is code on an open ladder unless its owner wants it there: a live game is
    played at the pace of others, a start of the program a decision. People enter when they sit down
    (``ladder.persons``).
    """
    if ladder.by_invitation or bot.kind == Bot.Kind.PERSON:
        return False
    return not ladder.live or bot.kind == Bot.Kind.REMOTE
