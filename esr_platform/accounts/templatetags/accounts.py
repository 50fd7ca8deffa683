"""Template tags for accounts: sign-in with other sites, and how to contact the site staff."""

from __future__ import annotations

from typing import Final, NamedTuple

from allauth.account import app_settings
from django import template
from django.conf import settings
from django.template import Context
from django.urls import reverse

from esr_platform.accounts import mail

register = template.Library()

_NAMES: Final = {"github": "GitHub", "google": "Google", "gitlab": "GitLab"}


class SignInProvider(NamedTuple):
    """The name of a provider of linked accounts, and the path of the form that starts its sign-in."""

    name: str
    address: str


@register.simple_tag
def sites_elsewhere() -> list[SignInProvider]:
    """The configured providers of linked accounts."""
    sites = []
    for provider, options in settings.ELSEWHERE.providers.items():
        if provider in _NAMES:
            sites.append(SignInProvider(_NAMES[provider], reverse(f"{provider}_login")))
            continue
        app = options["APPS"][0]
        sites.append(SignInProvider(app["name"], reverse("openid_connect_login", args=(app["provider_id"],))))
    return sites


@register.simple_tag
def code_minutes() -> int:
    """The time for which an emailed code is valid, in minutes."""
    return int(app_settings.EMAIL_VERIFICATION_BY_CODE_TIMEOUT // 60)


@register.simple_tag(takes_context=True)
def contact_staff(context: Context, reason: str) -> str:
    """The sentence ``mail.contact_staff``. Its email address is a link, except in plain text."""
    return mail.contact_staff(reason, html=context.autoescape)
