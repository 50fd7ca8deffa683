"""The stored schedules of open cups: the tables of their further rounds, and how long these are expected to take.

A schedule is computed when a bot enters or leaves before the start. A worker computes it again when the entrants change
in another way, when a round ends, and before the start also when it is old.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone

from bots.tournaments.ledger import canonical
from ladder.cups.durations import correction, pace_of, planned_tables
from ladder.models import Cup, CupEntry, CupRound, CupSchedule

OLD: Final = timedelta(minutes=10)
"""The age at which a schedule before the start is computed again, because the throughput changes."""

logger = logging.getLogger(__name__)


def update_due() -> int:
    """Update the schedules of open cups that are due. Return their number."""
    count = 0
    for cup in Cup.objects.filter(state__in=Cup.OPEN).select_related("ladder", "schedule").order_by("pk"):
        try:
            count += update(cup)
        except Exception:  # the other cups must not wait for this one
            logger.exception("no schedule of cup %s", cup.pk)
    return count


def update(cup: Cup) -> bool:
    """Update the schedule of a cup if it is due, and return whether it was."""
    ended = CupRound.objects.filter(cup=cup, ended__isnull=False).count()
    bots = list(playing(cup).order_by("pk").values_list("bot", flat=True))
    basis = sha256(canonical([ended, bots])).hexdigest()
    last, now = getattr(cup, "schedule", None), timezone.now()
    if last and last.basis == basis and (cup.state == Cup.State.RUNNING or last.computed > now - OLD):
        return False
    size = CupEntry.objects.filter(cup=cup, number__isnull=False).count() if cup.entrants_hash else len(bots)
    pace, tables = pace_of(cup), planned_tables(cup.format, cup.ladder.seats, size, cup.rounds)
    values: dict[str, Any] = {"tables": tables[ended:], "round_s": None, "full_s": None}
    if pace and tables:
        rounds_s = pace.rounds_s(cup, size, bots)
        factor = correction(cup, rounds_s)
        values["round_s"] = [factor * round_s for round_s in rounds_s[ended:]]
    if pace and not cup.entrants_hash:
        values["full_s"] = sum(pace.rounds_s(cup, cup.capacity))
    CupSchedule.objects.update_or_create(cup=cup, defaults={"rounds": ended, "basis": basis, "computed": now, **values})
    return True


def playing(cup: Cup) -> QuerySet[CupEntry]:
    """The entries whose bots will play: before the deadline, those with an active version."""
    entries = CupEntry.objects.filter(cup=cup, state=CupEntry.State.ENTERED)
    return entries if cup.entrants_hash else entries.filter(bot__versions__active=True)
