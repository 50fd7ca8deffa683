"""The sites through which people may sign in, for templates; none where the settings name none."""

from __future__ import annotations

from typing import Final, NamedTuple

from django import template
from django.conf import settings
from django.urls import reverse

register = template.Library()

_NAMES: Final = {"github": "GitHub", "google": "Google", "gitlab": "GitLab"}


class Site(NamedTuple):
    """What a button says, and where its form goes."""

    name: str
    address: str


@register.simple_tag
def sites_elsewhere() -> list[Site]:
    """A button each."""
    found = []
    for provider, its in settings.ELSEWHERE.providers.items():
        if provider in _NAMES:
            found.append(Site(_NAMES[provider], reverse(f"{provider}_login")))
            continue
        app = its["APPS"][0]
        found.append(Site(app["name"], reverse("openid_connect_login", args=(app["provider_id"],))))
    return found
