"""Everything that the ladder's tables hold, to tell whether something has changed."""

from __future__ import annotations

from typing import Any

from django.apps import apps


def snapshot() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of the ladder, by model."""
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in _models()}


def _models() -> list[Any]:
    return sorted(apps.get_app_config("ladder").get_models(), key=lambda model: model.__name__)
