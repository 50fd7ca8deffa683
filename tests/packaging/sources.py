"""A copy of what a wheel is made of, so that building leaves nothing in the checkout."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("games", "bots", "ladder", "esr_platform")
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
MADE_HERE = shutil.ignore_patterns("__pycache__", "*.pyc", "*.so", "*.pyd", "native", "*.egg-info")


def copy_to(folder: Path) -> Path:
    """The sources as a fresh clone has them."""
    for name in (*PACKAGES, "requirements"):
        shutil.copytree(ROOT / name, folder / name, ignore=MADE_HERE)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    return folder
