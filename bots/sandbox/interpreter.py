"""The Python interpreter of bots, which can differ from the platform's interpreter."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from bots.runner.launcher import PlatformFailure
from bots.sandbox.bubblewrap import ENVIRONMENT
from bots.sandbox.code import Code

#: ESR_BOT_PYTHON: Python interpreter that runs bots. Default: Python 3 in `/usr`, if there is one.
VARIABLE: Final = "ESR_BOT_PYTHON"
"""The environment variable with the path of another interpreter."""

#: ESR_BOT_PACKAGES: Packages that bots can import, separated by commas. Default: `numpy`.
PACKAGES: Final = "ESR_BOT_PACKAGES"
"""The environment variable with the packages available to bots, separated by commas (default: numpy)."""

OPTIONS: Final = ("-S", "-E", "-s", "-B", "-X", "utf8")
"""No site packages, environment, user folder or caches, for a fast start; UTF-8 also on Windows."""

OPTIONS_WITH_PACKAGES: Final = tuple(option for option in OPTIONS if option != "-E")
"""The options for code that can import packages, which Python finds by its environment."""


@cache
def bots_interpreter() -> Path:
    """Return the configured Python, else one under ``/usr``, else ``sys.executable``.

    Raises ``PlatformFailure`` if the configured path is not executable.
    """
    named = os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise PlatformFailure(f"{VARIABLE} is set to {named}, which is not executable")
        return Path(named).resolve()
    return next(_candidates()).resolve()


@cache
def packages() -> tuple[Path, ...]:
    """Return the folders and modules of the packages available to bots, all in one folder; may be empty."""
    python = bots_interpreter()
    prefix, version = python.parent.parent, python.name
    wanted = [name.strip() for name in os.environ.get(PACKAGES, "numpy").split(",") if name.strip()]
    names = [each for name in wanted for each in (name, f"{name}.libs", f"{name}.py")]
    for place in (f"local/lib/{version}/dist-packages", "lib/python3/dist-packages", f"lib/{version}/site-packages"):
        places = tuple(prefix / place / name for name in names if (prefix / place / name).exists())
        if places:
            return places
    return ()


def environment(library: str | Path) -> dict[str, str]:
    """Return additional environment variables for code that imports packages.

    ``library`` is the folder that contains the package ``games``, as the code sees it. The variable ``PYTHONPATH`` does
    not slow down the start; the module ``site`` would take some milliseconds.
    """
    bundled = packages()
    if not bundled:
        return {"PYTHONPATH": str(library)}
    return {
        "PYTHONPATH": os.pathsep.join([str(library), str(bundled[0].parent)]),
        **{name: ENVIRONMENT[name] for name in ENVIRONMENT if "_THREADS" in name},
    }


def command(code: Code, folder: Path) -> list[str]:
    """Return the command line that runs ``code`` from ``folder``, which contains its files."""
    if code.is_python:
        options = OPTIONS_WITH_PACKAGES if code.imports_packages else OPTIONS
        return [str(bots_interpreter()), *options, code.entry, *code.args]
    return [str(folder / code.entry), *code.args]


def _candidates() -> Iterator[Path]:
    for folder in ("/usr/bin", "/usr/local/bin"):
        for name in ("python3", "python3.14", "python3.13", "python3.12", "python3.11"):
            path = Path(folder, name)
            if os.access(path, os.X_OK) and _is_new_enough(path.resolve().name):
                yield path
    yield Path(
        getattr(sys, "_base_executable", sys.executable)
    )  # the one of a virtual environment may be only a launcher


def _is_new_enough(name: str) -> bool:
    version = name.removeprefix("python").split(".")
    return len(version) == 2 and all(word.isdigit() for word in version) and [int(word) for word in version] >= [3, 11]
