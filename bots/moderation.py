"""Reports about names and descriptions of bots, and their removal by moderators.

The number of reports decides nothing: moderators do. Removed texts stay in ``TextRemoval`` with the moderator and the
time. The owner can choose another text, but not the same one for any of their bots (``bots.names``).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from bots.models import Bot, BotReport, StaffAction, TextRemoval
from bots.names import free_slug, save_at_a_free_address
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit, lock_active_user, lock_user, require_over
from esr_platform.accounts.mail import contact_staff, notify
from esr_platform.accounts.models import Role, User
from esr_platform.accounts.roles import require_role
from esr_platform.commits import after_commit

MOST_A_DAY: Final = 10
_COMPLAINTS: Final = Limit(
    "complaints",
    "You have reported %(most)s bots in the last 24 hours (the maximum). Try again later.",
    per=DAY,
    count=MOST_A_DAY,
    until_free=True,
    code="reports_per_day",
)
MAX_TEXT: Final = 500
_ACTION: Final = {
    TextRemoval.What.NAME: StaffAction.What.BLANKED_NAME,
    TextRemoval.What.DESCRIPTION: StaffAction.What.BLANKED_DESCRIPTION,
}


def complain(bot: Bot, by: User, text: str) -> None:
    """Report the name or the description of ``bot``. Another report by the same user replaces an open one.

    Raises ``Refused`` for house bots and people, and ``TooMany`` after ``MOST_A_DAY`` reports within a day.
    """
    if bot.kind == Bot.Kind.PERSON:
        raise Refused(f"{bot.name} is a human player, not a bot. {contact_staff('problem')}", code="not_a_bot")
    if bot.owner_id is None:
        raise Refused(f"{bot.name} is a house bot. {contact_staff('problem')}", code="house_bot")
    with transaction.atomic():
        lock_active_user(by.pk)
        if BotReport.objects.filter(bot=bot, by=by, settled=None).update(text=text[:MAX_TEXT]):
            return
        _COMPLAINTS.require(BotReport.objects.filter(by=by))
        BotReport.objects.create(bot=bot, by=by, text=text[:MAX_TEXT])


def complained_of() -> QuerySet[Bot]:
    """Return the bots with open reports (in ``open_complaints``), oldest bot first."""
    still_open = BotReport.objects.filter(settled=None)
    listed = Prefetch("bot_reports", still_open.select_related("by").order_by("created"), to_attr="open_complaints")
    return (
        Bot.objects.filter(Exists(still_open.filter(bot=OuterRef("pk"))))
        .select_related("owner")
        .prefetch_related(listed)
        .order_by("pk")
    )


def blank(bot: Bot, by: User, what: Collection[TextRemoval.What], reason: str) -> list[TextRemoval]:
    """Take the name or the description of ``bot`` away for ``by``, a moderator, and settle what was complained of.

    A name becomes "Bot" with its number, and with it the bot's address. The owner is notified by email. Raises
    ``Refused`` for house bots, without a selected text or a reason, if nothing is left to remove, and as
    ``accounts.limits.require_over`` does.
    """
    owner, reason = bot.owner, " ".join(reason.split())
    if owner is None or not what:
        raise Refused("Select the name, the description or both.", code="nothing_selected")
    if not reason:
        text = "Enter a reason. The owner receives it by email, and it is visible in the audit log."
        raise Refused(text, code="no_reason")
    if bot.kind == Bot.Kind.PERSON:
        raise Refused("Remove the name of a human player on their account page.", code="not_a_bot")
    require_role(by, Role.MODERATOR)
    require_over(by, owner)
    with transaction.atomic():
        lock_user(owner.pk)  # like changes by the owner
        bot = Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)
        texts = {field: _text(bot, field) for field in sorted(what)}
        taken = [
            TextRemoval(bot=bot, by=by, what=field, before=before, reason=reason)
            for field, before in texts.items()
            if before and (field, before) != (TextRemoval.What.NAME, f"Bot {bot.pk}")
        ]
        if not taken:
            raise Refused("These texts were already removed. Nothing was changed.", code="already_removed")
        TextRemoval.objects.bulk_create(taken)
        done = [
            StaffAction(by=by, bot=bot, what=_ACTION[TextRemoval.What(removal.what)], reason=reason)
            for removal in taken
        ]
        StaffAction.objects.bulk_create(done)
        if TextRemoval.What.NAME in what:
            bot.name = f"Bot {bot.pk}"
            bot.slug = free_slug(bot.name)
        if TextRemoval.What.DESCRIPTION in what:
            bot.description = ""
        save_at_a_free_address(bot)
        dismiss(bot, by)
        values = {"texts": [removal.before for removal in taken], "slug": bot.slug, "reason": reason}
        subject = gettext_lazy("text was removed from your bot")
        after_commit(notify, owner.email_address, subject, "accounts/email/bot_moderated.txt", values)
    return taken


def dismiss(bot: Bot, by: User) -> int:
    """Close the open reports about ``bot`` without changes; return their number."""
    return BotReport.objects.filter(bot=bot, settled=None).update(settled=Now(), settled_by=by)


def _text(bot: Bot, what: TextRemoval.What) -> str:
    return bot.name if what == TextRemoval.What.NAME else bot.description
