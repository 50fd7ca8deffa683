"""Suspend bots, or a user with all bots, and lift suspensions. Every action is recorded with author, time and reason.

A suspended bot leaves its ladders and open cups, and keeps its ratings. Queued matches that have not started are
canceled, as for a paused bot; running matches are finished. ``esr_platform.account_pages.suspensions`` also ends
sessions and tokens.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Bot, StaffAction
from bots.owners import owner_of_code
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import lock_user, require_over
from esr_platform.accounts.models import Role, User
from esr_platform.accounts.roles import reason_of_staff
from esr_platform.commits import after_commit
from ladder.exhibitions.requests import cancelled, lock_exhibition
from ladder.matches.sweep import cancel_matches_of_paused_bots
from ladder.members.memberships import enter
from ladder.models import Exhibition, Membership

READ_BY: Final = "The user can read it, and it stays in the audit log."
_WITH_OWNER: Final = "The account of the owner is suspended."
_GONE: Final = "The account of the user who requested it is closed."
_ASKED: Final = "The account of an invited owner was closed."


def suspend(bot: Bot, by: User, reason: str) -> None:
    """Suspend ``bot``: it leaves its ladders until the suspension is lifted.

    Raises ``Refused``, also for house bots and human players.
    """
    owner, reason = owner_of_code(bot), reason_of_staff(by, reason, Role.MODERATOR, READ_BY)
    require_over(by, owner)
    with transaction.atomic():
        lock_user(owner.pk)
        locked = _locked(bot.pk)
        if locked.suspended is not None and not locked.suspended_with_owner:
            raise Refused(f"{bot.name} is already suspended. Nothing was changed.", code="already_suspended")
        _set(locked, reason, with_owner=False)
        StaffAction.objects.create(by=by, bot=bot, what=StaffAction.What.SUSPENDED_BOT, reason=reason)
    bot.refresh_from_db()


def lift(bot: Bot, by: User, reason: str) -> None:
    """Lift the suspension of ``bot``, which keeps its ratings. Raises ``Refused``, also if its owner is suspended."""
    owner, reason = owner_of_code(bot), reason_of_staff(by, reason, Role.MODERATOR, READ_BY)
    require_over(by, owner)
    with transaction.atomic():
        lock_user(owner.pk)
        locked = _locked(bot.pk)
        if locked.suspended is None or locked.suspended_with_owner:
            text = "If its owner's account is suspended, lift that suspension instead."
            raise Refused(f"{bot.name} itself is not suspended. {text}", code="not_suspended")
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
    """Undo ``suspend_bots_of``, in a transaction that locks the user. Bots with their own suspension stay suspended."""
    for bot in _held_bots(person, suspended_with_owner=True):
        _unset(bot)


def cancel_exhibitions_of(person: User) -> int:
    """Cancel the match requests that a closed account has made or has to agree to, and return their number.

    Started matches are finished. Each request has its own transaction, because exhibitions are locked first.
    """
    ended = 0
    for exhibition in _open_exhibitions(person):
        with transaction.atomic():
            locked = lock_exhibition(exhibition)
            if locked.open:
                cancelled(locked, _GONE if locked.requested_by_id == person.pk else _ASKED)
                ended += 1
    return ended


def _open_exhibitions(person: User) -> list[Exhibition]:
    ordered = Exhibition.objects.filter(requested_by=person, state__in=Exhibition.OPEN)
    asked = Exhibition.objects.filter(agreements__person=person, state=Exhibition.State.INVITED)
    return [*ordered.order_by("pk"), *asked.exclude(requested_by=person).order_by("pk")]


def _held_bots(person: User, **which: object) -> list[Bot]:
    """Lock the bots, then all of their memberships, each by id, in the same order as results are recorded."""
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
    after_commit(cancel_matches_of_paused_bots, bot)


def _unset(bot: Bot) -> None:
    Bot.objects.filter(pk=bot.pk).update(suspended=None, suspension_reason="", suspended_with_owner=False)
    enter(bot)
