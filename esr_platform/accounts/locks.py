"""One change of a person at a time."""

from __future__ import annotations

from django.contrib.auth import get_user_model

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User


def require_over(by: User, person: User) -> None:
    """Staff act on others, and on staff only who may do everything does. Raises ``Refused``."""
    if by.pk == person.pk:
        raise Refused("Nobody does that to their own account or bots. Ask somebody else of the staff.")
    if (person.is_staff or person.is_superuser) and not by.is_superuser:
        raise Refused(f"{person.username} is staff: only who may do everything here can do that.")


def hold(person: int) -> None:
    """Hold the row of a person until the end of the transaction.

    Their limits, the names of their bots and the numbers of versions hang on it: so one change of theirs is made at a
    time. It is always held before bots are.
    """
    get_user_model()._default_manager.select_for_update(no_key=True).get(pk=person)


def hold_acting(person: int) -> User:
    """Hold the row of a person who is about to change something; the person as of now.

    Raises ``Refused`` for whose account was deleted or suspended while the request was on its way.
    """
    now = get_user_model()._default_manager.select_for_update(no_key=True).get(pk=person)
    if not now.is_active:
        raise Refused("Your account is closed, so nothing was changed.")
    return now
