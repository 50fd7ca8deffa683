"""What the site accepts at the moment: uploads, sign-ups and guests.

Operators pause each of them (``ladder.operations``). A pause refuses new ones only. Nothing that the site has accepted
is lost: validations, accounts and games continue.
"""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext, gettext_lazy

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Intake, IntakePause

_SENTENCES: Final = {
    Intake.UPLOADS: gettext_lazy("The site does not accept new bots and versions at the moment."),
    Intake.SIGN_UPS: gettext_lazy("The site does not accept new accounts at the moment."),
    Intake.GUESTS: gettext_lazy("The site does not accept new games of guests at the moment."),
}


class IntakePaused(Refused):
    """The site does not accept this at the moment. Nothing was changed, and the request can be repeated later."""

    retry_after_s = 600

    def __init__(self, kind: Intake, reason: str) -> None:
        later = gettext("Nothing was changed. Try again later.")
        super().__init__(f"{_SENTENCES[kind]} {reason} {later}", code="intake_paused")


def require_intake(kind: Intake) -> None:
    """Raise ``IntakePaused`` while ``kind`` is paused. One query."""
    reason = IntakePause.objects.filter(kind=kind).values_list("reason", flat=True).first()
    if reason is not None:
        raise IntakePaused(kind, reason)
