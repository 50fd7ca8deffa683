"""What a user name may look like: it stands in addresses and beside ratings, so nobody may pass for somebody else."""

from __future__ import annotations

from typing import Final

from django.core.validators import RegexValidator

LONGEST: Final = 30

valid_username = RegexValidator(
    rf"\A[A-Za-z][A-Za-z0-9_-]{{2,{LONGEST - 1}}}\Z",
    f"A user name has 3 to {LONGEST} letters, digits, hyphens or underscores, and begins with a letter.",
)
"""Plain letters only: look-alikes from other alphabets would let one name be taken for another."""

validators: Final = [valid_username]
"""What allauth runs over the name at sign-up (``ACCOUNT_USERNAME_VALIDATORS``)."""

RESERVED: Final = (  # noqa: SIM905
    "account accounts admin administrator anonymous api arena bot bots deleted-user demo everybody guest help house "
    "ladder ladders match matches me moderator nobody official platform root rules staff steinreich support system"
).split()
"""Names that would look like the site itself."""
