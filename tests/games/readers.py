"""Reading a guide: its sections, its tables and its drawn examples."""

from __future__ import annotations

import re

Row = list[str]


def tables(guide: str) -> list[list[Row]]:
    """All tables of a guide, each a list of rows of plain cells, the heading first."""
    blocks = re.findall(r"(?:^\|.*\n)+", guide, flags=re.MULTILINE)
    rows = [[line.strip("|").split("|") for line in block.splitlines()] for block in blocks]
    return [[[cell.strip(" *") for cell in row] for row in (table[0], *table[2:])] for table in rows]


def table_after(guide: str, heading: str, index: int = 0) -> list[Row]:
    """Table number ``index`` behind a heading."""
    return tables(guide.split(f"{heading}\n", 1)[1])[index]


def section(guide: str, heading: str) -> str:
    """Everything behind a heading of the second level."""
    return guide.split(f"\n## {heading}\n", 1)[1]


def drawings(guide: str, kind: str) -> list[list[Row]]:
    """The drawn examples of one kind, each a list of rows of cells."""
    blocks = re.findall(rf"^```{kind}\b.*\n((?:.*\n)*?)```$", guide, flags=re.MULTILINE)
    return [[re.split(r" {2,}", line) for line in block.splitlines()] for block in blocks]
