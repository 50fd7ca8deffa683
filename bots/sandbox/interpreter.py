"""Which Python runs the bots. It is a setting of its own: the platform's interpreter may lie where no bot can read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from bots.runner.failures import PlatformFailure
from bots.sandbox.bubblewrap import ENVIRONMENT
from bots.sandbox.code import Code

VARIABLE: Final = "ESR_BOT_PYTHON"
"""The environment variable that names another interpreter, by its path."""

OPTIONS: Final = ("-S", "-E", "-s", "-B", "-X", "utf8")
"""No site packages, no environment, no user folder, no caches: a start is mostly imports. UTF-8, on Windows too."""

_OPTIONS_WITH_PACKAGES: Final = tuple(option for option in OPTIONS if option != "-E")


@dataclass(frozen=True)
class Interpreter:
    """A Python and the folder besides ``/usr`` that it needs, if any."""

    path: Path
    prefix: Path | None


@cache
def bots_interpreter() -> Interpreter:
    """The Python that is set, else one under ``/usr``, else our own. ``PlatformFailure`` if what is set is none."""
    named = os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise PlatformFailure(f"{VARIABLE} names {named}, which cannot be executed")
        return _at(Path(named))
    return _at(next(_candidates()))


@cache
def packages() -> Path | None:
    """The folder in which the bots' interpreter would find numpy; ``None`` if there is none that a bot could read."""
    python = bots_interpreter().path
    prefix, version = python.parent.parent, python.name
    places = (f"local/lib/{version}/dist-packages", "lib/python3/dist-packages", f"lib/{version}/site-packages")
    return next((prefix / place for place in places if (prefix / place / "numpy" / "__init__.py").is_file()), None)


def environment(code: Code) -> dict[str, str]:
    """What ``code`` is told in its environment besides what every bot is: nothing, or where its packages are.

    Finding them by this costs nothing at a start; ``site``, which would find them too, costs some milliseconds.
    """
    folder = packages() if code.is_python and not code.compiled else None
    if folder is None:
        return {}
    return {"PYTHONPATH": str(folder), **{name: ENVIRONMENT[name] for name in ENVIRONMENT if "_THREADS" in name}}


def command(code: Code, folder: Path) -> list[str]:
    """The command line that runs ``code`` from ``folder``, where its files are."""
    if code.is_python:
        options = _OPTIONS_WITH_PACKAGES if environment(code) else OPTIONS
        return [str(bots_interpreter().path), *options, code.entry, *code.args]
    return [str(folder / code.entry), *code.args]


def _candidates() -> Iterator[Path]:
    for folder in ("/usr/bin", "/usr/local/bin"):
        for name in ("python3", "python3.14", "python3.13", "python3.12", "python3.11"):
            path = Path(folder, name)
            if os.access(path, os.X_OK) and _is_new_enough(path.resolve().name):
                yield path
    yield Path(getattr(sys, "_base_executable", sys.executable))  # a virtual environment's may be a mere starter of it


def _is_new_enough(name: str) -> bool:
    version = name.removeprefix("python").split(".")
    return len(version) == 2 and all(word.isdigit() for word in version) and [int(word) for word in version] >= [3, 11]


def _at(path: Path) -> Interpreter:
    real = path.resolve()
    if real.is_relative_to("/usr"):
        return Interpreter(real, None)
    prefix = real.parent.parent
    if prefix == Path("/"):
        raise PlatformFailure(f"{real} lies so that bots would see the whole disk; name another Python in {VARIABLE}")
    return Interpreter(real, prefix)
