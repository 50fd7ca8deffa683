"""The accelerator, compiled from the current sources."""

from __future__ import annotations

import subprocess
import sys

import pytest

from games import record as records
from games.fast.build import compile_library
from tests.services.tools import missing


@pytest.fixture(scope="session", autouse=True)
def accelerator() -> None:
    """Compile the library if it is missing or old. Without a compiler, skip these tests, but not in CI.

    Another process tries it, since a process that has loaded an old library cannot load the new one at the same path.
    """
    if subprocess.run(
        [sys.executable, "-c", "from games.fast.library import load; load()"], check=False, capture_output=True
    ).returncode:
        try:
            compile_library()
        except (OSError, subprocess.CalledProcessError) as error:
            missing(f"The accelerator cannot be compiled: {error}")
    records.accelerator.cache_clear()  # an earlier test may have looked for it in vain
