"""The documents of a match that may be taken away once it has ended."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from games.record import to_json
from ladder.exports.documents import Made, match_log_of, record_of
from ladder.models import Match


def download(match: Match) -> tuple[str, str] | None:
    """File name and JSON of the record of a finished match, or of the log of a void one; ``None`` for every other."""
    record = record_of(match)
    if record is not None:
        return f"match-{match.pk}.json", to_json(record) + "\n"
    log = match_log_of(match)
    return None if log is None else (f"match-{match.pk}-void.json", to_json(log) + "\n")


def sent(request: HttpRequest, made: Made) -> HttpResponse:
    """A document as an answer, compressed as it lies there wherever that is understood.

    Browsers may keep it, but ask each time whether it is still there for them: that costs one query and no bytes.
    """
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(made.packed if packed else made.json, content_type="application/json")
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["ETag"] = made.tag
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept-Encoding", "Cookie"])
    return response
