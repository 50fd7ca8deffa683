"""Security policy and cache policy of every response of Django, and the limit on pages per client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from esr_platform.accounts.limits import address, wait_s

PAGES: Final = "pages"
"""The scope of page requests in ``settings.REQUESTS_PER_MINUTE``. The API counts its own requests in other scopes, and
its documentation and unknown paths in this one (``esr_platform.api.http``)."""

_ACCOUNT: Final = "/account/"
_API: Final = "/api/"

View = Callable[[HttpRequest], HttpResponse]


def security_policy() -> str:
    """The Content-Security-Policy of all pages: nothing from other sites, no inline scripts or styles."""
    return "; ".join(f"{name} {sources}" for name, sources in settings.CONTENT_SECURITY_POLICY.items())


def content_security_policy(get_response: View) -> View:
    """Middleware that sets the Content-Security-Policy."""
    policy = security_policy()

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return respond


def cache_policy(get_response: View) -> View:
    """Middleware that keeps personal responses out of shared caches.

    A response to an identified user, and every account page, is ``private, no-store``. Any other response without a
    policy is ``private, no-cache``, so browsers revalidate it by its ETag. Public policies, such as those of static
    files and feeds, and ``no-store`` are kept.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        policy = response.headers.get("Cache-Control", "")
        if policy and ("private" not in policy or "no-store" in policy):
            return response
        known = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if known or request.path.startswith(_ACCOUNT):
            policy = "private, no-store"
        response.headers["Cache-Control"] = policy or "private, no-cache"
        return response

    return respond


def parts_of_pages(get_response: View) -> View:
    """Middleware for requests of htmx, which swaps parts of a response into the current page.

    A redirect becomes a response that loads the whole target page. HTML varies by ``HX-Request``, because ``base.html``
    omits everything around ``<main>`` for htmx.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if "HX-Request" in request.headers and "Location" in response.headers:
            response.status_code = 200
            response.headers["HX-Redirect"] = response.headers["Location"]
            del response.headers["Location"]
        if response.headers.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ("HX-Request",))
        return response

    return respond


def page_pace(get_response: View) -> View:
    """Middleware that limits the page requests per client IP address and minute. Without Redis there is no limit."""

    def respond(request: HttpRequest) -> HttpResponse:
        wait = 0 if request.path.startswith(_API) else page_wait_s(request)
        if not wait:
            return get_response(request)
        sentence = _("Too many requests from your IP address. Try again in %(seconds)s s.") % {"seconds": wait}
        texts = {"title": _("Too many requests"), "code": "throttled", "sentence": sentence}
        page = render_to_string("refused.html", texts)
        return HttpResponse(page, status=429, headers={"Retry-After": str(wait)})

    return respond


def page_wait_s(request: HttpRequest) -> int:
    """Count a page request of the client's IP address. Returns 0 if it is allowed, otherwise the seconds to wait."""
    try:
        return wait_s(PAGES, address(request.META))
    except (RedisError, OSError):
        return 0
