"""The rows by which people sit at tables themselves: one a person, made when they first play, and one for all guests.

There is no code behind them. Everything else that counts players, ratings and statistics above all, counts people so.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from bots.manifest import every_table
from bots.models import Bot, BotVersion
from bots.naming import GUEST_NAME, free_slug, save_at_a_free_address
from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User

LANGUAGE: Final = "person"
"""What stands for the language of who is no program."""

DIGEST: Final = sha256(LANGUAGE.encode()).hexdigest()
"""What stands for the code."""

GUEST_SLUG: Final = "house-guest"
"""Nobody else gets such an address: what begins with ``house-`` is the house's."""


def player_of(user: User) -> BotVersion:
    """The version by which ``user`` plays, made if they have none; with its ``bot``.

    Holds the person until the end of the transaction. Raises ``Refused`` where their account is closed.
    """
    with transaction.atomic():
        person = hold_acting(user.pk)
        known = known_player(person)
        if known is not None:
            return known
        bot = Bot(owner=person, name=person.username, slug=free_slug(person.username), kind=Bot.Kind.PERSON)
        save_at_a_free_address(bot)
        return _version(bot)


def known_player(user: User) -> BotVersion | None:
    """The same without making one, and without holding anybody; ``None`` for who has never played."""
    return _versions().filter(bot__owner=user.pk, bot__kind=Bot.Kind.PERSON).first()


def guest_player() -> BotVersion:
    """The version by which every guest plays; with its ``bot``, which is nobody's."""
    known = _versions().filter(bot__house_name=Bot.GUEST).first()
    if known is not None:
        return known
    with transaction.atomic():
        its = {"name": GUEST_NAME, "slug": GUEST_SLUG, "kind": Bot.Kind.PERSON}
        return _version(Bot.objects.get_or_create(house_name=Bot.GUEST, defaults=its)[0])


def rename_player(user: User) -> None:
    """Call the row of ``user`` as they are called now, in its address too; the caller holds the person."""
    for bot in Bot.objects.filter(owner=user, kind=Bot.Kind.PERSON).exclude(name=user.username):
        bot.name, bot.slug = user.username, free_slug(user.username)
        save_at_a_free_address(bot)


def is_guest(bot: Bot) -> bool:
    """Whether it is the row that all guests share."""
    return bot.house_name == Bot.GUEST


def _versions() -> QuerySet[BotVersion]:
    return BotVersion.objects.filter(number=1).select_related("bot__owner").defer("check_report")


def _version(bot: Bot) -> BotVersion:
    claims = {slug: list(seats) for slug, seats in every_table().items()}
    its = {"digest": DIGEST, "language": LANGUAGE, "claims": claims, "active": True}
    return BotVersion.objects.get_or_create(bot=bot, number=1, defaults=its)[0]
