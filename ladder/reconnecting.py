"""Does what is safe to do twice once more when the database was lost under it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

PATIENCE_S: Final = 20.0
"""How long a database may be away: shorter than a lease, so that what waits for it is still ours when it is back."""

_PAUSE_S: Final = 0.1

Done = TypeVar("Done")


def through_a_loss(do: Callable[[], Done], patience_s: float = PATIENCE_S) -> Done:
    """What ``do`` gives; tried again with a new connection for ``patience_s`` once the database is out of reach.

    ``do`` must be one transaction that is safe to repeat: whether the lost one was committed cannot be known. However
    long the first try has waited for a lock, there is a second one. Raises what the database says after that time, and
    at once inside a transaction, which nobody can go on with.
    """
    until: float | None = None
    while True:
        try:
            return do()
        except (OperationalError, InterfaceError) as error:
            if connection.in_atomic_block or (until is not None and time.monotonic() > until):
                raise
            until = until or time.monotonic() + patience_s
            logger.warning("the database was lost, once more: %s", error)
            connection.close()
            time.sleep(_PAUSE_S)
