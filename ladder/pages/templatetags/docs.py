"""Links between pages of the documentation, on the site and in the static copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import template

from ladder.pages.docs import url

register = template.Library()


@register.simple_tag(takes_context=True)
def doc_url(context: Mapping[str, Any], slug: str) -> str:
    """The URL of a page of the documentation. A static copy has a function ``place`` for its relative URLs."""
    place: Callable[[str, str], str] = context.get("place", url)
    return place("page", slug)
