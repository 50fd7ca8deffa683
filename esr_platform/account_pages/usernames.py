"""What a user name may look like: it stands in addresses and beside ratings, so nobody may pass for somebody else."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from bots.lookalikes import is_reserved

LONGEST: Final = 30

valid_username = RegexValidator(
    rf"\A[A-Za-z][A-Za-z0-9_-]{{2,{LONGEST - 1}}}\Z",
    _("A user name has 3 to 30 letters, digits, hyphens or underscores, and begins with a letter."),
)
"""Plain letters only: look-alikes from other alphabets would let one name be taken for another."""

of_the_site = RegexValidator(
    r"\A(deleted|user)[-_]*(user)?[-_]*\d+[-_]*\Z",
    _("Names like this one are given by the site. Choose another one."),
    inverse_match=True,
    flags=re.IGNORECASE,
)
"""What an account is called that is deleted, or whose name staff took away (``deleted_name``, ``blank_name``)."""


def not_reserved(name: str) -> None:
    """Raises ``ValidationError`` for a name that would look like the site itself, however it is written."""
    if is_reserved(name):
        raise ValidationError(_("This name cannot be had. Choose another one."))


def never_had(name: str) -> None:
    """Raises ``ValidationError`` for the name of somebody who is gone, so that nobody can be taken for them."""
    former: Any = apps.get_model("accounts", "FormerName")
    if former.objects.filter(digest=fingerprint(name)).exists():
        raise ValidationError(_("This name cannot be had. Choose another one."))


def not_alike(name: str, person: Any = None) -> None:
    """Raises ``ValidationError`` for a name that looks like another user name, or like a bot's name or slug.

    ``person`` is who chooses it, if they have an account: their own bots do not count. Names that differ in case alone
    are allauth's to refuse.
    """
    people: Any = apps.get_model("accounts", "User")
    if people.objects.filter(username__iexact=name).exists():
        return
    from bots.names import is_bot_name, is_user_name  # it imports models, and the settings name this module

    if is_user_name(name, person) or is_bot_name(name, person):
        raise ValidationError(_("This name cannot be had. Choose another one."))


for_anyone: Final[list[Callable[[Any], None]]] = [valid_username, of_the_site, not_reserved, never_had]
"""The validators that do not depend on who chooses a name."""

validators: Final[list[Callable[[Any], None]]] = [*for_anyone, not_alike]
"""What a name has to pass at sign-up (``ACCOUNT_USERNAME_VALIDATORS``)."""


def fingerprint(name: str) -> str:
    """What is kept of a name: the same for spellings that differ in case or in hyphens and underscores alone."""
    return sha256(f"former name: {_plain(name)}".encode()).hexdigest()


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def deleted_name(person: int) -> str:
    """What a deleted account is called."""
    return f"deleted-user-{person}"


def blank_name(person: int) -> str:
    """What an account is called whose name staff took away, until its owner chooses another one."""
    return f"user-{person}"
