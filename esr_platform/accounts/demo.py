"""The demo account for trying out the site on your own machine."""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings

from esr_platform.accounts.models import User
from esr_platform.public import is_public

USERNAME: Final = "demo"
"""A reserved name (``bots.lookalikes.RESERVED``)."""

PASSWORD_FILE: Final = "demo-password"  # noqa: S105 - the name of a file
"""In ``VAR_DIR``."""

EMAIL: Final = "demo@localhost.invalid"


def demo_login(folder: Path) -> tuple[str, str] | None:
    """The username and password of the demo account, which is created if needed; ``None`` on a public site.

    The password is random and stored in ``folder``, readable only by the owner of the folder.
    """
    if is_public(settings.ALLOWED_HOSTS):
        return None
    password = _password(folder / PASSWORD_FILE)
    user, _ = User.objects.get_or_create(username=USERNAME, defaults={"email": EMAIL})
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    EmailAddress.objects.get_or_create(user=user, email=EMAIL, defaults={"verified": True, "primary": True})
    return USERNAME, password


def may_act(user: User) -> bool:
    """Whether the account can be used. The demo account cannot be used on a public site."""
    return user.username != USERNAME or not is_public(settings.ALLOWED_HOSTS)


def _password(file: Path) -> str:
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(token_hex(6), encoding="ascii")
    return file.read_text(encoding="ascii").strip()
