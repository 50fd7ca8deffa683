"""Response headers that Django does not set by itself."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

View = Callable[[HttpRequest], HttpResponse]


def content_security_policy(get_response: View) -> View:
    """Middleware that says what a page may load: nothing from elsewhere, no inline script and no inline style."""
    policy = "; ".join(f"{name} {sources}" for name, sources in settings.CONTENT_SECURITY_POLICY.items())

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return respond
