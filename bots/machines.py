"""The sandbox self-tests of all machines: reported by workers when they start, read by pages.

A worker's own self-test decides what it plays; the stored results are only for display.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from threading import Thread
from time import monotonic
from types import SimpleNamespace
from typing import Any, Final

from django.db import DatabaseError, InterfaceError, connection
from django.db.models.functions import Now
from django.utils import timezone

from bots.executables import LIBRARIES
from bots.languages import LANGUAGES, Language
from bots.models import Machine
from bots.sandbox import SelfTest, self_test
from bots.sandbox.proof import RETRY_S
from bots.sandbox.status import document

logger = logging.getLogger(__name__)

_known = SimpleNamespace(test=None, told_s=0.0)
"""The self-test that this process reported last, or else the first one that it made, and the time of that."""

TELL_EVERY_S: Final = 3600.0
"""How often a process whose sandbox holds reports again while it has work."""

GONE_AFTER: Final = timedelta(days=1)
"""A machine that has not reported for this long has no workers, unless no machine has: then the site is idle."""


class Sandbox(StrEnum):
    """The public state of the sandbox: whether untrusted code runs, and whether its games may be rated.

    ``UNKNOWN``: no worker has reported yet.
    """

    HOLDS = "holds"
    UNRATED = "unrated"
    FAILS = "fails"
    UNKNOWN = "unknown"


def tell() -> None:
    """Run the self-test of this process if necessary, and store the result."""
    test = self_test()
    report = document(test)
    if not report["ok"]:
        logger.error("uploaded bots cannot run on this machine: %s %s", report["problem"], report["remedy"])
    elif not report["rated"]:
        logger.warning("sandbox is limited to unrated games: %s %s", report["problem"], report["remedy"])
    write_down(report)
    _known.test, _known.told_s = test, monotonic()


def current_test() -> SelfTest:
    """Return the current self-test of this process, and write it down if it is new or was last written long ago.

    :func:`one_may_be_repaired` uses the time when it was written.
    """
    test = self_test()
    if test != _known.test:
        tell()
    elif monotonic() > _known.told_s + (TELL_EVERY_S if test.rated else RETRY_S):
        write_down(document(test))
        _known.told_s = monotonic()
    return test


def one_may_be_repaired() -> bool:
    """Whether a machine with workers reported a failing or unrated-only sandbox more than ``RETRY_S`` ago.

    Workers notice a repair only when they have something to do (:func:`current_test`).
    """
    machines = Machine.objects.filter(told__lt=Now() - timedelta(seconds=RETRY_S), told__gt=Now() - GONE_AFTER)
    return not all(machine.sandbox.get("rated", False) for machine in machines)


def write_down(report: Mapping[str, Any]) -> None:
    """Store the result ``report`` (``bots.sandbox.status``) for this machine."""
    host = socket.gethostname()
    Machine.objects.update_or_create(host=host, defaults={"sandbox": dict(report), "told": Now()})


def tell_beside(**_: Any) -> None:
    """Run ``tell`` in a separate thread, so that it does not delay the start of a worker.

    An unreachable database is only logged.
    """
    Thread(target=_tell_if_possible, name="sandbox-self-test", daemon=True).start()


def offered_libraries() -> frozenset[str]:
    """Return the libraries that every machine with a working sandbox offers to executables.

    Before a machine has reported, these are the documented ones.
    """
    offered = [frozenset(report["libraries"]) for report in _reports() if report["ok"] and report.get("libraries")]
    return frozenset.intersection(*offered) if offered else frozenset(LIBRARIES)


def offered_languages() -> frozenset[str]:
    """Return the names of the languages whose bots run on every machine with a working sandbox.

    Before a machine has reported, and on machines that report none, these are the languages without a runtime.
    """
    always = frozenset(each.name for each in LANGUAGES.values() if each.runtime is None)
    offered = [frozenset(report.get("languages", always)) for report in _reports() if report["ok"]]
    return frozenset.intersection(*offered) if offered else always


@dataclass(frozen=True)
class InstalledLanguage:
    """A language with the versions on the workers' machines; empty strings if unknown."""

    language: Language
    version: str
    numpy: str


def installed_languages() -> list[InstalledLanguage]:
    """Return the languages of uploads with the versions of all machines with a working sandbox. Two queries."""
    sandboxes = [machine.sandbox for machine in Machine.objects.all() if machine.sandbox["ok"]]
    offered = offered_languages()

    def versions(name: str) -> str:
        told = (sandbox.get("languages", {}).get(name) or sandbox.get(name, "") for sandbox in sandboxes)
        return ", ".join(sorted(set(filter(None, told))))

    return [
        InstalledLanguage(each, versions(each.name), versions("numpy") if each.name == "python" else "")
        for each in LANGUAGES.values()
        if each.name in offered
    ]


def _reports() -> list[dict[str, Any]]:
    """Return the results of the machines that have reported lately, or of all machines if none has."""
    machines = list(Machine.objects.all())
    lately = [machine for machine in machines if machine.told > timezone.now() - GONE_AFTER]
    return [machine.sandbox for machine in lately or machines]


def sandbox_state() -> Sandbox:
    """Return the state of the sandbox over all machines."""
    reports = _reports()
    if not reports:
        return Sandbox.UNKNOWN
    if any(report["ok"] and report.get("rated", False) for report in reports):
        return Sandbox.HOLDS
    return Sandbox.UNRATED if any(report["ok"] for report in reports) else Sandbox.FAILS


def uploads_play_rated() -> bool:
    """Whether rated games may include uploaded bots: a machine can play them, or no worker has reported yet."""
    return sandbox_state() in (Sandbox.HOLDS, Sandbox.UNKNOWN)


def _tell_if_possible() -> None:
    try:
        tell()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("sandbox status of this machine not stored: %s", error)
    finally:
        connection.close()
