"""The owners of bots: who owns a bot, what owners change, and the bot rows of human players."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from bots.limits import require_bot
from bots.manifest import every_table
from bots.models import Bot, BotVersion
from bots.names import GUEST_NAME, description_for, free_slug, name_for, save_at_a_free_address
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import hold_acting
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


# --- Human players ---------------------------------------------------------------------------------------------------
#
# There is no code behind them. Everything else that counts players, ratings and statistics above all, counts people so.

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


# --- Changes by the owner --------------------------------------------------------------------------------------------
#
# Who the owner is, is the caller's to know. Ladders are not this package's: ``ladder.members.memberships`` calls these
# functions.

_State = BotVersion.State


def activate(version: BotVersion) -> None:
    """Give new matches this version of its bot, however old it is. Raises ``Refused`` unless it is ready."""
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        version.refresh_from_db()
        if version.state != _State.READY:
            raise Refused(f"Version {version.number} {_why_not[_State(version.state)]}. Only a ready version can play.")
        make_active(version)
    version.refresh_from_db()


def make_active(version: BotVersion) -> None:
    """Give new matches this version, in a transaction that holds the bot; it has to be ready."""
    version.bot.versions.filter(active=True).exclude(pk=version.pk).update(active=False)
    version.bot.versions.filter(pk=version.pk, state=_State.READY).update(active=True)


def rename(bot: Bot, name: str) -> None:
    """Call ``bot`` something else; its address stays, so that links to it do. Raises ``Refused``."""
    owner = owner_of_code(bot)
    with transaction.atomic():
        hold_acting(owner.pk)
        bot.refresh_from_db(fields=["name"])  # staff may have taken it away in the meantime
        bot.name = name_for(owner, name, bot)
        bot.save(update_fields=["name"])


def describe(bot: Bot, description: str) -> None:
    """Write what ``bot`` says of itself. Raises ``Refused``."""
    owner = owner_of_code(bot)
    with transaction.atomic():
        hold_acting(owner.pk)
        bot.description = description_for(bot, description)
        bot.save(update_fields=["description"])


def publish_source(bot: Bot, public: bool) -> None:
    """Choose whether everybody may download the code of ``bot``. Raises ``Refused`` for house bots."""
    with transaction.atomic():
        hold_acting(owner_of_code(bot).pk)
        bot.public_source = public
        bot.save(update_fields=["public_source"])


def retire(bot: Bot) -> None:
    """No new matches for ``bot``, until it is taken back. Raises ``Refused`` for house bots."""
    owner_of_code(bot)
    Bot.objects.filter(pk=bot.pk, retired=None).update(retired=Now())
    bot.refresh_from_db()


def take_back(bot: Bot) -> None:
    """End the retirement of ``bot``. Raises ``TooMany`` where its owner has all the bots that one may have."""
    owner = owner_of_code(bot)
    with transaction.atomic():
        hold_acting(owner.pk)
        found = Bot.objects.get(pk=bot.pk)
        if found.retired is not None:
            require_bot(owner)
            Bot.objects.filter(pk=bot.pk).update(retired=None)
    bot.refresh_from_db()


_why_not = {
    _State.RECEIVED: "still waits for its check",
    _State.CHECKING: "is still being checked",
    _State.REFUSED: "was refused",
}
