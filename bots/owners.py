"""The owners of bots: who owns a bot, what owners change, and the bot rows of human players."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from bots.manifest import every_format
from bots.models import Bot, BotVersion
from bots.names import GUEST_NAME, BotName, description_for, free_slug, name_for, save_at_a_free_address
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import lock_active_user
from esr_platform.accounts.models import User


def owner_of(bot: Bot) -> User:
    """Return the owner of ``bot``. Raises ``Refused`` for house bots, which cannot be changed."""
    if bot.owner is None:
        raise Refused(f"{bot.name} is a house bot and cannot be changed. Choose one of your bots.", code="house_bot")
    return bot.owner


def owner_of_code(bot: Bot) -> User:
    """Return the owner of a bot with code. Raises ``Refused`` for house bots and human players."""
    if bot.kind == Bot.Kind.PERSON:
        raise Refused(f"{bot.name} is a human player, not a bot. Choose a bot.", code="not_a_bot")
    return owner_of(bot)


# --- Human players ---------------------------------------------------------------------------------------------------
#
# Human players have bot rows without code, so that ratings and statistics treat all players in the same way.

LANGUAGE: Final = "person"
"""Language value of human players."""

DIGEST: Final = sha256(LANGUAGE.encode()).hexdigest()
"""Code digest of human players."""

GUEST_SLUG: Final = "house-guest"
"""The slug of all guests. Slugs that start with ``house-`` are reserved."""


def player_of(user: User) -> BotVersion:
    """Return the version with which ``user`` plays, with its ``bot``; create it if necessary.

    Locks the user until the end of the transaction. Raises ``Refused`` if the account is closed.
    """
    with transaction.atomic():
        person = lock_active_user(user.pk)
        known = known_player(person)
        if known is not None:
            return known
        bot = Bot(owner=person, name=person.username, slug=free_slug(person.username), kind=Bot.Kind.PERSON)
        save_at_a_free_address(bot)
        return _version(bot)


def known_player(user: User) -> BotVersion | None:
    """Like ``player_of``, without creating or locking anything; ``None`` for users who never played."""
    return _versions().filter(bot__owner=user.pk, bot__kind=Bot.Kind.PERSON).first()


def guest_player() -> BotVersion:
    """Return the version with which all guests play, with its ``bot``."""
    known = _versions().filter(bot__house_name=Bot.GUEST).first()
    if known is not None:
        return known
    with transaction.atomic():
        defaults = {"name": GUEST_NAME, "slug": GUEST_SLUG, "kind": Bot.Kind.PERSON}
        return _version(Bot.objects.get_or_create(house_name=Bot.GUEST, defaults=defaults)[0])


def rename_player(user: User) -> None:
    """Update the name and slug of the user's row after a rename. The caller has locked the user."""
    for bot in Bot.objects.filter(owner=user, kind=Bot.Kind.PERSON).exclude(name=user.username):
        bot.name, bot.slug = user.username, free_slug(user.username)
        save_at_a_free_address(bot)


def is_guest(bot: Bot | BotName) -> bool:
    """Whether ``bot`` is the row that all guests share."""
    return bot.house_name == Bot.GUEST


def _versions() -> QuerySet[BotVersion]:
    return BotVersion.objects.filter(number=1).select_related("bot__owner").defer("validation_report")


def _version(bot: Bot) -> BotVersion:
    formats = {slug: list(seats) for slug, seats in every_format().items()}
    defaults = {"digest": DIGEST, "language": LANGUAGE, "formats": formats, "active": True}
    return BotVersion.objects.get_or_create(bot=bot, number=1, defaults=defaults)[0]


# --- Changes by the owner --------------------------------------------------------------------------------------------
#
# The caller checks the permission. ``ladder.members.memberships`` activates versions, and retires and restores bots,
# because that changes memberships as well.


def make_active(version: BotVersion) -> None:
    """Activate a validated version. The caller has locked the bot."""
    version.bot.versions.filter(active=True).exclude(pk=version.pk).update(active=False)
    version.bot.versions.filter(pk=version.pk, state=BotVersion.State.READY).update(active=True)


def rename(bot: Bot, name: str) -> None:
    """Rename ``bot``; its slug does not change, so links stay valid. Raises ``Refused``."""
    owner = owner_of_code(bot)
    with transaction.atomic():
        lock_active_user(owner.pk)
        bot.refresh_from_db(fields=["name"])  # a moderator may have removed it in the meantime
        bot.name = name_for(owner, name, bot)
        bot.save(update_fields=["name"])


def describe(bot: Bot, description: str) -> None:
    """Change the description of ``bot``. Raises ``Refused``."""
    owner = owner_of_code(bot)
    with transaction.atomic():
        lock_active_user(owner.pk)
        bot.description = description_for(bot, description)
        bot.save(update_fields=["description"])


def publish_source(bot: Bot, public: bool) -> None:
    """Make the source code of ``bot`` public or private. Raises ``Refused`` for house bots."""
    with transaction.atomic():
        lock_active_user(owner_of_code(bot).pk)
        bot.public_source = public
        bot.save(update_fields=["public_source"])
