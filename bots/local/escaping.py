"""Text of strangers on a terminal."""

from __future__ import annotations

from typing import Final

SHOWN: Final = 400
"""Characters of a document that are shown on a terminal; files and ``--json`` have it whole."""


def escaped(line: str) -> str:
    """``line`` with nothing in it that a terminal would obey."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in line)


def cut(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
