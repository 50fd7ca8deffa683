"""The URLs of accounts."""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path
from django.utils.module_loading import import_string

from esr_platform.account_pages import views

# --- Linked accounts -------------------------------------------------------------------------------------------------


def linked_accounts() -> list[URLPattern | URLResolver]:
    """The pages of allauth for linked accounts, and those of each configured provider."""
    if not settings.ELSEWHERE.apps:
        return []
    providers = [import_module(f"{name}.urls") for name in settings.ELSEWHERE.apps if ".providers." in name]
    patterns = [pattern for module in providers for pattern in module.urlpatterns]
    if "allauth.socialaccount.providers.openid_connect" in settings.ELSEWHERE.apps:
        openid_login = import_string("esr_platform.account_pages.linked_accounts.openid_login")
        patterns.insert(0, path("oidc/<str:provider_id>/login/", openid_login))
    return [path("account/elsewhere/", include("allauth.socialaccount.urls")), path("account/", include(patterns))]


# --- All -------------------------------------------------------------------------------------------------------------

app_name = "accounts"

urlpatterns: list[URLPattern] = [
    path("", views.account, name="account"),
    path("terms/", views.accept_terms, name="accept_terms"),
    path("name/", views.choose_name, name="choose_name"),
    path("delete/", views.delete, name="delete"),
    path("export/", views.export, name="export"),
    path("emails/", views.switch_emails, name="emails"),
    path("chat/", views.switch_chat, name="chat"),
    path("emails/off/<str:signed>/", views.digests_off, name="digests_off"),
    path("feed/url/", views.replace_feed_url, name="replace_feed_url"),
    path("feed/<str:signed>/news.atom", views.news_feed, name="feed"),
    path("tokens/", views.token_list, name="tokens"),
    path("tokens/revoke/", views.revoke_tokens, name="revoke_tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke_token, name="revoke_token"),
]
