"""Whether somebody sees and says anything at tables at all."""

from __future__ import annotations

from django.db import transaction

from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User


def switch(person: User, on: bool) -> None:
    """Switch the talk on or off for ``person``, at all tables, also at those at which they play now."""
    with transaction.atomic():
        held = hold_acting(person.pk)
        held.chat = on
        held.save(update_fields=["chat"])
