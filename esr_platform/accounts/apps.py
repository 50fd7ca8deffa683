from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "esr_platform.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
