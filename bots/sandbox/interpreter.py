"""Which Python runs the bots. It is a setting of its own: the platform's interpreter may lie where no bot can read."""

from __future__ import annotations

import os
import subprocess
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
_FIND_NUMPY: Final = """\
import importlib.util, os
found = importlib.util.find_spec("numpy")
print(os.path.dirname(os.path.dirname(found.origin)) if found and found.origin else "")
"""
_PATIENCE_S: Final = 10.0


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
    """The folder in which the bots' interpreter finds numpy; ``None`` if it has none, or where no bot could read it."""
    interpreter = bots_interpreter()
    ask = [str(interpreter.path), "-E", "-s", "-B", "-c", _FIND_NUMPY]
    try:
        said = subprocess.run(ask, cwd="/", capture_output=True, text=True, timeout=_PATIENCE_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    folder = Path(said.strip() or "/").resolve()
    return folder if folder.is_relative_to(interpreter.prefix or "/usr") else None


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
