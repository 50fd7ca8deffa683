"""The terms of the site: which version holds, and who has accepted it when."""

from __future__ import annotations

from typing import Final

from django.contrib.auth import get_user_model
from django.db.models.functions import Now

from esr_platform.accounts.models import User

VERSION: Final = "2026-11-21"
"""The day of the version that holds. Whoever changes ``templates/accounts/terms.html`` in substance writes another."""

LICENCE: Final = "CC BY 4.0"
LICENCE_URL: Final = "https://creativecommons.org/licenses/by/4.0/"


def accept(person: User) -> None:
    """Keep that ``person`` accepts the terms that hold, and when; what was accepted already stays as it is."""
    rows = get_user_model()._default_manager.filter(pk=person.pk).exclude(terms_version=VERSION)
    rows.update(terms_version=VERSION, terms_accepted=Now())
    person.refresh_from_db(fields=["terms_version", "terms_accepted"])


def holds_for(person: User) -> bool:
    """Whether ``person`` has accepted the version that holds."""
    return person.terms_version == VERSION
