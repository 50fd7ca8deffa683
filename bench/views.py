"""The URLs of the site, and the minimal views that ``bench.api_reads`` compares its endpoints with.

``/api/v1/bare/QUERIES/ROWS/BYTES`` is a view that is as short as possible: it makes this number of queries by primary
key, reads this number of rows of one table, and returns a dictionary of about this size. It has the authentication,
throttle, renderer and middleware of the site.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.urls import include, path
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bench.request_costs import costs
from ladder.models import Seat


class Bare(APIView):
    """Nothing but the framework and the queries."""

    permission_classes = [AllowAny]

    def get(self, _request: Request, queries: int, rows: int, size: int) -> Response:
        for number in range(queries):
            first = 1 + number * rows
            last = first + (rows if number == 0 else 1)
            list(Seat.objects.filter(pk__gte=first, pk__lt=last).order_by().values("pk", "match", "index", "version"))
        return Response(_document(size))


@cache
def _document(size: int) -> dict[str, Any]:
    """About so many bytes as JSON, in rows of a usual shape; 130 bytes a row."""
    row = {"id": 123456, "name": "a name of something, as names are", "rating": 1512.25, "rank": None, "active": True}
    return {"next": None, "results": [{**row, "when": "2026-11-22T03:41:02.123456Z"} for _ in range(1 + size // 140)]}


urlpatterns = [
    path("costs", costs),
    path("api/v1/bare/<int:queries>/<int:rows>/<int:size>", Bare.as_view()),
    path("", include("esr_platform.urls")),
]
