"""Logs for owners: packed when a match is over, stored with its result, read by a bot's owner and by staff alone.

No result can fail by them: a log is packed before the transaction, bounded, and left out if that fails.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Collection
from datetime import timedelta
from typing import Any, Final

import orjson
from django.conf import settings
from django.db.models.functions import Now

from bots.runner.bot_log import Transcript, owner_log
from bots.runner.report import MatchReport
from games.rules import Document
from ladder.access import readable_logs
from ladder.models import Match, SeatLog
from ladder.models.ladders import Viewer

logger = logging.getLogger(__name__)

MOST_BYTES: Final = 256 * 1024
"""Of a packed log. One that is longer loses its raw answers."""

KEPT_STDERR: Final = 16 * 1024
"""Bytes of what a bot wrote there last: 16 KiB of noise a seat and game are what a hostile one can fill disks with."""

LOGS_PER_BATCH: Final = 500
MOST_BATCHES: Final = 20
_DEFLATED_JSON: Final = b"\x01"
_LEVEL: Final = 4
"""Of zlib: half the time of the usual level, for a tenth more bytes."""


def packed_logs(report: MatchReport, transcript: Transcript | None) -> dict[int, bytes]:
    """By seat, the packed ``owner-log/1`` of every seat whose lines ``transcript`` has kept and that can be packed."""
    if transcript is None:
        return {}
    logs = {}
    for seat in sorted(transcript.kept):
        try:
            logs[seat] = packed(owner_log(report, transcript, seat))
        except Exception:  # a log is a service; a game that cannot be described still has its result, and other logs
            logger.exception("bot log of seat %s not stored", seat)
    return logs


def packed(log: Document) -> bytes:
    """The stored form: a byte that names the form, then deflated JSON; at most ``MOST_BYTES``."""
    for shorten in (_with_little_stderr, _without_answers):
        log = shorten(log)
        data = _DEFLATED_JSON + zlib.compress(orjson.dumps(log), _LEVEL)
        if len(data) <= MOST_BYTES:
            return data
    raise ValueError(f"a log is too long to be kept: {len(data)} bytes")


def unpacked(data: bytes) -> Document:
    """The log of a stored form. Raises ``ValueError`` for a form that this version does not know."""
    if data[:1] != _DEFLATED_JSON:
        raise ValueError(f"a log is stored in the form {data[:1].hex()!r}, which this version cannot read")
    log: Document = orjson.loads(zlib.decompress(data[1:]))
    return log


def log_of(match: Match, index: int, user: Viewer) -> Document | None:
    """The ``owner-log/1`` of a seat for ``user``; ``None`` where there is none, no longer one, or none for them."""
    stored = readable_logs(match, user).filter(seat__index=index).values_list("packed", flat=True).first()
    return None if stored is None else unpacked(bytes(stored))


def readable_seats(match: Match, user: Viewer) -> Collection[int]:
    """The seats of ``match`` whose logs ``user`` may read now; one query, none for somebody who has not signed in."""
    return frozenset(readable_logs(match, user).values_list("seat__index", flat=True))


def forget_old_logs() -> int:
    """Delete logs older than ``BOT_LOG_DAYS``, the oldest first, some thousands at most; how many."""
    old = SeatLog.objects.filter(created__lt=Now() - timedelta(days=settings.BOT_LOG_DAYS)).order_by("created")
    forgotten = 0
    for _ in range(MOST_BATCHES):
        batch = list(old.values_list("pk", flat=True)[:LOGS_PER_BATCH])
        forgotten += SeatLog.objects.filter(pk__in=batch).delete()[0]
        if len(batch) < LOGS_PER_BATCH:
            break
    return forgotten


def _with_little_stderr(log: Document) -> Document:
    written = log["stderr_tail"].encode(errors="surrogatepass")
    if len(written) <= KEPT_STDERR:
        return log
    kept = written[-KEPT_STDERR:].decode(errors="ignore")
    return log | {"stderr_tail": f"[cut here: only the last {KEPT_STDERR >> 10} KiB are kept]\n{kept}"}


def _without_answers(log: Document) -> Document:
    decisions: list[dict[str, Any]] = [decision | {"answer": None} for decision in log["decisions"]]
    return log | {"decisions": decisions}
