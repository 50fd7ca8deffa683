"""Downloads of the game record and of the replay document of a match."""

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
    """Return file name and JSON: the record of a finished match or the log of a void one. Else return ``None``."""
    record = record_of(match)
    if record is not None:
        return f"match-{match.pk}.json", to_json(record) + "\n"
    log = match_log_of(match)
    return None if log is None else (f"match-{match.pk}-void.json", to_json(log) + "\n")


def sent(request: HttpRequest, made: Made) -> HttpResponse:
    """Return the stored document as a response, compressed if the client accepts it.

    Browsers can cache it but must revalidate it each time, which costs one query and no transfer.
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
        raise Http404(_("Game record not available. It is published when all games of the deal are finished."))
    name, text = document
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/json", headers=headers)


@require_safe
def replay(request: HttpRequest, match_id: int) -> HttpResponse:
    found = replay_of(match_seen_by(request.user, match_id))
    if found is None:
        raise Http404(_("Replay not available. It is published when all games of the deal are finished."))
    return sent(request, found)
