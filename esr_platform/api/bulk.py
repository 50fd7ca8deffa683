"""The records of a ladder, all of them, as compressed JSON lines: sent while they are read, and taken up again."""

from __future__ import annotations

from typing import Final

from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from esr_platform.accounts.limits import wait_s
from esr_platform.api.authentication import identity
from esr_platform.api.resources.views import Number, Reading
from ladder.access import ladder_seen_by
from ladder.exports.json_lines import game_pieces, is_in_file
from ladder.pages.components.responses import streamed

MOST: Final = 100_000
"""Games in one answer. Whoever wants more goes on after the last of them."""

EVERYBODY: Final = "everybody"
_AFTER: Final = Number("after", "only games after this one: the `match` of the last line that you have", example=123)


class Records(Reading):
    """At ``/api/v1/ladders/{slug}/records``."""

    throttle_scope = "bulk"
    parameters = (_AFTER, Number("limit", "the most games of one answer", default=MOST, least=1, most=MOST))

    @extend_schema(
        operation_id="records",
        summary="All records of a ladder",
        responses={(200, "application/gzip"): OpenApiResponse(OpenApiTypes.BINARY, "gzip of JSON lines, one a game")},
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Games whose deal opened a minute ago or earlier, in that order.

        An answer may end before the last game, at `limit` or at what one client gets in a minute. Ask again with
        `after`, until an answer has no line.
        """
        ladder = ladder_seen_by(self.viewer, slug)
        after, most = self.asked["after"], self.asked["limit"]
        who = identity(request._request, request.auth)
        if after is not None and not is_in_file(ladder, after):
            raise Http404(f"Match {after} is no line of this file. Name the last one that you have.")
        wait = wait_s("bulk_together", EVERYBODY)
        if wait:
            raise Throttled(wait)

        def go_on() -> bool:
            return not wait_s("bulk", who) and not wait_s("bulk_together", EVERYBODY)

        found = game_pieces(ladder, after, most, go_on)
        name = f"{slug}-records.jsonl.gz"
        response = streamed(request._request, name, found, "application/gzip")
        response["Content-Encoding"] = "identity"  # it is packed already
        return response
