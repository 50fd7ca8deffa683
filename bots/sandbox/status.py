"""How the sandbox stands on this machine, as one document for whoever runs the site."""

from __future__ import annotations

import os
import platform
import subprocess
from typing import Any, Final

from bots.runner.failures import PlatformFailure
from bots.sandbox.offering import offers
from bots.sandbox.proving import SelfTest, self_test
from bots.sandbox.sandboxed import find_bubblewrap

_PATIENCE_S: Final = 5.0


def status() -> dict[str, Any]:
    """What this process's self-test found, and the versions of what the sandbox is made of, as JSON values.

    ``ok``, ``rated``, ``problem`` and ``remedy`` are those of :class:`SelfTest`; ``checks`` has ``name`` and
    ``problem`` of each property, the problem empty where it holds; ``kernel``, ``bubblewrap``, ``python`` and
    ``numpy`` are versions, empty if missing; ``users`` is true if each seat has its own user, as under root.
    """
    return document(self_test())


def document(test: SelfTest) -> dict[str, Any]:
    """The same for a self-test that was done elsewhere in this process."""
    return {
        "ok": test.ok,
        "rated": test.rated,
        "problem": test.problem,
        "remedy": test.remedy,
        "checks": [{"name": check.name, "problem": check.problem} for check in test.checks],
        "kernel": platform.release(),
        "bubblewrap": bubblewrap_version(),
        "python": test.python_version,
        "numpy": next((offer.numpy for offer in offers() if offer.numpy), "") if test.ok else "",
        "users": hasattr(os, "geteuid") and os.geteuid() == 0,
    }


def bubblewrap_version() -> str:
    """What ``bwrap --version`` says, without its name; empty where there is none that says anything."""
    try:
        command = [str(find_bubblewrap()), "--version"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False).stdout
    except (PlatformFailure, OSError, subprocess.TimeoutExpired):
        return ""
    return said.strip().removeprefix("bubblewrap ")
