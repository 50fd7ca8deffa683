"""Programs that tests need from the machine. A program on the PATH may be broken, so it is run before it is used."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import NoReturn

import pytest

PROBE_SECONDS = 120


@cache
def runs(*command: str) -> bool:
    """Whether ``command``, such as ``("jq", "--version")``, succeeds on this machine."""
    return _fault(command, None) is None


@cache
def compiler_fault(compiler: tuple[str, ...], filename: str, source: str) -> str | None:
    """Why ``compiler`` cannot build ``source``, the smallest program of its language; ``None`` if it can.

    ``{out}`` in its words becomes the path of the program.
    """
    with TemporaryDirectory(prefix="esr-compiler-") as name:
        folder = Path(name)
        (folder / filename).write_text(source)
        return _fault([word.format(out=folder / "program") for word in compiler], folder)


def _fault(command: Sequence[str], folder: Path | None) -> str | None:
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if not done.returncode:
        return None
    lines = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
    return lines[0] if lines else f"exit status {done.returncode}"


def missing(reason: str) -> NoReturn:
    """Skip the test with ``reason``. In continuous integration, fail it: ``.ci/run`` installs the program."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def program(name: str, package: str, folder: Path) -> str:
    """The program ``name`` of this machine, or else that of the Debian package, which is unpacked but not installed."""
    found = which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/libexec/docker/cli-plugins")
    if found is not None:
        return found
    try:
        subprocess.run(["apt-get", "download", package], cwd=folder, check=True, capture_output=True)
        (archive,) = folder.glob(f"{package}_*.deb")
        subprocess.run(["dpkg", "-x", archive, folder / package], check=True, capture_output=True)
        return str(next(path for path in (folder / package).rglob(name) if os.access(path, os.X_OK) and path.is_file()))
    except (OSError, StopIteration, ValueError, subprocess.CalledProcessError) as error:
        missing(f"{name} is not installed, and its package cannot be downloaded: {error}")
