"""The addresses of signing in with an account elsewhere; none where the settings name no other site."""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path


def of_elsewhere() -> list[URLPattern | URLResolver]:
    """allauth's pages for it, and those of each site that is named."""
    if not settings.ELSEWHERE.apps:
        return []
    providers = [import_module(f"{name}.urls") for name in settings.ELSEWHERE.apps if ".providers." in name]
    its = [pattern for module in providers for pattern in module.urlpatterns]
    return [path("account/elsewhere/", include("allauth.socialaccount.urls")), path("account/", include(its))]
