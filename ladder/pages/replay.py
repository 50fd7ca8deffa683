"""The record and the replay of a match, for download and for the player of replays."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.record import to_json
from ladder.access import match_seen_by
from ladder.exports.documents import Made, match_log_of, record_of, replay_of
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


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def record(request: HttpRequest, match_id: int) -> HttpResponse:
    document = download(match_seen_by(request.user, match_id))
    if document is None:
        raise Http404(_("The record of match %(number)s opens when the match is over.") % {"number": match_id})
    name, text = document
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/json", headers=headers)


@require_safe
def replay(request: HttpRequest, match_id: int) -> HttpResponse:
    found = replay_of(match_seen_by(request.user, match_id))
    if found is None:
        raise Http404(_("The replay of match %(number)s opens when its record does.") % {"number": match_id})
    return sent(request, found)
