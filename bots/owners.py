"""The owners of bots."""

from __future__ import annotations

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User


def owner_of(bot: Bot) -> User:
    """Whose ``bot`` is, or who it is. Raises ``Refused`` for the house's, which nobody changes."""
    if bot.owner is None:
        raise Refused(f"{bot.name} belongs to the house.")
    return bot.owner


def owner_of_code(bot: Bot) -> User:
    """The same for who wants to change a bot as such. Raises ``Refused`` for people, too, who are none."""
    if bot.kind == Bot.Kind.PERSON:
        raise Refused(f"{bot.name} is a person, not a bot.")
    return owner_of(bot)
