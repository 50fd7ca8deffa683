"""What takes long to make, or changes what others see, so many times a minute for one address or one person."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from esr_platform.accounts.limits import address, wait_s

FILES = "files"
"""The scope of long files, in ``settings.REQUESTS_A_MINUTE``."""


ACTS = "table"
"""The scope of what somebody does at a table and in the lobby."""


def too_many(request: HttpRequest, scope: str, who: str | None = None) -> HttpResponse | None:
    """Count a request of ``scope``, by its address or as ``who``; the answer to one too many, else ``None``."""
    wait = wait_s(scope, who or address(request.META))
    if not wait:
        return None
    response = render(request, "429.html", {"wait_s": wait}, status=429)
    response["Retry-After"] = str(wait)
    add_never_cache_headers(response)
    return response


def of_acts(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let one person, or one address where nobody is signed in, change only so much; who only looks is not counted."""

    @wraps(view)
    def paced(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        who = f"user-{request.user.pk}" if request.user.is_authenticated else None
        refused = too_many(request, ACTS, who) if request.method == "POST" else None
        return refused or view(request, *args, **kwargs)

    return paced


def of_long_files(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let one address have long files only so often."""

    @wraps(view)
    def paced(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return too_many(request, FILES) or view(request, *args, **kwargs)

    return paced
