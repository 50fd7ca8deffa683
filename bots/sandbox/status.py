"""The languages and versions on this machine, and the state of the sandbox."""

from __future__ import annotations

import logging
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from math import inf
from threading import Lock
from time import monotonic
from typing import Any, Final

import orjson

from bots.languages import Language
from bots.protocol import Limits
from bots.runner.channel import PolledChannel
from bots.runner.launcher import PlatformFailure
from bots.sandbox.code import Code
from bots.sandbox.interpreter import offered_languages, packages, version_in
from bots.sandbox.memory import profile
from bots.sandbox.observation import first_line
from bots.sandbox.proof import RETRY_S, SelfTest, sandbox, self_test
from bots.sandbox.root import libraries
from bots.sandbox.sandbox_launcher import PROBE, SandboxLauncher, find_bubblewrap

# --- Languages -------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

_DETECTING: Final = Lock()
_NUMERIC: Final = Code(PROBE, "numeric.py", (), "")


@dataclass(frozen=True)
class LanguageStatus:
    """A language on this machine. ``memory_mb`` is the limit of memory in MiB.

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
    """Return the languages on this machine. Their versions are detected once, inside a working sandbox.

    Languages with a runtime that does not work in the sandbox are omitted.
    """
    launcher, test = sandbox()
    found = []
    for each in offered_languages():
        version = numpy = ""
        if each.runtime is not None:
            version = version_inside(launcher, each) if launcher is not None else ""
            if not version:
                continue
        elif each.is_interpreted:
            version, numpy = test.python_version, numpy_inside(launcher) if launcher is not None else ""
        found.append(LanguageStatus(each.name, each.title, each.about, version, numpy, Limits().memory_mb))
    return tuple(found)


_versions: Final[dict[tuple[SandboxLauncher, str], tuple[str, float]]] = {}
"""The version of a runtime inside a sandbox, empty if it did not start, and when that was tried."""


def version_inside(launcher: SandboxLauncher, language: Language) -> str:
    """Return the version that a runtime prints inside the sandbox and its limits; empty if it does not start.

    A version is detected once. A failure is repeated after ``RETRY_S``, because the host may have been busy or full.
    """
    with _DETECTING:
        version, tried_s = _versions.get((launcher, language.name), ("", -inf))
        if not version and monotonic() > tried_s + RETRY_S:
            version = _printed_version(launcher, language)
            _versions[launcher, language.name] = version, monotonic()
        return version


def _printed_version(launcher: SandboxLauncher, language: Language) -> str:
    try:
        process = launcher.start_version(language, Limits())
    except PlatformFailure as failure:
        logger.warning("cannot offer bots in %s: %s", language.title, failure)
        return ""
    channel = PolledChannel(process)
    try:
        version = version_in((first_line(channel) or b"").decode("ascii", "replace"))
        process.stop()
    except PlatformFailure as failure:
        logger.warning("cannot offer bots in %s: %s", language.title, failure)
        return ""
    finally:
        channel.close()
    if not version:
        logger.warning(
            "cannot offer bots in %s, their runtime failed: %s", language.title, channel.stderr_tail()[-500:]
        )
    return version


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
    empty if missing; ``languages`` are the versions of all offered languages by name; ``libraries`` are those that
    executables can be linked to; ``memory`` is how memory is bounded, ``"group"`` or ``"watcher"`` (empty if ``ok`` is
    false); ``users`` is true if each seat has its own user, as under root.
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
        "languages": {offer.name: offer.version for offer in offers()} if test.ok else {},
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
