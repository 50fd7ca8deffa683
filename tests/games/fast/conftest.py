"""The accelerator, compiled from the current sources."""

from __future__ import annotations

import os
import subprocess

import pytest

from games.fast.build import compile_library
from games.fast.library import load


@pytest.fixture(scope="session", autouse=True)
def accelerator() -> None:
    """Compile the library if it is missing or old. Without a compiler, skip these tests, but not in CI."""
    try:
        load()
    except ImportError:
        try:
            compile_library()
        except (OSError, subprocess.CalledProcessError) as error:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(f"the accelerator cannot be compiled: {error}")
