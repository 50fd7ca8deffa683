"""Build the distributions from a copy of the sources, so that the build leaves nothing in the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("games", "bots", "ladder", "esr_platform")
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
GENERATED = shutil.ignore_patterns("__pycache__", "*.pyc", "*.so", "*.pyd", "native", "*.egg-info")


def copy_to(folder: Path) -> Path:
    """Copy the files that a build reads, as they are in a new clone."""
    for name in (*PACKAGES, "requirements"):
        shutil.copytree(ROOT / name, folder / name, ignore=GENERATED)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    return folder


def distributions(sources: Path, folder: Path, **environment: str) -> tuple[Path, Path]:
    """Build the source distribution, and the wheel from it, with the installed setuptools. Return both paths.

    The messages of the build are in ``build.log`` beside them.
    """
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, sources]
    variables = {**os.environ, **environment}
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "build.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    (source,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    return source, wheel
