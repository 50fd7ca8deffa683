from __future__ import annotations

from django.apps import AppConfig


class PagesConfig(AppConfig):
    """The pages with their templates and tags; no tables of its own."""

    name = "ladder.pages"
    label = "pages"
