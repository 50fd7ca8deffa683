"""The base class of all endpoints."""

from __future__ import annotations

from typing import Final

from rest_framework.views import APIView

CROSS_ORIGIN: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Location, RateLimit, RateLimit-Policy, Retry-After",
}
"""Pages of other sites may read what anyone may read (CORS). Browsers then send neither cookies nor tokens."""


class Endpoint(APIView):
    """An ``APIView`` without OPTIONS. Its ``Allow`` header lists exactly the methods that it has."""

    http_method_names = [name for name in APIView.http_method_names if name != "options"]

    @property
    def default_response_headers(self) -> dict[str, str]:
        headers: dict[str, str] = super().default_response_headers
        return headers | CROSS_ORIGIN if self.request.method in ("GET", "HEAD") else headers
