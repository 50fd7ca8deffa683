"""What the runner wants to know of the machine it runs on."""

from __future__ import annotations

import os


def cores() -> int:
    """How many processor cores this process may use; where the system does not say, how many there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
