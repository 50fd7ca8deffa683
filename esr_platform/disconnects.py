"""What a lost connection to the database means: try again, or stop. Other failures are isolated."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

from django.db import InterfaceError, OperationalError, connection

PATIENCE_S: Final = 20.0
"""How long a database may be away. It is shorter than a lease, so a lease that waited for it is still valid."""

PAUSE_S: Final = 0.1
"""Pause between two tries."""

DISCONNECTED: Final = (OperationalError, InterfaceError)
"""What Django raises for a database that is out of reach, and for one that is busy for too long."""

logger = logging.getLogger(__name__)

Done = TypeVar("Done")


def retry_on_disconnect(do: Callable[[], Done], patience_s: float = PATIENCE_S, pause_s: float = PAUSE_S) -> Done:
    """Return what ``do`` returns; after a lost connection try again with a new one for ``patience_s`` seconds.

    ``do`` must be one transaction that is safe to repeat, since it is unknown whether the lost one was committed. There
    is always a second try, however long the first one waited for a lock. Raises the error of the last try, and the
    first error at once inside a transaction, which cannot be continued.
    """
    until: float | None = None
    while True:
        try:
            return do()
        except DISCONNECTED as error:
            if connection.in_atomic_block or (until is not None and time.monotonic() > until):
                raise
            until = until or time.monotonic() + patience_s
            logger.warning("the database was lost, once more: %s", error)
            connection.close()
            time.sleep(pause_s)


def run_isolated(do: Callable[[], Done], default: Done, log: logging.Logger, failed: str, *args: object) -> Done:
    """Return what ``do`` returns, or ``default`` if it raises; the message ``failed`` is then logged.

    So one broken row cannot stop a loop over many. Raises only ``DISCONNECTED``: a lost database is not the fault of
    one row.
    """
    try:
        return do()
    except DISCONNECTED:
        raise
    except Exception:
        log.exception(failed, *args)
        return default
