"""Compile the accelerator: ``python -m games.fast.build [COMPILER OPTION ...]``. ``make engine-fast`` does the same.

This needs a C compiler (GCC or Clang), but neither the headers of Python nor NumPy. The library works with every
version of Python.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).parent
"""The folder of the C sources."""

LIBRARY: Final = SOURCES.parent / "native" / f"rules-{sysconfig.get_platform()}.so"
"""The compiled library."""

COMPILED: Final = (
    "library.c",
    "chance.c",
    "records.c",
    *(f"{family}_{part}.c" for family in ("gems", "wine") for part in ("batch", "records")),
)
"""The sources for the compiler. They include the others."""

FLAGS: Final = ("-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden")
"""No flag names a processor: the library runs on every x86-64 or arm64 processor."""


def digest() -> str:
    """Return the SHA-256 of the C sources. A library contains the digest of the sources that it was compiled from."""
    whole = sha256()
    for path in sorted(SOURCES.glob("*.[ch]")):
        whole.update(path.name.encode() + path.read_bytes())
    return whole.hexdigest()


def compiler() -> list[str]:
    """Return the command of the C compiler, which may not exist: ``CC`` of the environment, or that of Python."""
    return (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()


def compile_library(target: Path = LIBRARY, flags: Sequence[str] = (), quiet: bool = False) -> None:
    """Compile the library and put it in the place of an older one.

    ``flags`` are further options of the compiler. If ``quiet``, its messages are not shown. Raises ``OSError`` if there
    is no compiler or ``target`` cannot be written, and ``subprocess.CalledProcessError`` if compiling fails.
    """
    import subprocess  # here, because a program that only loads the library would wait for these imports
    from tempfile import TemporaryDirectory

    sources = [str(SOURCES / name) for name in COMPILED]
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent) as folder:
        compiled = Path(folder, target.name)
        command = [*compiler(), *FLAGS, *flags, f'-DSOURCES_DIGEST="{digest()}"', *sources, "-o", str(compiled)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL if quiet else None)
        compiled.replace(target)


if __name__ == "__main__":
    from subprocess import CalledProcessError

    try:
        compile_library(flags=sys.argv[1:])
    except (OSError, CalledProcessError) as error:
        sys.exit(f"Cannot compile the accelerator: {error}. Install a C compiler. All games also work without it.")
