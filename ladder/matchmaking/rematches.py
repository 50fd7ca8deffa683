"""A rematch: people and remote bots are asked, bots that run here keep their seats at the table."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.rules import Document
from ladder.matchmaking.challenges import answer, challenge, once_more, withdraw
from ladder.models import Block, Challenge, ChallengePlayer, Match

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


def call_off(match: Match, by: User) -> None:
    """Withdraw the open request of ``by`` for a rematch of ``match``, or decline that of another player.

    Without an open request nothing happens. Raises ``Refused``.
    """
    own = next(bot for bot in _players(match, by) if bot.kind == Bot.Kind.PERSON and bot.owner_id == by.pk)
    made = once_more(match)
    if made is None or made.state != Challenge.State.OPEN:
        return
    if made.by_id == by.pk:
        withdraw(made, by)
    else:
        answer(made, own, False)


def request_for(match_id: int) -> Document | None:
    """The last request for a rematch of a match, for those who played; ``None`` without one. Two queries.

    ``{"state", "by", "waiting", "declined", "match"}``: ``by`` is the seat that asked, the two lists are seats, all of
    the match that has ended; ``match`` is the rematch while it runs.
    """
    last = Challenge.objects.filter(again=match_id).annotate(now=Now()).select_related("match").order_by("-pk").first()
    if last is None or (last.match is not None and last.match.status != Match.Status.RUNNING):
        return None
    late = last.state == Challenge.State.OPEN and last.expires <= last.now
    players = list(ChallengePlayer.objects.filter(challenge=last).select_related("bot").order_by("index"))
    asked = (player.index for player in players if player.bot.owner_id == last.by_id)
    return {
        "state": str(Challenge.State.EXPIRED if late else last.state),
        "by": next(asked, None),
        "waiting": [player.index for player in players if player.accepted is None],
        "declined": [player.index for player in players if player.accepted is False],
        "match": last.match_id,
    }


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
