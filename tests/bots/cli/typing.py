"""What tests get from a typed command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """The exit status of a command, and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Its answer to a machine: one line, nothing else."""
        (line,) = self.out.splitlines()
        document: dict[str, Any] = json.loads(line)
        return document


Esr = Callable[..., Said]
