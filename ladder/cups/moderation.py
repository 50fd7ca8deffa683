"""Reports about titles and descriptions of cups, and what moderators do: remove texts, cancel cups, dismiss reports.

Every removal is stored as an ``Intervention`` with the removed text. The organizer is notified by email and can use
another title or description for further cups, but not the same one. The hashes of the ledger remain valid without the
reasons (``ladder.cups.ledger``).
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.db.models.functions import Now
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from esr_platform.accounts import mail
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import DAY, Limit, lock_active_user, require_over
from esr_platform.accounts.models import Role, User
from esr_platform.accounts.roles import reason_of_staff
from esr_platform.commits import after_commit
from ladder.access import organizes
from ladder.cups import desk
from ladder.models import Cup, CupEntry, CupLedgerEntry, CupReport, Intervention

Action = Intervention.Action

MOST_A_DAY: Final = 10
LONGEST_REPORT: Final = 500
_REPORTS: Final = Limit(
    "reports of cups",
    gettext_lazy("You have reported %(most)s cups in the last 24 hours (the maximum). Try again later."),
    per=DAY,
    count=MOST_A_DAY,
    until_free=True,
    code="reports_per_day",
)
_READ_BY: Final = gettext_lazy("The organizer receives it by email, and it is visible in the audit log.")
_SUBJECTS: Final[Mapping[str, Promise]] = {
    "removed": gettext_lazy("text was removed from your cup"),
    "canceled": gettext_lazy("your cup was canceled"),
}
_FIELDS: Final = {Action.REMOVED_TITLE: "title", Action.REMOVED_ABOUT: "about"}
_NO_REASON: Final = "The reason was removed by a moderator."
"""The reason of a canceled cup, which always has one, after its removal."""


# --- Reports ---------------------------------------------------------------------------------------------------------


def report(cup: Cup, by: User, text: str) -> None:
    """Report a cup to moderators. Another report by the same user replaces an open one. Raises ``Refused``."""
    text = text.strip()[:LONGEST_REPORT]
    if not text:
        raise Refused(_("Describe the problem, so that a moderator can review it."), code="no_text")
    with transaction.atomic():
        person = lock_active_user(by.pk)
        if CupReport.objects.filter(cup=cup, by=person, settled_at=None).update(text=text):
            return
        _REPORTS.require(CupReport.objects.filter(by=person))
        CupReport.objects.create(cup=cup, by=person, text=text)


def with_reports(cups: QuerySet[Cup]) -> QuerySet[Cup]:
    """The cups with their open reports in ``open_reports``, oldest report first."""
    still_open = CupReport.objects.filter(settled_at=None).select_related("by").order_by("pk")
    return cups.select_related("organizer").prefetch_related(Prefetch("reports", still_open, to_attr="open_reports"))


def reported() -> QuerySet[Cup]:
    """The cups with open reports, oldest cup first."""
    still_open = CupReport.objects.filter(cup=OuterRef("pk"), settled_at=None)
    return with_reports(Cup.objects.filter(Exists(still_open))).order_by("pk")


def removals() -> QuerySet[Intervention]:
    """The removed texts, newest first."""
    return Intervention.objects.filter(cup__isnull=False).select_related("cup__organizer", "author").order_by("-pk")


# --- Decisions of moderators -----------------------------------------------------------------------------------------


def remove_texts(cup: Cup, by: User, what: Collection[Action], reason: str, number: int = 0) -> list[Intervention]:
    """Remove the title, the description, or the reason of entry ``number`` of the ledger. Raises ``Refused``.

    The title becomes "Cup" with the id of the cup, and the URL changes with it. Other open cups of the organizer, such
    as the next one of a series, lose the same texts.
    """
    if not what or not set(what) <= set(Intervention.ON_CUPS):
        raise Refused(_("Select at least one text to remove."), code="nothing_selected")
    with transaction.atomic():
        cup, reason = _held(cup, by, reason)
        before = {action: text for action in sorted(what) if (text := _text(cup, action, number))}
        if not before:
            raise Refused(_("This text was already removed. Nothing was changed."), code="already_removed")
        taken = before.keys() & _FIELDS.keys()
        made = [_remove(cup, action, reason, by, number) for action in before]
        for other in _open_cups_of(cup.organizer):
            made += [
                _remove(other, action, reason, by)
                for action in taken
                if getattr(other, _FIELDS[action]) == before[action]
            ]
        _dismiss(cup, by)
        _notify_later(cup, "removed", reason, list(before.values()), is_refused=bool(taken))
    return made


def _remove(cup: Cup, what: Action, reason: str, by: User, number: int = 0) -> Intervention:
    """Remove one text of a cup whose row is held."""
    text = _text(cup, what, number)
    if what == Action.REMOVED_REASON:
        _remove_reason(cup, number, text)
    else:
        setattr(cup, _FIELDS[what], _neutral(cup, what))
    if what == Action.REMOVED_TITLE:
        cup.slug = _free_slug(cup)
    cup.save(update_fields=["title", "about", "slug", "reason"])
    return Intervention.objects.create(cup=cup, action=what, before=text, reason=reason, author=by)


def _open_cups_of(organizer: User | None) -> QuerySet[Cup]:
    """The open cups of ``organizer``, locked in the order of their ids."""
    cups = Cup.objects.select_for_update(no_key=True, of=("self",)).filter(state__in=Cup.OPEN).order_by("pk")
    return cups.filter(organizer=organizer) if organizer else cups.none()


def _text(cup: Cup, what: Action, number: int) -> str:
    """The text to remove; empty if it was removed before."""
    if what == Action.REMOVED_REASON:
        return CupLedgerEntry.objects.filter(cup=cup, number=number).values_list("reason", flat=True).first() or ""
    text: str = getattr(cup, _FIELDS[what])
    return "" if text == _neutral(cup, what) else text


def _remove_reason(cup: Cup, number: int, text: str) -> None:
    """Remove a reason from the ledger, and from the cup and its entries where they repeat it."""
    CupLedgerEntry.objects.filter(cup=cup, number=number).update(reason=None, salt=None)
    left = (CupEntry.State.WITHDRAWN, CupEntry.State.DISQUALIFIED)
    CupEntry.objects.filter(cup=cup, state__in=left, reason=text).update(reason="")
    if cup.reason == text:
        cup.reason = _NO_REASON if cup.state == Cup.State.CANCELLED else ""


def cancel(cup: Cup, by: User, reason: str) -> None:
    """Cancel a cup as a moderator, and close the open reports. Raises ``Refused``."""
    with transaction.atomic():
        cup, reason = _held(cup, by, reason)
        desk.call_off(by, cup, reason)
        _dismiss(cup, by)
        _notify_later(cup, "canceled", reason, [cup.title])


def dismiss(cup: Cup, by: User) -> int:
    """Close the open reports about ``cup`` without changes; return their number. Raises ``Refused``."""
    _require_other(cup, by)
    return _dismiss(cup, by)


def _dismiss(cup: Cup, by: User) -> int:
    return CupReport.objects.filter(cup=cup, settled_at=None).update(settled_at=Now(), settled_by=by)


def _held(cup: Cup, by: User, reason: str) -> tuple[Cup, str]:
    """Lock both users and then the cup, and check that ``by`` may moderate it. Returns the normalized reason."""
    ids = [pk for pk in (by.pk, cup.organizer_id) if pk is not None]
    people = {user.pk: user for user in User.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")}
    reason = reason_of_staff(people[by.pk], reason, Role.MODERATOR, str(_READ_BY))
    _require_other(cup, by)
    if cup.organizer_id is not None:
        require_over(people[by.pk], people[cup.organizer_id])
    return Cup.objects.select_for_update(no_key=True, of=("self",)).select_related("organizer").get(pk=cup.pk), reason


def _require_other(cup: Cup, by: User) -> None:
    if organizes(by, cup):
        raise Refused(_("You cannot moderate a cup that you organize. Ask another moderator."), code="own_cup")


def _neutral(cup: Cup, what: Action) -> str:
    return f"Cup {cup.pk}" if what == Action.REMOVED_TITLE else ""


def _free_slug(cup: Cup) -> str:
    """``cup-ID``, or a random variant for an unlisted cup and if a title has led to the same slug."""
    slug = f"cup-{cup.pk}"
    taken = Cup.objects.exclude(pk=cup.pk).filter(slug=slug).exists()
    return f"{slug}-{secrets.token_hex(8)}" if taken or not cup.listed else slug


def _notify_later(cup: Cup, what: str, reason: str, texts: list[str], *, is_refused: bool = False) -> None:
    """Notify the organizer by email once the transaction is committed, and whether the texts are refused from now."""
    organizer = cup.organizer
    if organizer is None:
        return
    values = {"what": what, "reason": reason, "texts": texts, "slug": cup.slug, "is_refused": is_refused}
    after_commit(
        mail.notify,
        organizer.email_address,
        _SUBJECTS[what],
        "accounts/email/cup_moderated.txt",
        values,
    )
