"""What every template may name."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def site(_request: HttpRequest) -> dict[str, str]:
    """Context processor: ``SITE_NAME``, the name in the head of every page."""
    return {"SITE_NAME": settings.SITE_NAME}
