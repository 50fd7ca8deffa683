"""Responses that several pages share: limits on slow pages and long files, and pages for site staff only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final, TypeVar

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.cache import caches
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache

from esr_platform.accounts.limits import address, wait_s
from esr_platform.accounts.models import Role
from esr_platform.accounts.roles import has_role
from ladder.models import Cup

# --- Keys of cached pages --------------------------------------------------------------------------------------------


def cache_key(name: str, kind: type[Any]) -> str:
    """The key for instances of the dataclass ``kind``. It contains a hash of their fields and types.

    While a site is updated, old and new processes share the cache. Each finds what its own release has written.
    """
    shape = " ".join(f"{field.name}:{field.type}" for field in fields(kind))
    return f"{name}/{sha256(shape.encode()).hexdigest()[:12]}"


# --- Pages that many strangers open at once --------------------------------------------------------------------------

SHARED_S: Final = 10
"""How long a page is kept for other strangers. Spectators of a game open its page together, when it begins and ends.

The page of a running game can be that old: its stream brings what is new.
"""


def is_stranger(request: HttpRequest) -> bool:
    """Whether nothing in the request, except its path and language, can change a page: no account, guest or form."""
    harmless = {settings.LANGUAGE_COOKIE_NAME, settings.CSRF_COOKIE_NAME}
    personal = not harmless.issuperset(request.COOKIES) or "Authorization" in request.headers
    return request.method == "GET" and not personal and not request.GET and "HX-Request" not in request.headers


def shared_by_strangers(
    request: HttpRequest, state: Callable[[], Sequence[object]], make: Callable[[], HttpResponse]
) -> HttpResponse:
    """Return the response of ``make``, or for strangers the one that another of them got within the last seconds.

    It is not older than a change of ``state``. Responses with a form, whose CSRF token is personal, are not kept.
    """
    if not is_stranger(request):
        return make()
    key = "/".join(map(str, ("page", *state(), get_language(), request.path)))
    content: bytes | None = caches["pages"].get(key)
    if content is not None:
        return HttpResponse(content)
    response = make()
    if response.status_code == HTTPStatus.OK and "CSRF_COOKIE_NEEDS_UPDATE" not in request.META:
        caches["pages"].set(key, response.content, SHARED_S)
    return response


# --- Forms -----------------------------------------------------------------------------------------------------------


def form_status(form: BaseForm) -> int:
    """The HTTP status of a page with ``form``: 422 if the form has errors, else 200."""
    return HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK


# --- Search engines ---------------------------------------------------------------------------------------------------


_Response = TypeVar("_Response", bound=HttpResponseBase)


def unlisted(response: _Response, cup: Cup) -> _Response:
    """Keep a page of a cup that only its link leads to out of search engines."""
    if not cup.listed:
        response["X-Robots-Tag"] = "noindex, nofollow"
    return response


# --- Limits ----------------------------------------------------------------------------------------------------------

FILES = "files"
"""The scope of long files, in ``settings.REQUESTS_PER_MINUTE``."""


ACTS = "table"
"""The scope of actions in live games and in the lobby."""


def too_many(request: HttpRequest, scope: str, who: str | None = None) -> HttpResponse | None:
    """Count a request of ``scope`` by IP address or ``who``; the 429 response above the limit, else ``None``."""
    wait = wait_s(scope, who or address(request.META))
    if not wait:
        return None
    response = render(request, "429.html", {"wait_s": wait}, status=429)
    response["Retry-After"] = str(wait)
    add_never_cache_headers(response)
    return response


def limit_actions(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Limit the POST requests per user, or per IP address for visitors."""

    @wraps(view)
    def paced(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        who = f"user-{request.user.pk}" if request.user.is_authenticated else None
        refused = too_many(request, ACTS, who) if request.method == "POST" else None
        return refused or view(request, *args, **kwargs)

    return paced


def of_long_files(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Limit the downloads of long files per IP address."""

    @wraps(view)
    def paced(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return too_many(request, FILES) or view(request, *args, **kwargs)

    return paced


# --- Site staff only -------------------------------------------------------------------------------------------------

View = Callable[..., HttpResponse]


def _only_for(role: Role | None) -> Callable[[View], View]:
    """Show a view only to users with ``role``. Visitors are asked to sign in; other users get status 404."""

    def guard(view: View) -> View:
        @never_cache
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not has_role(request.user, role):
                raise Http404
            return view(request, *args, **kwargs)

        return guarded

    return guard


for_staff = _only_for(None)
for_moderators = _only_for(Role.MODERATOR)
for_operators = _only_for(Role.OPERATOR)
for_admins = _only_for(Role.ADMIN)
