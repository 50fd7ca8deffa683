"""Roles of the site staff: what each of them allows. Site admins give them (``esr_platform.account_pages.roles``).

Every check of a permission of staff, in pages, the API and commands, uses the properties of ``User``: ``role`` (any
staff member), ``moderates``, ``operates`` and ``gives_roles``. Suspended and deleted users have no permissions.
"""

from __future__ import annotations

from typing import Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext_lazy

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Role, User

REASON_LENGTH: Final = 400

_NEEDED: Final = {
    Role.MODERATOR: gettext_lazy("Only moderators can do this. Use the account of a moderator or site admin."),
    Role.OPERATOR: gettext_lazy("Only operators can do this. Use the account of an operator or site admin."),
    Role.ADMIN: gettext_lazy("Only site admins can do this. Use the account of a site admin."),
    None: gettext_lazy("Only site staff can do this. Use a staff account."),
}


def has_role(user: AbstractBaseUser | AnonymousUser, role: Role | None = None) -> bool:
    """Whether ``user`` has ``role``, or with ``None`` any role. Site admins have all roles."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.role != "" if role is None else user.role in (role, Role.ADMIN)


def require_role(by: User, role: Role | None = None) -> None:
    """Require that ``by`` has ``role``, or with ``None`` any role. Raises ``Refused``."""
    if not has_role(by, role):
        raise Refused(str(_NEEDED[role]), code="staff_only")


def reason_of_staff(by: User, reason: str, role: Role | None, read_by: str) -> str:
    """Normalize the ``reason`` for an action that needs ``role``. ``read_by`` says who can read it.

    Raises ``Refused``.
    """
    require_role(by, role)
    reason = " ".join(reason.split())
    if not reason:
        raise Refused(f"Enter a reason. {read_by}", code="no_reason")
    if len(reason) > REASON_LENGTH:
        raise Refused(f"The reason must not be longer than {REASON_LENGTH} characters.", code="reason_too_long")
    return reason
