"""Runs the Python examples of Markdown pages: ``python -m tests.examples PAGE…`` with whatever Python is at hand."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path


def pages(root: Path) -> list[Path]:
    """The readme and every page of the documentation."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def failures(page: Path) -> int:
    """How many examples of a page do not give what they say; doctest tells which."""
    return doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed


if __name__ == "__main__":
    sys.exit(sum(failures(Path(page).resolve()) for page in sys.argv[1:]) > 0)
