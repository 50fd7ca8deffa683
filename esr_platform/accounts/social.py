"""The providers of linked accounts (GitHub, Google, GitLab, OpenID Connect) that the environment configures.

The settings import this module, so it must not import models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from environ import Env

_PACKAGES: Final = "allauth.socialaccount.providers"
_SCOPES: Final = {"github": ["user:email"], "google": ["profile", "email"], "gitlab": ["read_user"]}
_ORIGINS: Final = {"github": "https://github.com", "google": "https://accounts.google.com"}
_GITLAB: Final = "https://gitlab.com"


@dataclass(frozen=True)
class Elsewhere:
    """The configured providers: apps to install, allauth's settings, and origins.

    ``origins`` are allowed targets of form redirects in the content security policy.
    """

    apps: list[str]
    providers: dict[str, Any]
    origins: list[str]


def elsewhere(env: Env) -> Elsewhere:
    """Read ``GITHUB_…``, ``GOOGLE_…``, ``GITLAB_…`` and ``OIDC_…``. Raises ``SystemExit`` if one is incomplete."""
    #: GITHUB_CLIENT_ID: Client ID of your OAuth app on GitHub.
    #: GITHUB_CLIENT_SECRET: Client secret of this app.
    #: GOOGLE_CLIENT_ID: Client ID of your Google OAuth app.
    #: GOOGLE_CLIENT_SECRET: Client secret of this app.
    #: GITLAB_CLIENT_ID: Client ID of your OAuth app on GitLab.
    #: GITLAB_CLIENT_SECRET: Client secret of this app.
    #: OIDC_CLIENT_ID: Client ID of your app at another OpenID Connect provider.
    #: OIDC_CLIENT_SECRET: Client secret of this app.
    #: GITLAB_URL: URL of the GitLab server. Default: `https://gitlab.com`.
    #: OIDC_SERVER_URL: Issuer URL of the OpenID Connect provider.
    #: OIDC_NAME: Name of this provider on the sign-in page. Default: its host name.
    #: OIDC_ORIGINS: List of additional origins to which its sign-in page redirects.
    providers: dict[str, Any] = {}
    origins: list[str] = []
    for name in ("github", "google", "gitlab"):
        app = _app(env, name.upper())
        if app is None:
            continue
        url = env.str("GITLAB_URL", default=_GITLAB).rstrip("/") if name == "gitlab" else _ORIGINS[name]
        own = {"settings": {"gitlab_url": url}} if name == "gitlab" else {}
        providers[name] = {"APPS": [{**app, **own}], "SCOPE": _SCOPES[name]}
        origins.append(_origin(url))
    openid = _openid(env)
    if openid is not None:
        providers["openid_connect"] = {"APPS": [openid], "OAUTH_PKCE_ENABLED": True}
        origins += [_origin(openid["settings"]["server_url"]), *env.list("OIDC_ORIGINS", default=[])]
    apps = ["allauth.socialaccount", *(f"{_PACKAGES}.{name}" for name in providers)] if providers else []
    return Elsewhere(apps, providers, origins)


def _openid(env: Env) -> dict[str, Any] | None:
    app = _app(env, "OIDC")
    if app is None:
        return None
    server = env.str("OIDC_SERVER_URL", default="")
    if not server.startswith(("https://", "http://")):
        raise SystemExit(
            "OIDC_CLIENT_ID is set without OIDC_SERVER_URL. Set it, for example OIDC_SERVER_URL=https://login.example.org."
        )
    name = env.str("OIDC_NAME", default="") or urlsplit(server).hostname
    return {**app, "provider_id": "oidc", "name": name, "settings": {"server_url": server}}


def _app(env: Env, prefix: str) -> Mapping[str, str] | None:
    """The client id and secret of a provider, or ``None`` if neither is set."""
    given = {name: env.str(f"{prefix}_{name}", default="") for name in ("CLIENT_ID", "CLIENT_SECRET")}
    if not any(given.values()):
        return None
    if not all(given.values()):
        raise SystemExit(f"Set both {prefix}_CLIENT_ID and {prefix}_CLIENT_SECRET, or neither.")
    return {"client_id": given["CLIENT_ID"], "secret": given["CLIENT_SECRET"]}


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
