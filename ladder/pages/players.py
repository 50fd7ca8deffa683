"""Where players are to be found who may be bots or people, and what they are called beside their names."""

from __future__ import annotations

from django.urls import reverse

from bots.models import Bot
from bots.persons import is_guest


def player_address(bot: Bot) -> str:
    """The page of a bot, or of the person whose row it is; empty for guests, and where the account is gone.

    Only the bot's own fields are read: a person's row is called like its person.
    """
    if bot.kind != Bot.Kind.PERSON:
        return reverse("pages:bot", args=[bot.slug])
    if is_guest(bot) or bot.retired is not None:
        return ""
    return reverse("pages:person", args=[bot.name])
