"""Keeps a lease while something long runs beside it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.db import DatabaseError, InterfaceError, connection

from ladder.leases import RENEW_EVERY_S, Lease, renew

logger = logging.getLogger(__name__)


@contextmanager
def renewed(lease: Lease, every_s: float = RENEW_EVERY_S) -> Iterator[None]:
    """Renew ``lease`` every ``every_s`` seconds from a thread of its own, with a database connection of its own."""
    stop = Event()
    thread = Thread(
        target=_renew_until, args=(stop, lease, every_s), name=f"lease of match {lease.match_id}", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _renew_until(stop: Event, lease: Lease, every_s: float) -> None:
    try:
        while not stop.wait(every_s):
            if not _renewed_or_out_of_reach(lease):
                logger.warning("match %s is not ours any more; its result will be refused", lease.match_id)
                return
    finally:
        connection.close()


def _renewed_or_out_of_reach(lease: Lease) -> bool:
    """A database out of reach is no lost lease: the next beat, or the result itself, may still come in time."""
    try:
        return renew(lease)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("could not renew the lease of match %s: %s", lease.match_id, error)
        connection.close()
        return True
