"""The account with which somebody who tries the site out on his own machine signs in at once."""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings

from esr_platform.accounts.models import User
from esr_platform.public import is_public

USERNAME: Final = "demo"
"""Nobody can sign up with it (``bots.lookalikes.RESERVED``)."""

EMAIL: Final = "demo@localhost.invalid"


def demo_login(folder: Path) -> tuple[str, str] | None:
    """User name and password of the demo account, made where there is none; ``None`` on a site others can reach.

    The password is drawn once and kept in ``folder``, readable by its owner only.
    """
    if is_public(settings.ALLOWED_HOSTS):
        return None
    password = _password(folder / "demo-password")
    user, _ = User.objects.get_or_create(username=USERNAME, defaults={"email": EMAIL})
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    EmailAddress.objects.get_or_create(user=user, email=EMAIL, defaults={"verified": True, "primary": True})
    return USERNAME, password


def may_act(user: User) -> bool:
    """Whether the account opens anything; the demo's does not once others can reach the site."""
    return user.username != USERNAME or not is_public(settings.ALLOWED_HOSTS)


def _password(file: Path) -> str:
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(token_hex(6), encoding="ascii")
    return file.read_text(encoding="ascii").strip()
