"""System checks of the settings of a public site. ``manage.py check`` and every start run them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def is_public(hosts: Collection[str]) -> bool:
    """Whether other machines can reach a site with these ``ALLOWED_HOSTS``."""
    return not set(hosts) <= LOCAL_HOSTS


@register("public")
def lacks(app_configs: object = None, **_: Any) -> list[CheckMessage]:  # noqa: ARG001
    """Return an error for every missing setting of a public site. A local site has no errors."""
    if not is_public(settings.ALLOWED_HOSTS):
        return []
    faults = {
        "E001": (
            settings.EMAIL_BACKEND.endswith(("console.EmailBackend", "dummy.EmailBackend")),
            "Users cannot create accounts because emails are printed to the terminal.",
            "Set EMAIL_URL to a mail server, for example EMAIL_URL=smtp+tls://user:password@mail.example.org:587.",
        ),
        "E002": (
            is_local_url(settings.SITE_URL),
            "Links in emails do not work because SITE_URL is not a public URL.",
            "Set SITE_URL, for example SITE_URL=https://arena.example.org.",
        ),
        "E004": (
            not settings.SITE_URL.startswith("https://") and settings.SESSION_COOKIE_SECURE,
            "Users cannot sign in because cookies require HTTPS, but SITE_URL does not start with https://.",
            "Set SITE_URL to the HTTPS URL. On a trusted network, you can set SECURE_COOKIES=no instead.",
        ),
        "E005": (
            "*" in settings.ALLOWED_HOSTS,
            "ALLOWED_HOSTS=* accepts requests with any Host header, so others can put foreign host names into links.",
            "Set ALLOWED_HOSTS to the host names of the site, for example ALLOWED_HOSTS=arena.example.org.",
        ),
        "E003": (settings.DEBUG, "DEBUG exposes internal data on error pages.", "Unset DEBUG."),
    }
    return [Error(text, hint=hint, id=f"esr.{number}") for number, (wrong, text, hint) in faults.items() if wrong]


def is_local_url(url: str) -> bool:
    """Whether ``url`` points to this machine."""
    host = url.partition("://")[2].partition("/")[0]
    return (host if host.endswith("]") else host.rpartition(":")[0] or host) in LOCAL_HOSTS


def require_ready() -> None:
    """Raise ``SystemExit`` with a message that lists the failed checks."""
    problems = [f"{problem.msg} {problem.hint}" for problem in lacks()]
    if problems:
        heading = "ALLOWED_HOSTS makes this site public, but its configuration is incomplete:"
        raise SystemExit("\n".join((heading, *problems)))
