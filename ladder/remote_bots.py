"""Remote bots come to the ladders: registered, declared anew, and put back after a leave."""

from __future__ import annotations

from django.db import transaction

from bots import remote
from bots.claims import Games
from bots.models import Bot, BotVersion
from bots.owners import owner_of_code
from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User
from ladder.joining import activate
from ladder.leave import put_back
from ladder.tables.telling import seat_soon

__all__ = ["declare", "put_back", "register"]


def register(
    owner: User, name: str, games: Games | None = None, label: str = remote.FIRST_LABEL, games_at_once: int = 1
) -> BotVersion:
    """Make a remote bot of ``owner``'s and put it on the live ladders whose tables it claims; the version that plays.

    ``games`` are seat counts by the game's slug, ``None`` for every table. Sent twice, it is the same bot. Raises
    ``esr_platform.accounts.errors.Refused``, ``NameRefused`` and ``TooMany``.
    """
    with transaction.atomic():
        version = remote.new_bot(owner, name, games, label, games_at_once)
        activate(version)
    return version


def declare(
    bot: Bot, *, label: str | None = None, games: Games | None = None, games_at_once: int | None = None
) -> BotVersion | None:
    """Write down what a remote bot says of itself; the version that plays from now on. What is ``None`` stays.

    Another ``label`` or other ``games`` are another version, and the ladders follow; a label that the bot has had is
    the version that it was. Running games continue with the version they began with. Raises ``Refused``.
    """
    with transaction.atomic():
        hold_acting(owner_of_code(bot).pk)
        if games_at_once is not None:
            remote.play_at_once(bot, games_at_once)
        if label is not None or games is not None:
            activate(remote.version_for(bot, label, games))
        seat_soon()
    return bot.active_version
