"""Does the sandbox hold here? A probe is started as every bot is, and only what it sees from inside is believed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple

import bots
from bots.runner.failures import PlatformFailure
from bots.sandbox import bubblewrap
from bots.sandbox.interpreter import bots_interpreter, environment, packages
from bots.sandbox.judging import Check, judge_from_outside, judge_walls, judge_world
from bots.sandbox.limits import limit_values
from bots.sandbox.probing import CODE, LIMITS, NoAnswer, look_as_a_bot, look_without_a_filter
from bots.sandbox.remedies import remedy
from bots.sandbox.root import bots_library
from bots.sandbox.runtime import is_in_memory, runtime_folder
from bots.sandbox.sandboxed import SandboxLauncher

RETRY_S: Final = 30.0
"""The time until a self-test that found a problem is repeated."""

_ONE_AT_A_TIME: Final = Lock()
_PACKAGES: Final = {"site-packages", "dist-packages"}


@dataclass(frozen=True)
class SelfTest:
    """Whether uploaded code may run here, and whether its games may be ``rated``.

    If not, ``problem`` and ``remedy`` are sentences for the site's operator. ``checks`` are the single properties that
    were looked at, empty where the probe could not be started.
    """

    ok: bool
    rated: bool = False
    python_version: str = ""
    problem: str = ""
    remedy: str = ""
    checks: tuple[Check, ...] = ()


def sandbox() -> tuple[SandboxLauncher | None, SelfTest]:
    """The sandbox of this process and its self-test; ``None`` where it did not pass.

    What has passed is tested once. Otherwise it is tested again after ``RETRY_S``, so that a repair is noticed.
    """
    with _ONE_AT_A_TIME:  # whoever asks while the test runs waits for it
        found = _sandbox()
        if not _may_be_better(found):
            return found.launcher, found.test
        for known in (_sandbox, bots_interpreter, bots_library, packages):
            known.cache_clear()
        found = _sandbox()
        return found.launcher, found.test


def _may_be_better(found: _Tested) -> bool:
    """Whether another self-test could end better. One that only allows no rated games needs a file system in memory."""
    if found.test.rated or monotonic() < found.tested_s + RETRY_S:
        return False
    if not found.test.ok:
        return True
    try:
        return is_in_memory(runtime_folder())
    except PlatformFailure:
        return False


class _Tested(NamedTuple):
    launcher: SandboxLauncher | None
    test: SelfTest
    tested_s: float


@cache
def _sandbox() -> _Tested:
    try:
        launcher = SandboxLauncher()
    except PlatformFailure as failure:
        return _Tested(None, _failed(f"{failure}."), monotonic())
    test = prove(launcher)
    return _Tested(launcher if test.ok else None, test, monotonic())


def self_test() -> SelfTest:
    """The result of this process's last self-test."""
    return sandbox()[1]


def prove(launcher: SandboxLauncher) -> SelfTest:
    """Start the probe through ``launcher`` and judge what it sees; only this makes the launcher take uploaded code."""
    launcher.proved = False
    try:
        version, checks = _look(launcher)
    except PlatformFailure as failure:
        return _failed(f"The probe could not be started: {failure}.")
    except NoAnswer as said:
        return _failed(f"The probe did not answer from inside the sandbox: {said}.")
    leaks = [check.problem for check in checks if not check.ok and not check.for_ratings]
    if leaks:
        return _failed("The sandbox does not hold: " + "; ".join(leaks) + ".", checks)
    launcher.proved = True
    hints = [check.problem for check in checks if not check.ok]
    problem = f"Uploaded bots play no rated games here: {'; '.join(hints)}." if hints else ""
    return SelfTest(
        ok=True,
        rated=not hints,
        python_version=version,
        problem=problem,
        remedy=remedy(problem) if hints else "",
        checks=checks,
    )


def _look(launcher: SandboxLauncher) -> tuple[str, tuple[Check, ...]]:
    """The interpreter's version, and everything that the probe and the host see.

    Without the filter it is started only where it was well kept before: there it tries what must not happen outside.
    """
    seen, outside = look_as_a_bot(launcher, list(hidden_places()))
    told = {**bubblewrap.ENVIRONMENT, **environment(CODE)}
    checks = [
        *judge_world(seen, launcher.root, limit_values(LIMITS), told),
        *judge_from_outside(outside, (launcher.root, launcher.copy_of(CODE))),
    ]
    if all(check.ok or check.for_ratings for check in checks):
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
