"""Copies of the engine, whose accelerator can be compiled in another way, and interpreters that import them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import games


def python(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run another interpreter that finds ``games`` in ``folder``."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def copied(folder: Path) -> Path:
    """Copy the engine without the compiled accelerator."""
    ignored = shutil.ignore_patterns("__pycache__", "native")
    shutil.copytree(Path(games.__file__).parent, folder / "games", ignore=ignored)
    return folder
