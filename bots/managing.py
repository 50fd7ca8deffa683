"""What an owner does with a bot: another version plays, another name, a description, its source, its retirement.

Who the owner is, is the caller's to know. Ladders are not this package's: ``ladder.members.membership`` calls these
functions.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from bots.allowances import require_bot
from bots.models import Bot, BotVersion
from bots.naming import description_for, name_for
from bots.owners import owner_of_code
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.locks import hold_acting

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
