"""What a verification tells as it goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Verified:
    """So many more things were looked at, with these faults, as sentences."""

    number: int
    faults: Sequence[str]
