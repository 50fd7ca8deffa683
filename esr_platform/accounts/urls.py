from __future__ import annotations

from django.urls import URLPattern, path

from esr_platform.accounts import views

app_name = "accounts"

urlpatterns: list[URLPattern] = [
    path("", views.account, name="account"),
    path("letters/", views.letters, name="letters"),
    path("letters/off/<str:signed>/", views.letters_off, name="letters_off"),
    path("tokens/", views.token_list, name="tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke_token, name="revoke_token"),
]
