"""What a site must be told before others may reach it; ``manage.py check`` and every start say what is missing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def is_public(hosts: Collection[str]) -> bool:
    """Whether a site with these ``ALLOWED_HOSTS`` answers to names that others can reach."""
    return not set(hosts) <= LOCAL_HOSTS


@register("public")
def lacks(app_configs: object = None, **_: Any) -> list[CheckMessage]:  # noqa: ARG001
    """What is missing for a public site; nothing for one that only its own machine reaches."""
    if not is_public(settings.ALLOWED_HOSTS):
        return []
    found = {
        "E001": (
            settings.EMAIL_BACKEND.endswith(("console.EmailBackend", "dummy.EmailBackend")),
            "Nobody can sign up: letters would be written to the terminal.",
            "Set EMAIL_URL to a mail server, as in EMAIL_URL=smtp+tls://user:password@mail.example.org:587.",
        ),
        "E002": (
            is_local_url(settings.SITE_URL),
            "Letters would lead nowhere: the site's own address is not known.",
            "Set SITE_URL, as in SITE_URL=https://arena.example.org.",
        ),
        "E004": (
            not settings.SITE_URL.startswith("https://") and settings.SESSION_COOKIE_SECURE,
            "Nobody can sign in: cookies are sent over HTTPS only, and SITE_URL does not begin with https://.",
            "Set SITE_URL to the HTTPS address. On a network that you trust set SECURE_COOKIES=no instead.",
        ),
        "E003": (settings.DEBUG, "DEBUG shows strangers how the site works.", "Unset DEBUG."),
    }
    return [Error(text, hint=hint, id=f"esr.{number}") for number, (wrong, text, hint) in found.items() if wrong]


def is_local_url(url: str) -> bool:
    """Whether ``url`` leads to the machine itself."""
    host = url.partition("://")[2].partition("/")[0]
    return (host if host.endswith("]") else host.rpartition(":")[0] or host) in LOCAL_HOSTS


def require_ready() -> None:
    """Raises ``SystemExit`` with all that is missing, in words."""
    problems = [f"{problem.msg} {problem.hint}" for problem in lacks()]
    if problems:
        raise SystemExit("\n".join(("ALLOWED_HOSTS makes this site public, and it is not ready for that.", *problems)))
