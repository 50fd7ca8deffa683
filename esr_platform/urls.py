"""Every address of the site; what stands behind one is decided in the app that owns the page."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("account/", include("esr_platform.accounts.urls")),
    path("account/", include("allauth.account.urls")),
    path("", include("ladder.pages.urls")),
]
