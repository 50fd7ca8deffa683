"""Downloads of the game record and of the replay document of a match."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from esr_platform.downloads import attachment, stored_json
from games.record import to_json
from ladder.access import match_seen_by
from ladder.exports.documents import match_log_of, record_of, replay_of
from ladder.models import Match


def download(match: Match) -> tuple[str, str] | None:
    """Return file name and JSON: the record of a finished match or the log of a void one. Else return ``None``."""
    record = record_of(match)
    if record is not None:
        return f"match-{match.pk}.json", to_json(record) + "\n"
    log = match_log_of(match)
    return None if log is None else (f"match-{match.pk}-void.json", to_json(log) + "\n")


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def record(request: HttpRequest, match_id: int) -> HttpResponse:
    document = download(match_seen_by(request.user, match_id))
    if document is None:
        raise Http404(_("Game record not available. It is published when all games of the deal are finished."))
    name, text = document
    return attachment(name, text, "application/json")


@require_safe
def replay(request: HttpRequest, match_id: int) -> HttpResponse:
    document = replay_of(match_seen_by(request.user, match_id))
    if document is None:
        raise Http404(_("Replay not available. It is published when all games of the deal are finished."))
    return stored_json(request, document.packed, document.tag)
