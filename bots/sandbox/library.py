"""The package ``games`` for bots: a copy of the platform's own one, without anything else of the platform.

Bots cannot write, so the copy contains all modules as the bots' interpreter compiles them. Otherwise, each process
would compile the modules that it imports.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import games
from bots.runner.launcher import PlatformFailure
from bots.sandbox.code import LAST_READ_S, WRITTEN_S
from bots.sandbox.interpreter import OPTIONS, bots_interpreter
from bots.sandbox.runtime import own_folder, runtime_folder
from bots.unused_copies import forget_unused, made_once

PLACE: Final = "/usr/lib/steinreich"
"""The folder in a bot's root that contains the copy, and nothing else."""

_PACKAGE: Final = Path(games.__file__).resolve().parent
_PATIENCE_S: Final = 60


def files() -> dict[str, Path]:
    """Return the files of the package by their path in the copy, such as ``games/rules.py``, in order.

    Of the compiled files it contains only the accelerator, ``native/*.so``, if it is there.
    """
    inside = {path.relative_to(_PACKAGE): path for path in _PACKAGE.rglob("*") if path.is_file()}
    return {
        f"games/{name.as_posix()}": path
        for name, path in sorted(inside.items())
        if (name.match("native/*.so") if name.parts[0] == "native" else "__pycache__" not in name.parts)
    }


def version() -> str:
    """Return a name for the copy, which changes with its files and with the interpreter that compiles them."""
    digest = sha256()
    status = bots_interpreter().stat()
    digest.update(f"{bots_interpreter()}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
    for name, path in files().items():
        data = path.read_bytes()
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def copy_into(folder: Path, shown: str) -> None:
    """Copy the package into ``folder``, which bots see as ``shown``, and compile it. Raises ``OSError``.

    All files get the same times, as those of bots.
    """
    for name, source in files().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    compile_modules(folder / "games", folder, shown)
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (LAST_READ_S, WRITTEN_S))


def compile_modules(folder: Path, inside: Path, shown: str) -> None:
    """Compile ``folder`` with the bots' interpreter. Bots see ``inside``, which contains it, as ``shown``."""
    how = ("-q", "--invalidation-mode", "unchecked-hash", "-s", str(inside), "-p", shown)
    command = [str(bots_interpreter()), *OPTIONS, "-m", "compileall", *how, str(folder)]
    subprocess.run(command, timeout=_PATIENCE_S, check=False)  # without it, imports only take longer


def library_folder(runtime: Path) -> Path:
    """Return the folder with the package for plain processes, copied once for each version. Note that it is used now.

    Raises ``PlatformFailure`` if it cannot be copied.
    """
    try:
        place = own_folder(runtime / "libraries") / _version()
        return made_once(place, lambda new: copy_into(new / "library", str(place / "library"))) / "library"
    except (OSError, subprocess.SubprocessError) as error:
        raise PlatformFailure(f"could not copy the package games for bots: {error}") from error


def forget_old_libraries(runtime: Path) -> None:
    """Remove copies of other versions that were not used for a week. Raises ``PlatformFailure``."""
    forget_unused(own_folder(runtime / "libraries"))


def local_library() -> Path:
    """Return the folder with the package for plain processes of this user, on any system.

    Raises ``PlatformFailure`` if it cannot be copied.
    """
    return library_folder(runtime_folder()) if hasattr(os, "geteuid") else _temporary_library()


_version = cache(version)


@cache
def _temporary_library() -> Path:
    """Copy the package into a temporary folder, which is removed when this process ends."""
    folder = Path(mkdtemp(prefix="esr-library-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        copy_into(folder, str(folder))
    except (OSError, subprocess.SubprocessError) as error:
        raise PlatformFailure(f"could not copy the package games for bots: {error}") from error
    return folder
