"""People on ladders: who may play for a rating, and the entry that they get when they first sit down for one."""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from bots.persons import is_guest
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.claiming import kind_sits
from ladder.freezing import frozen_ladders
from ladder.joining import enter
from ladder.models import Entry, Ladder, Membership

PEOPLE_LIMITS: Final = {"move_ms": 45_000, "bank_ms": 180_000, "game_ms": 3_600_000}
"""What a seat may use up where people play for ratings: ``bots.protocol.Limits`` of a whole table with a person."""


def require_rated(user: User) -> None:
    """Raises ``Refused`` where ``user`` may not play for a rating: that takes an address that is theirs."""
    if not EmailAddress.objects.filter(user=user, verified=True).exists():
        raise Refused(
            _(
                "Rated games need a verified e-mail address. Add one on your account page, or open the link in the"
                " letter that was sent to it."
            )
        )


def require_sits(bot: Bot, ladder: Ladder) -> None:
    """Raises ``Refused`` where the person of ``bot`` cannot sit at tables of ``ladder``, rated or not."""
    if not bot.plays:
        raise Refused(_("%(name)s cannot play at the moment.") % {"name": bot.name})
    if not kind_sits(bot, ladder):
        raise Refused(_("%(ladder)s is not for people.") % {"ladder": ladder.name})
    if not ladder.open:
        raise Refused(_("The ladder %(ladder)s is closed.") % {"ladder": ladder.name})
    if ladder.by_invitation and not Membership.objects.filter(ladder=ladder, person=bot.owner_id).exists():
        raise Refused(_("%(ladder)s is by invitation.") % {"ladder": ladder.name})


def entry_of(version: BotVersion, ladder: Ladder) -> Entry:
    """Where the person of ``version`` stands on ``ladder``, made when they first sit down there.

    Raises ``Refused`` where they cannot. Whether they may play for a rating is ``require_rated``'s to say.
    """
    with transaction.atomic():
        bot = Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        if bot.kind != Bot.Kind.PERSON or is_guest(bot):
            raise Refused(_("Only people with an account have a rating of their own."))
        require_sits(bot, ladder)
        entry = Entry.objects.filter(ladder=ladder, bot=bot).first()
        if entry is None:
            if frozen_ladders().filter(pk=ladder.pk).exists():
                raise Refused(_("%(ladder)s takes nobody new: its deadline has passed.") % {"ladder": ladder.name})
            return Entry.objects.create(ladder=ladder, bot=bot)
        if not entry.active or entry.declined:
            entry.active, entry.declined = True, False
            entry.save(update_fields=["active", "declined"])
        return entry


def retire_player(bot: Bot) -> None:
    """The person of ``bot`` is gone for good: they keep their place in what was played, and are on no ladder."""
    with transaction.atomic():
        Bot.objects.filter(pk=bot.pk, kind=Bot.Kind.PERSON, retired=None).update(retired=Now())
        enter(bot)
