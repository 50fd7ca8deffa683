"""The OpenAPI document as it is sent, made once a process: nothing in it depends on who asks. And a page of it."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

_EMPTY: Final = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
"""Of nothing at all."""


@require_safe
def schema(_request: HttpRequest) -> HttpResponse:
    headers = {"Cache-Control": "no-cache"}
    return HttpResponse(_written(), content_type="application/json", headers=headers)


@cache
def document() -> dict[str, Any]:
    """The document; it is to be read, not changed."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


@cache
def _written() -> bytes:
    return orjson.dumps(document(), default=str)


@require_safe
def redoc(request: HttpRequest) -> HttpResponse:
    """The reference to be read. Redoc makes empty style elements and fills them by script, which the policy allows."""
    policy = {**settings.CONTENT_SECURITY_POLICY, "style-src": f"'self' '{_EMPTY}'"}
    response = render(request, "api/redoc.html")
    response.headers["Content-Security-Policy"] = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    response.headers["Cache-Control"] = "no-store"  # a 304 would bring the policy of all other pages
    return response
