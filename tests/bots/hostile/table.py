"""The table of all hostile programs in ``docs/security.md``, between two marks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.bots.hostile.collection import FAMILIES, HOSTILE
from tests.bots.hostile.kind import Hostile

PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "security.md"
BEGIN: Final = "<!-- hostile: this table is written by `make hostile` -->"
END: Final = "<!-- /hostile -->"


def table() -> str:
    """All kinds, family by family, as Markdown."""
    parts = [f"{len(HOSTILE)} kinds in {len(FAMILIES)} families."]
    for family, kinds in FAMILIES.items():
        rows = "\n".join(_row(kind) for kind in kinds)
        parts.append(f"**{family}** ({len(kinds)})\n\n| kind | it tries | what becomes of it |\n|---|---|---|\n{rows}")
    return "\n\n".join(parts)


def written(page: str) -> str:
    """``page`` with the table as it is now. Raises ``ValueError`` for a page without the marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page needs the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def _row(kind: Hostile) -> str:
    return f"| {_cell(kind.title)} | {_cell(kind.tries)} | {kind.verdict} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
