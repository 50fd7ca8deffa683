"""The terms of the site: the current version and its acceptance."""

from __future__ import annotations

from typing import Final

from django.contrib.auth import get_user_model
from django.db.models.functions import Now

from esr_platform.accounts.models import User

VERSION: Final = "2026-11-26"
"""The date of the current version. Change it with every substantial change of ``templates/accounts/terms.html``."""

LICENCE: Final = "CC BY 4.0"
LICENCE_URL: Final = "https://creativecommons.org/licenses/by/4.0/"


def accept(person: User) -> None:
    """Store that ``person`` accepts the current terms now. An earlier acceptance of them is kept."""
    rows = get_user_model()._default_manager.filter(pk=person.pk).exclude(terms_version=VERSION)
    rows.update(terms_version=VERSION, terms_accepted=Now())
    person.refresh_from_db(fields=["terms_version", "terms_accepted"])


def holds_for(person: User) -> bool:
    """Whether ``person`` has accepted the current version."""
    return person.terms_version == VERSION
