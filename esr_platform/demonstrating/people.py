"""The people of a demo site and what they bring; each function does only what has not been done."""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from django.db.models import Q

from bots.models import Bot
from bots.uploads.upload import NotStored, upload_new_bot, upload_version
from esr_platform.accounts import demo
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from esr_platform.demonstrating.archives import archive
from esr_platform.demonstrating.cast import PEOPLE, DemoBot

DOMAIN: Final = "@demo.invalid"
"""Where the letters of demo people would go; no such domain can ever be."""


def strangers() -> int:
    """How many accounts are neither a demo person's nor the demo account."""
    ours = Q(email__endswith=DOMAIN) | Q(username=demo.USERNAME)
    return User.objects.exclude(ours).count()


def person(name: str) -> User:
    """The account of a demo person, made where there is none. Nobody can sign in with it, but for the demo account."""
    email = demo.EMAIL if name == demo.USERNAME else f"{name}{DOMAIN}"
    user, new = User.objects.get_or_create(username=name, defaults={"email": email, "wants_letters": False})
    if new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def everybody() -> list[User]:
    """All demo people."""
    return [person(name) for name in PEOPLE]


def bring(bot: DemoBot, number: int) -> bool:
    """Upload version ``number`` of ``bot``; whether it is there now.

    Versions come one after the other, the next once the check of the one before has ended. What is refused for the
    moment, for too many uploads at once, is tried again when this is called again.
    """
    found = Bot.objects.of_code().filter(owner__username=bot.owner, name=bot.name).first()
    have = 0 if found is None else found.versions.count()
    if have >= number:
        return True
    try:
        if found is None:
            version = upload_new_bot(person(bot.owner), bot.name, _file(bot), archive(bot, 1))
            Bot.objects.filter(pk=version.bot_id).update(description=bot.description)
        elif found.retired is None and not found.versions.filter(state__in=("received", "checking")).exists():
            upload_version(found, _file(bot), archive(bot, have + 1))
    except (Refused, NotStored):
        return False
    return False


def _file(bot: DemoBot) -> str:
    return f"{bot.name.lower().replace(' ', '-')}.zip"
