"""The languages and versions on this machine, and the state of the sandbox."""

from __future__ import annotations

import logging
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final

import orjson

from bots.languages import LANGUAGES
from bots.protocol import Limits
from bots.runner.channel import PolledChannel
from bots.runner.launcher import PlatformFailure
from bots.sandbox.code import Code
from bots.sandbox.interpreter import packages
from bots.sandbox.memory import profile
from bots.sandbox.observation import PROBE, first_line
from bots.sandbox.proof import SelfTest, sandbox, self_test
from bots.sandbox.root import libraries
from bots.sandbox.sandbox_launcher import SandboxLauncher, find_bubblewrap

# --- Languages -------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

_NUMERIC: Final = Code(PROBE, "numeric.py", (), "")


@dataclass(frozen=True)
class LanguageStatus:
    """A language on this machine. ``memory_mb`` is the enforced limit of memory in MiB.

    ``version`` is the interpreter's, empty for a language without one; ``numpy`` is empty if not installed. Both are
    empty without a working sandbox.
    """

    name: str
    title: str
    about: str
    version: str
    numpy: str
    memory_mb: int

    def document(self) -> dict[str, Any]:
        """Return the language as JSON values."""
        return asdict(self)


def offers() -> tuple[LanguageStatus, ...]:
    """Return all languages on this machine. The versions are detected once, inside a working sandbox."""
    launcher, test = sandbox()
    numpy = numpy_inside(launcher) if launcher is not None else ""
    memory_mb = Limits().memory_mb
    return tuple(
        LanguageStatus(
            each.name,
            each.title,
            each.about,
            test.python_version if each.is_interpreted else "",
            numpy if each.is_interpreted else "",
            memory_mb,
        )
        for each in LANGUAGES.values()
    )


@cache
def numpy_inside(launcher: SandboxLauncher) -> str:
    """Return the version of NumPy that works inside the sandbox and its memory limit; empty if none does."""
    if not packages():
        return ""
    try:
        process = launcher.start_code(_NUMERIC, Limits())
    except PlatformFailure as failure:
        logger.warning("cannot check numpy for bots: %s", failure)
        return ""
    channel = PolledChannel(process)
    try:
        channel.send(b"{}\n")
        version = _version(first_line(channel))
        process.stop()
    except PlatformFailure as failure:
        logger.warning("cannot check numpy for bots: %s", failure)
        return ""
    finally:
        channel.close()
    if not version:
        logger.warning("numpy for bots in %s does not work: %s", packages(), channel.stderr_tail()[-500:])
    return version


def _version(line: bytes | None) -> str:
    try:
        document = orjson.loads(line or b"")
    except orjson.JSONDecodeError:
        return ""
    return str(document.get("numpy", "")) if isinstance(document, dict) else ""


# --- The sandbox -----------------------------------------------------------------------------------------------------

_PATIENCE_S: Final = 5.0


def status() -> dict[str, Any]:
    """Return the result of the self-test and the versions of the sandbox's components as JSON values.

    ``ok``, ``rated``, ``problem`` and ``remedy`` are those of :class:`SelfTest`; ``checks`` has ``name`` and
    ``problem`` of each property (empty if it holds); ``kernel``, ``bubblewrap``, ``python`` and ``numpy`` are versions,
    empty if missing; ``libraries`` are those that executables can be linked to; ``memory`` is how memory is
    bounded, ``"group"`` or ``"watcher"`` (empty if ``ok`` is false); ``users`` is true if each seat has its
    own user, as under root.
    """
    return document(self_test())


def document(test: SelfTest) -> dict[str, Any]:
    """Like ``status``, for a given self-test of this process."""
    launcher = sandbox()[0] if test.ok else None
    return {
        "ok": test.ok,
        "rated": test.rated,
        "problem": test.problem,
        "remedy": test.remedy,
        "checks": [{"name": check.name, "problem": check.problem} for check in test.checks],
        "kernel": platform.release(),
        "bubblewrap": bubblewrap_version(),
        "python": test.python_version,
        "libraries": libraries(launcher.root) if launcher is not None else [],
        "numpy": next((offer.numpy for offer in offers() if offer.numpy), "") if test.ok else "",
        "memory": profile() if test.ok else "",
        "users": hasattr(os, "geteuid") and os.geteuid() == 0,
    }


def bubblewrap_version() -> str:
    """Return the version from ``bwrap --version``; empty if it cannot be run."""
    try:
        command = [str(find_bubblewrap()), "--version"]
        output = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False).stdout
    except (PlatformFailure, OSError, subprocess.TimeoutExpired):
        return ""
    return output.strip().removeprefix("bubblewrap ")
