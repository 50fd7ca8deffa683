"""What is done for one of many must not hold up the others when it fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError

Done = TypeVar("Done")


def apart(do: Callable[[], Done], otherwise: Done, log: logging.Logger, failed: str, *args: object) -> Done:
    """What ``do`` gives; ``otherwise``, with ``failed`` in ``log``, where it raises.

    Raises only what a lost database raises: that is not the fault of the one.
    """
    try:
        return do()
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception(failed, *args)
        return otherwise
