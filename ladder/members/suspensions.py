"""Staff suspend a bot, or a person with all bots, and lift that again. Both are kept with who did it, when and why.

A suspended bot leaves its ladders and keeps its ratings; what is queued for it and was not tried is cancelled, as on
leave, and what is being played is played out. Only staff lift it. Sessions and tokens of a person are ended by
``esr_platform.account_pages.suspensions``, which calls this.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Bot, StaffAction
from bots.owners import owner_of_code
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import hold, require_over
from esr_platform.accounts.models import User
from ladder.corrections import by_staff
from ladder.exhibitions.requests import cancelled, held
from ladder.matches.sweep import cancel_for_leave
from ladder.members.memberships import enter
from ladder.models import Exhibition, Membership

READ_BY: Final = "its owner reads it, and it stays on record"
_WITH_OWNER: Final = "The account of its owner is suspended."
_GONE: Final = "The account of whoever ordered it is closed."
_ASKED: Final = "The account of somebody who was asked is closed."


def suspend(bot: Bot, by: User, reason: str) -> None:
    """Take ``bot`` off its ladders until that is lifted. Raises ``Refused``, also for house bots and people."""
    owner, reason = owner_of_code(bot), by_staff(by, reason, READ_BY)
    require_over(by, owner)
    with transaction.atomic():
        hold(owner.pk)
        locked = _locked(bot.pk)
        if locked.suspended is not None and not locked.suspended_with_owner:
            raise Refused(f"{bot.name} is suspended already.")
        _set(locked, reason, with_owner=False)
        StaffAction.objects.create(by=by, bot=bot, what=StaffAction.What.SUSPENDED_BOT, reason=reason)
    bot.refresh_from_db()


def lift(bot: Bot, by: User, reason: str) -> None:
    """Let ``bot`` play again, from its ratings of then. Raises ``Refused``, also while its owner is suspended."""
    owner, reason = owner_of_code(bot), by_staff(by, reason, READ_BY)
    require_over(by, owner)
    with transaction.atomic():
        hold(owner.pk)
        locked = _locked(bot.pk)
        if locked.suspended is None or locked.suspended_with_owner:
            raise Refused(f"{bot.name} is not suspended by itself.")
        StaffAction.objects.create(by=by, bot=bot, what=StaffAction.What.LIFTED_BOT, reason=reason)
        if Bot.objects.filter(pk=bot.pk, owner__suspended__isnull=False).exists():
            _set(locked, _WITH_OWNER, with_owner=True)
        else:
            _unset(locked)
    bot.refresh_from_db()


def suspend_bots_of(person: User) -> None:
    """Suspend every bot of ``person`` with its owner, in a transaction that holds the person."""
    for bot in _held_bots(person, suspended=None):
        _set(bot, _WITH_OWNER, with_owner=True)


def lift_bots_of(person: User) -> None:
    """Undo that, in a transaction that holds the person; a bot that was suspended by itself stays so."""
    for bot in _held_bots(person, suspended_with_owner=True):
        _unset(bot)


def cancel_exhibitions_of(person: User) -> int:
    """Cancel what ``person``, whose account is closed, has ordered or still has to agree to; how many there were.

    What has begun is played out. Each order is a transaction of its own, since exhibitions are locked before all else.
    """
    ended = 0
    for exhibition in _open_exhibitions(person):
        with transaction.atomic():
            locked = held(exhibition)
            if locked.open:
                cancelled(locked, _GONE if locked.requested_by_id == person.pk else _ASKED)
                ended += 1
    return ended


def _open_exhibitions(person: User) -> list[Exhibition]:
    ordered = Exhibition.objects.filter(requested_by=person, state__in=Exhibition.OPEN)
    asked = Exhibition.objects.filter(agreements__person=person, state=Exhibition.State.INVITED)
    return [*ordered.order_by("pk"), *asked.exclude(requested_by=person).order_by("pk")]


def _held_bots(person: User, **which: object) -> list[Bot]:
    """All of them by id and then all their memberships by id, each held, as results lock them: those of one bot may
    count for another one's membership.
    """
    bots = list(Bot.objects.select_for_update(no_key=True).filter(owner=person, **which).order_by("pk"))
    memberships = Membership.objects.select_for_update(no_key=True).filter(bot__in=[bot.pk for bot in bots])
    list(memberships.order_by("pk").values_list("pk"))
    return bots


def _locked(bot_id: int) -> Bot:
    return Bot.objects.select_for_update(no_key=True).get(pk=bot_id)


def _set(bot: Bot, reason: str, *, with_owner: bool) -> None:
    row = Bot.objects.filter(pk=bot.pk)
    row.update(suspended=Now(), suspension_reason=reason, suspended_with_owner=with_owner)
    enter(bot)
    transaction.on_commit(partial(cancel_for_leave, bot), robust=True)


def _unset(bot: Bot) -> None:
    Bot.objects.filter(pk=bot.pk).update(suspended=None, suspension_reason="", suspended_with_owner=False)
    enter(bot)
