"""What each machine's workers say about the sandbox there: told by them when they start, read by the site's pages.

A worker's own self-test decides what it plays; what is written here decides nothing.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Mapping
from enum import StrEnum
from threading import Thread
from typing import Any

from django.db import DatabaseError, InterfaceError, connection
from django.db.models.functions import Now

from bots.models import Machine
from bots.sandbox.status import status

logger = logging.getLogger(__name__)


class Sandbox(StrEnum):
    """What everybody may know: whether code of strangers runs. ``UNKNOWN``: no worker has said anything yet."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"


def tell() -> None:
    """Do this process's self-test, if it was not done yet, and write down what came out."""
    found = status()
    if not found["ok"]:
        logger.error("code of strangers does not run here: %s %s", found["problem"], found["remedy"])
    write_down(found)


def write_down(found: Mapping[str, Any]) -> None:
    """Keep what was ``found`` (``bots.sandbox.status``) on this machine, in the place of what was known of it."""
    host = socket.gethostname()
    Machine.objects.update_or_create(host=host, defaults={"sandbox": dict(found), "told": Now()})


def tell_beside(**_: Any) -> None:
    """The same from a thread of its own, for a worker that is just starting and has to say so soon.

    A database out of reach stops nothing: without it nothing is played either.
    """
    Thread(target=_tell_if_possible, name="self-test of the sandbox", daemon=True).start()


def sandbox_state() -> Sandbox:
    """Whether there is a machine that plays everybody's code."""
    told = [machine.sandbox["ok"] for machine in Machine.objects.all()]
    if not told:
        return Sandbox.UNKNOWN
    return Sandbox.HOLDS if any(told) else Sandbox.FAILS


def _tell_if_possible() -> None:
    try:
        tell()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("nobody hears how the sandbox of this machine stands: %s", error)
    finally:
        connection.close()
