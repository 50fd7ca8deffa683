"""Roles of the site staff, which site admins give and take away. Each change is logged."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots.models import StaffAction
from esr_platform.account_pages.suspensions import lock_users
from esr_platform.accounts import mail
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Role, User, flags_of
from esr_platform.accounts.roles import reason_of_staff
from esr_platform.commits import after_commit


def give_role(person: User, role: Role | None, by: User, reason: str) -> None:
    """Give ``role`` to ``person`` instead of the present one, or with ``None`` none. Raises ``Refused``.

    No one changes their own role, so a site admin always remains. Both rows are locked, so that two site admins cannot
    take away each other's role.
    """
    with transaction.atomic():
        by, person = lock_users(by.pk, person.pk)
        reason = reason_of_staff(by, reason, Role.ADMIN, _("The user receives it by email."))
        if by.pk == person.pk:
            raise Refused(_("You cannot change your own role. Ask another site admin."), code="own_account")
        if not person.is_active:
            text = _("The account %(name)s is suspended or deleted. Choose another user.")
            raise Refused(text % {"name": person.username}, code="account_closed")
        if person.role == (role or ""):
            text = _("%(name)s already has this role. Nothing was changed.") % {"name": person.username}
            raise Refused(text, code="same_role")
        User.objects.filter(pk=person.pk).update(role=role or "", **flags_of(role or ""))
        StaffAction.objects.create(
            by=by, person=person, what=StaffAction.What.GAVE_ROLE, subject=role or "none", reason=reason
        )
        values = {"name": person.username, "role": role.label if role else "", "reason": reason}
        subject = gettext_lazy("your role has changed")
        after_commit(mail.notify, person.email_address, subject, "accounts/email/role.txt", values)
