"""What this system has of that which holding, limiting and watching bots takes. Only Linux has it all."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

from bots.runner.failures import PlatformFailure

_NEEDED: Final = {
    "fcntl": ("flock",),
    "resource": ("prlimit",),
    "os": ("geteuid", "killpg", "memfd_create", "pidfd_open", "pread", "pwrite", "sched_getaffinity", "set_blocking"),
    "select": ("poll",),
    "signal": ("SIGKILL", "pidfd_send_signal"),
    "time": ("clock_gettime_ns",),
}
_NAMED: Final = 3
_PROCESSES: Final = Path("/proc/self/stat")


def missing() -> list[str]:
    """Names of what is needed and not here; on Linux none. It goes by what is there and not by the system's name."""
    names = [f"{module}.{name}" for module, wanted in _NEEDED.items() for name in wanted if not _has(module, name)]
    return names if _PROCESSES.exists() else [*names, "/proc"]


def require_linux() -> None:
    """Raises ``PlatformFailure`` with a sentence for people where there can be no sandbox."""
    names = missing()
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        raise PlatformFailure(f"there is a sandbox on Linux only; this system lacks {', '.join(names[:_NAMED])}{more}")


def _has(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name)
    except ModuleNotFoundError:
        return False
