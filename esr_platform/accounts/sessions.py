"""Ending what opens an account: sessions and tokens, all at once."""

from __future__ import annotations

from typing import Final

from django.db.models import F
from django.db.models.functions import Now

from esr_platform.accounts.models import User

SECRET: Final = "guest"  # noqa: S105 - a name
"""The session key of a guest's secret. The guest's seats contain its hash."""


def end_all(person: User) -> None:
    """End every session of ``person`` and revoke every token. Safe to call again.

    A session is bound to the epoch (``User._get_session_auth_hash``), so it ends with the next request that names it,
    and does not come back with an account that is opened again.
    """
    User.objects.filter(pk=person.pk).update(session_epoch=F("session_epoch") + 1)
    person.tokens.filter(revoked=None).update(revoked=Now())
    person.refresh_from_db(fields=["session_epoch"])
