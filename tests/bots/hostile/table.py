"""All hostile programs, and their table in ``docs/internals/hostile-programs.md``, between two marks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.bots.hostile.kind import Hostile
from tests.bots.hostile.kinds.access import NETWORK, SECRETS
from tests.bots.hostile.kinds.answers import ANSWERS
from tests.bots.hostile.kinds.files import FILES
from tests.bots.hostile.kinds.kernel import ABIS, LIMITS, PRIVILEGES, SURFACE, TERMINALS
from tests.bots.hostile.kinds.memory import MEMORY
from tests.bots.hostile.kinds.output import FLOODS, STALLS
from tests.bots.hostile.kinds.processes import PROCESSES
from tests.bots.hostile.kinds.traces import TRACES

FAMILIES: Final = {
    "Processes and signals": PROCESSES,
    "Memory": MEMORY,
    "Files, inodes and descriptors": FILES,
    "Floods": FLOODS,
    "Stalls and exits": STALLS,
    "Secrets and opponents": SECRETS,
    "Network": NETWORK,
    "Namespaces and privileges": PRIVILEGES,
    "Other instruction sets and ABIs": ABIS,
    "Kernel interfaces": SURFACE,
    "Terminals": TERMINALS,
    "Limits and schedulers": LIMITS,
    "Traces for the next game": TRACES,
    "Answers": ANSWERS,
}

HOSTILE: Final[tuple[Hostile, ...]] = tuple(
    replace(kind, family=family) for family, kinds in FAMILIES.items() for kind in kinds
)


PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "internals" / "hostile-programs.md"
BEGIN: Final = "<!-- hostile: this table is written by `make hostile` -->"
END: Final = "<!-- /hostile -->"


def table() -> str:
    """All programs by family, as Markdown."""
    parts = [f"{len(HOSTILE)} programs in {len(FAMILIES)} families."]
    for family, kinds in FAMILIES.items():
        rows = "\n".join(_row(kind) for kind in kinds)
        parts.append(f"## {family}\n\n| program | attempt | result |\n|---|---|---|\n{rows}")
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
