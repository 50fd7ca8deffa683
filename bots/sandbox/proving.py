"""Does the sandbox hold here? A probe is started as every bot is, and only what it sees from inside is believed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

import bots
from bots.runner.failures import PlatformFailure
from bots.sandbox import bubblewrap
from bots.sandbox.interpreter import environment
from bots.sandbox.judging import Check, judge_from_outside, judge_walls, judge_world
from bots.sandbox.limits import limit_values
from bots.sandbox.probing import CODE, LIMITS, NoAnswer, look_as_a_bot, look_without_a_filter
from bots.sandbox.remedies import remedy
from bots.sandbox.runtime import runtime_folder
from bots.sandbox.sandboxed import SandboxLauncher

_ONE_AT_A_TIME: Final = Lock()
_PACKAGES: Final = {"site-packages", "dist-packages"}


@dataclass(frozen=True)
class SelfTest:
    """Whether uploaded code may run here; if not, ``problem`` and ``remedy`` are sentences for the site's operator.

    ``checks`` are the single properties that were looked at, empty where the probe could not be started.
    """

    ok: bool
    python_version: str = ""
    problem: str = ""
    remedy: str = ""
    checks: tuple[Check, ...] = ()


def sandbox() -> tuple[SandboxLauncher | None, SelfTest]:
    """The sandbox of this process and its self-test, done once; ``None`` where it did not pass."""
    with _ONE_AT_A_TIME:  # whoever asks while the test runs waits for it
        return _sandbox()


@cache
def _sandbox() -> tuple[SandboxLauncher | None, SelfTest]:
    try:
        launcher = SandboxLauncher()
    except PlatformFailure as failure:
        return None, _failed(f"{failure}.")
    test = prove(launcher)
    return (launcher if test.ok else None), test


def self_test() -> SelfTest:
    """The result of this process's self-test."""
    return sandbox()[1]


def forget() -> None:
    """Have the next who asks do the self-test again."""
    with _ONE_AT_A_TIME:
        _sandbox.cache_clear()


def prove(launcher: SandboxLauncher) -> SelfTest:
    """Start the probe through ``launcher`` and judge what it sees; only this makes the launcher take uploaded code."""
    launcher.proved = False
    try:
        version, checks = _look(launcher)
    except PlatformFailure as failure:
        return _failed(f"The probe could not be started: {failure}.")
    except NoAnswer as said:
        return _failed(f"The probe did not answer from inside the sandbox: {said}.")
    leaks = [check.problem for check in checks if not check.ok]
    if leaks:
        return _failed("The sandbox does not hold: " + "; ".join(leaks) + ".", checks)
    launcher.proved = True
    return SelfTest(ok=True, python_version=version, checks=checks)


def _look(launcher: SandboxLauncher) -> tuple[str, tuple[Check, ...]]:
    """The interpreter's version, and everything that the probe and the host see.

    Without the filter it is started only where it was well kept before: there it tries what must not happen outside.
    """
    seen, outside = look_as_a_bot(launcher, list(hidden_places()))
    told = {**bubblewrap.ENVIRONMENT, **environment(CODE)}
    checks = [
        *judge_world(seen, limit_values(LIMITS), told),
        *judge_from_outside(outside.shared_namespaces, is_root=outside.is_root, held=outside.held),
    ]
    if all(check.ok for check in checks):
        checks += judge_walls(look_without_a_filter(launcher))
    return str(seen["python"]), tuple(checks)


def hidden_places() -> Iterator[Path]:
    """Folders of the platform into which no bot may see: other bots' programs, its data, and what lies beside it."""
    yield runtime_folder()
    above = Path(bots.__file__).resolve().parent.parent
    if above.name not in _PACKAGES:
        yield above
    data = os.environ.get("VAR_DIR")
    if data:
        yield Path(data).resolve()


def _failed(problem: str, checks: tuple[Check, ...] = ()) -> SelfTest:
    return SelfTest(ok=False, problem=problem, remedy=remedy(problem), checks=checks)
