"""What takes long to make, so many times a minute for one address."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from bots.pace import address, wait_s

FILES = "files"
"""The scope of long files, in ``settings.REQUESTS_A_MINUTE``."""


def too_many(request: HttpRequest, scope: str) -> HttpResponse | None:
    """Count a request of ``scope``; the answer to one too many, else ``None``."""
    wait = wait_s(scope, address(request.META))
    if not wait:
        return None
    response = render(request, "429.html", {"wait_s": wait}, status=429)
    response["Retry-After"] = str(wait)
    add_never_cache_headers(response)
    return response


def of_long_files(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let one address have long files only so often."""

    @wraps(view)
    def paced(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return too_many(request, FILES) or view(request, *args, **kwargs)

    return paced
