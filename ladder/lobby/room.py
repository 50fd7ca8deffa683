"""Where people may sit down, and how many seats one may offer or have taken. The numbers are settings."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from bots.persons import player_of
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.models import Ladder, Seek, SeekPlayer
from ladder.persons import require_rated, require_sits

_DAY: Final = timedelta(days=1)


def require_place(person: User, ladder: Ladder, *, rated: bool) -> Bot:
    """The player that ``person``, whose row is held from here on, sits down as on ``ladder``.

    Raises ``Refused`` where they may not know of it, do not belong there, or may not play for a rating.
    """
    if not Ladder.objects.visible_to(person).filter(pk=ladder.pk).exists():
        raise Refused(_("There is no such ladder. Choose one of those that you see."))
    player = player_of(person).bot
    require_sits(player, ladder)
    if rated:
        require_rated(person)
    return player


def require_offer(person: User) -> None:
    """Raises ``TooMany`` where ``person``, whose row is held, has made as many offers as one may."""
    if Seek.objects.filter(by=person, created__gt=Now() - _DAY).count() >= settings.SEEKS_A_DAY:
        most = settings.SEEKS_A_DAY
        raise TooMany(
            _("You have offered seats %(most)s times within 24 hours, which is the most. Come back later.")
            % {"most": most}
        )


def require_seat(player: Bot) -> None:
    """Raises ``TooMany`` where ``player`` sits at as many tables that wait for others as one may."""
    waiting = SeekPlayer.objects.filter(bot=player, seek__state=Seek.State.OPEN, seek__expires__gt=Now())
    if waiting.count() >= settings.SEEKS_AT_ONCE:
        most = settings.SEEKS_AT_ONCE
        raise TooMany(
            _("You wait at %(most)s tables, which is the most. Leave one of them first.") % {"most": most}, 10
        )
