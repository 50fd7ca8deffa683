"""What each machine's workers say about the sandbox there: told by them when they start, read by the site's pages.

A worker's own self-test decides what it plays; what is written here decides nothing.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Mapping
from enum import StrEnum
from threading import Thread
from types import SimpleNamespace
from typing import Any

from django.db import DatabaseError, InterfaceError, connection
from django.db.models.functions import Now

from bots.models import Machine
from bots.sandbox import SelfTest, self_test
from bots.sandbox.status import document

logger = logging.getLogger(__name__)

_known = SimpleNamespace(test=None)
"""The self-test that this process has told of last, or found when it was asked first."""


class Sandbox(StrEnum):
    """What everybody may know: whether code of strangers runs, and whether its games may be rated.

    ``UNKNOWN``: no worker has said anything yet.
    """

    HOLDS = "holds"
    UNRATED = "unrated"
    FAILS = "fails"
    UNKNOWN = "unknown"


def tell() -> None:
    """Do this process's self-test, if it was not done yet, and write down what came out."""
    test = self_test()
    found = document(test)
    if not found["ok"]:
        logger.error("code of strangers does not run here: %s %s", found["problem"], found["remedy"])
    elif not found["rated"]:
        logger.warning("%s %s", found["problem"], found["remedy"])
    write_down(found)
    _known.test = test


def current_test() -> SelfTest:
    """How the sandbox of this process stands now. If that is not what was told of it last, it is told."""
    test = self_test()
    if _known.test not in (None, test):
        tell()
    _known.test = test
    return test


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
    told = [machine.sandbox for machine in Machine.objects.all()]
    if not told:
        return Sandbox.UNKNOWN
    if any(found["ok"] and found.get("rated", False) for found in told):
        return Sandbox.HOLDS
    return Sandbox.UNRATED if any(found["ok"] for found in told) else Sandbox.FAILS


def _tell_if_possible() -> None:
    try:
        tell()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("nobody hears how the sandbox of this machine stands: %s", error)
    finally:
        connection.close()
