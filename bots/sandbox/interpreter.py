"""The programs of the host that run bots: a Python, which can differ from the platform's, and other runtimes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from bots.languages import LANGUAGES, Language
from bots.runner.launcher import PlatformFailure
from bots.sandbox.bubblewrap import ENVIRONMENT
from bots.sandbox.code import Code

#: ESR_BOT_PYTHON: Python interpreter that runs bots. Default: Python 3 in `/usr`, if there is one.
VARIABLE: Final = "ESR_BOT_PYTHON"
"""The environment variable with the path of another interpreter."""

#: ESR_BOT_PACKAGES: Packages that bots can import, separated by commas. Default: `numpy`.
PACKAGES: Final = "ESR_BOT_PACKAGES"
"""The environment variable with the packages available to bots, separated by commas (default: numpy)."""

#: ESR_BOT_LANGUAGES: Languages of bots, separated by commas. Default: all whose runtime is installed in `/usr`.
LANGUAGES_VARIABLE: Final = "ESR_BOT_LANGUAGES"
"""The environment variable with the languages of bots, separated by commas."""

_VERSION: Final = re.compile(r"\d+(?:\.\d+)+|\d+")
_PATIENCE_S: Final = 10

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


def command(code: Code, folder: Path, memory_mb: int) -> list[str]:
    """Return the command line that runs ``code`` from ``folder``, which contains its files.

    ``memory_mb`` is its limit of memory in MiB. Raises ``PlatformFailure`` if this machine lacks the runtime.
    """
    language = code.language
    if language.runtime is not None:
        runtime = language.runtime
        options = *runtime.options(memory_mb), *runtime.before_entry
        return [str(program_of(language)), *options, code.entry, *code.args]
    if language.is_interpreted:
        options = OPTIONS_WITH_PACKAGES if code.imports_packages else OPTIONS
        return [str(bots_interpreter()), *options, code.entry, *code.args]
    return [str(folder / code.entry), *code.args]


# --- Other runtimes --------------------------------------------------------------------------------------------------


def program_of(language: Language) -> Path:
    """Return the program that runs the bots of ``language``: one under ``/usr``, or else the one on the path.

    Raises ``PlatformFailure`` if it is not installed.
    """
    assert language.runtime is not None
    name = language.runtime.program
    found = shutil.which(name, path="/usr/bin:/usr/local/bin") or shutil.which(name)
    if found is None:
        raise PlatformFailure(
            f"bots in {language.title} need {language.runtime.title} (the program {name}), which is not installed;"
            f" on Debian and Ubuntu, install the package {language.runtime.package}"
        )
    return Path(found).resolve()


def version_in(printed: str) -> str:
    """Return the version in the output of a runtime, such as ``17.0.15``; empty if it contains no version."""
    found = _VERSION.search(printed)
    return found[0] if found else ""


def version_outside(language: Language) -> str:
    """Return the version of a runtime as a plain process; empty if it does not run, or for other languages."""
    if language.runtime is None:
        return ""
    try:
        command = [str(program_of(language)), *language.runtime.version]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (PlatformFailure, OSError, subprocess.TimeoutExpired):
        return ""
    return version_in(done.stdout)


def offered_languages() -> tuple[Language, ...]:
    """Return the languages whose bots this machine runs: those of the setting, if their runtime is under ``/usr``."""
    named = os.environ.get(LANGUAGES_VARIABLE)
    wanted = LANGUAGES if named is None else [name.strip() for name in named.split(",")]
    return tuple(each for each in LANGUAGES.values() if each.name in wanted and _is_installed(each))


def _is_installed(language: Language) -> bool:
    try:
        return language.runtime is None or program_of(language).is_relative_to("/usr")
    except PlatformFailure:
        return False


# --- Python ----------------------------------------------------------------------------------------------------------


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
