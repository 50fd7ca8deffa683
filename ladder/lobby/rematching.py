"""The same players once more: people and remote bots are asked, bots that run here keep their seats at the table."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from bots.protocol import Limits
from bots.refusals import Refused
from ladder.challenges.challenging import answer, challenge, once_more
from ladder.models import Block, Challenge, Match

if TYPE_CHECKING:
    from esr_platform.accounts.models import User

WITHIN: Final = timedelta(minutes=30)
"""So long after the end somebody may ask for another game."""


def rematch(match: Match, by: User) -> Challenge:
    """Ask for another game of those who played ``match``, with its clock, for ``by``, who was one of them.

    Where one of the others has asked already, this accepts; where it is being played, it is that game. The seats are
    drawn anew. It is a challenge, with its limits; once everybody has accepted, its ``match`` is the new game. Raises
    ``Refused``.
    """
    players = _players(match, by)
    own = next(bot for bot in players if bot.kind == Bot.Kind.PERSON and bot.owner_id == by.pk)
    made = once_more(match)
    if made is None:
        rated = match.block.purpose == Block.Purpose.LIVE
        limits = Limits(**match.table.limits)
        made = challenge(by, match.ladder, players, rated=rated, limits=limits, again=match)
    return answer(made, own, True) if made.state == Challenge.State.OPEN and made.by_id != by.pk else made


def may_ask(match: Match, by: User) -> bool:
    """Whether ``by`` could ask for a rematch of ``match`` now, limits aside."""
    try:
        _players(match, by)
    except Refused:
        return False
    return True


def _players(match: Match, by: User) -> list[Bot]:
    """Who played, in the order of seats. Raises ``Refused``."""
    ended = Match.objects.filter(pk=match.pk, status__in=Match.ENDED, ended__gt=Now() - WITHIN, table__isnull=False)
    if not ended.exists():
        raise Refused(_("A rematch can be asked for until half an hour after a game. Challenge them instead."))
    seats = match.seats.select_related("version__bot__owner").order_by("index")
    players = [seat.version.bot for seat in seats]
    if by.pk not in {bot.owner_id for bot in players if bot.kind == Bot.Kind.PERSON}:
        raise Refused(_("Only those who played can ask for a rematch."))
    return players
