"""Keeps a lease while something long runs beside it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial

from bots.beating import beating
from ladder.leases import RENEW_EVERY_S, Lease, renew


def renewed(lease: Lease, every_s: float = RENEW_EVERY_S) -> AbstractContextManager[None]:
    """Renew ``lease`` every ``every_s`` seconds from a thread of its own, with a database connection of its own."""
    return beating(partial(renew, lease), f"match {lease.match_id}", every_s)
