from __future__ import annotations

from django.apps import AppConfig


class LadderConfig(AppConfig):
    name = "ladder"
