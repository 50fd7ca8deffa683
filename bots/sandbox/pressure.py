"""How long processes of this host had to wait for processors, memory or disks, as the kernel measures it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_PRESSURE: Final = tuple(Path("/proc/pressure", resource) for resource in ("cpu", "memory", "io"))
"""Pressure stall information (Linux 4.20, Documentation/accounting/psi.rst). Some hosts do not have it."""

_STAT: Final = Path("/proc/stat")
_STOLEN: Final = 8
"""The column of ``/proc/stat`` with the time that a hypervisor took from this machine, in clock ticks."""


def host_stall_ns() -> int:
    """Return the time since boot in which at least one process waited, plus stolen time, in nanoseconds.

    It is an upper bound of the time that any process has lost, except for slower processors. Without pressure
    stall information, only stolen time is known, so that the measured server lag decides.
    """
    return sum(map(_some_ns, _PRESSURE)) + _stolen_ns()


def _some_ns(path: Path) -> int:
    """Return the total of the line ``some avg10=… total=MICROSECONDS``."""
    try:
        return 1000 * int(path.read_bytes().split(b"\n", 1)[0].rpartition(b"total=")[2])
    except (OSError, ValueError):
        return 0


def _stolen_ns() -> int:
    try:
        ticks = int(_STAT.read_bytes().split(b"\n", 1)[0].split()[_STOLEN])
    except (OSError, ValueError, IndexError):
        return 0
    return ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
