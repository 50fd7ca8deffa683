"""The account with which somebody who tries the site out on his own machine signs in at once."""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings

from esr_platform.accounts.models import User

LOCAL: Final = {"localhost", "127.0.0.1", "[::1]"}
USERNAME: Final = "demo"
EMAIL: Final = "demo@localhost.invalid"


def demo_login(folder: Path) -> tuple[str, str] | None:
    """User name and password of the demo account, made where there is none; ``None`` on a site others can reach.

    The password is drawn once and kept in ``folder``, readable by its owner only.
    """
    if not set(settings.ALLOWED_HOSTS) <= LOCAL:
        return None
    password = _password(folder / "demo-password")
    user, _ = User.objects.get_or_create(username=USERNAME, defaults={"email": EMAIL})
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    EmailAddress.objects.get_or_create(user=user, email=EMAIL, defaults={"verified": True, "primary": True})
    return USERNAME, password


def _password(file: Path) -> str:
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(token_hex(6), encoding="ascii")
    return file.read_text(encoding="ascii").strip()
