"""Text of strangers on a terminal."""

from __future__ import annotations


def escaped(line: str) -> str:
    """``line`` with nothing in it that a terminal would obey."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in line)
