"""All hostile programs, in the order of the table in ``docs/security.md``."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tests.bots.hostile.kind import Hostile
from tests.bots.hostile.kinds.answers import ANSWERS
from tests.bots.hostile.kinds.files import FILES
from tests.bots.hostile.kinds.kernel import ABIS, LIMITS, PRIVILEGES, SURFACE, TERMINALS
from tests.bots.hostile.kinds.memory import MEMORY
from tests.bots.hostile.kinds.output import FLOODS, STALLS
from tests.bots.hostile.kinds.processes import PROCESSES
from tests.bots.hostile.kinds.prying import NETWORK, SECRETS
from tests.bots.hostile.kinds.traces import TRACES

FAMILIES: Final = {
    "Processes and signals": PROCESSES,
    "Memory": MEMORY,
    "Files, inodes and descriptors": FILES,
    "Floods": FLOODS,
    "Stalls and ends": STALLS,
    "Secrets and opponents": SECRETS,
    "Network": NETWORK,
    "Namespaces and privileges": PRIVILEGES,
    "Other ABIs": ABIS,
    "The kernel's surface": SURFACE,
    "Terminals": TERMINALS,
    "Limits and schedulers": LIMITS,
    "What is left for the next game": TRACES,
    "Answers": ANSWERS,
}

HOSTILE: Final[tuple[Hostile, ...]] = tuple(
    replace(kind, family=family) for family, kinds in FAMILIES.items() for kind in kinds
)
