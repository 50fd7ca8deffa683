"""The documents of a match that may be taken away once it has ended."""

from __future__ import annotations

from games.record import to_json
from ladder.models import Match
from ladder.records import match_log_of, record_of


def download(match: Match) -> tuple[str, str] | None:
    """File name and JSON of the record of a finished match, or of the log of a void one; ``None`` for every other."""
    record = record_of(match)
    if record is not None:
        return f"match-{match.pk}.json", to_json(record) + "\n"
    log = match_log_of(match)
    return None if log is None else (f"match-{match.pk}-void.json", to_json(log) + "\n")
