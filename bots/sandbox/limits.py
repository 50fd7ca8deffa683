"""Resource limits of a bot's process, the two ways to set them, and the system calls that they need."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final

from bots.protocol import Limits
from bots.runner.clock import cores
from bots.runner.launcher import PlatformFailure

# --- The system ------------------------------------------------------------------------------------------------------

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
    """Return the names of required functions that this system does not have; on Linux none.

    It checks the functions, not the name of the system.
    """
    names = [f"{module}.{name}" for module, wanted in _NEEDED.items() for name in wanted if not _has(module, name)]
    return names if _PROCESSES.exists() else [*names, "/proc"]


def require_linux() -> None:
    """Raise ``PlatformFailure`` with a readable message if this system cannot have a sandbox."""
    names = missing()
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        raise PlatformFailure(f"the sandbox requires Linux; this system lacks {', '.join(names[:_NAMED])}{more}")


def _has(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name)
    except ModuleNotFoundError:
        return False


# --- Limits ----------------------------------------------------------------------------------------------------------

with suppress(ModuleNotFoundError):  # on Windows, which has no limits
    import resource

THREADS: Final = 32
"""Maximum number of threads of a bot, if they are counted separately for each bot."""

_PR_SET_THP_DISABLE: Final = 41
MIB: Final = 1024 * 1024
_ADDRESSES: Final = 1 << 40
"""Address space of a bot in bytes. Memory is bounded elsewhere (``bots.sandbox.memory``), addresses cost nothing."""

_SPARE_CPU_S: Final = 30
_DIRECTORIES: Final = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")


def limit_values(limits: Limits) -> dict[str, int]:
    """Return all limits of a sandboxed bot, named as in ``resource``, which ``prlimit`` takes in lower case."""
    return {
        "AS": max(_ADDRESSES, limits.memory_mb * MIB),
        "DATA": limits.memory_mb * MIB,
        "NOFILE": 64,
        "FSIZE": 0,
        "CORE": _core_bytes(),
        "CPU": _cpu_seconds(limits),
        "MEMLOCK": 64 * 1024,
        "MSGQUEUE": 0,
        "SIGPENDING": 64,
        "STACK": 8 * MIB,
        "NPROC": THREADS,
    }


def disable_huge_pages() -> None:
    """Prevent transparent huge pages for all processes that this one starts, because others could detect scarce memory.

    The setting survives ``fork`` and ``execve`` (man 2 prctl). Raises ``PlatformFailure`` if the kernel refuses.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0) == -1:
        raise PlatformFailure(f"could not disable huge pages: {os.strerror(ctypes.get_errno())}")


def set_limits(pid: int, limits: Limits, *, count_threads: bool) -> None:
    """Limit the running process ``pid`` of this user. Ignores a process that has already ended.

    Raises ``PlatformFailure`` if the system refuses.
    """
    try:
        for name, value in limit_values(limits).items():
            if name == "NPROC" and not count_threads:
                continue
            resource.prlimit(pid, getattr(resource, f"RLIMIT_{name}"), (value, value))
    except ProcessLookupError:
        return
    except OSError as error:
        raise PlatformFailure(f"could not set the resource limits of a bot: {error}") from error


def as_user(uid: int, limits: Limits) -> list[str]:
    """Return the command line with which root starts bubblewrap as ``uid``, with limits and without groups.

    Root could not limit a process of another user from outside without a capability that containers do not have.
    ``chroot`` to the current root is the fastest program that changes the user. bubblewrap itself drops privileges.
    Raises ``PlatformFailure`` if a required program is missing.
    """
    user = f"+{uid}:+{uid}"
    return [*_limited(limits), _program("chroot"), f"--userspec={user}", "--groups=", "/"]


def as_powerless_user(uid: int, limits: Limits) -> list[str]:
    """Return the same for a program that does not drop privileges itself: it has none and cannot get any."""
    user = (f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    return [*_limited(limits), _program("setpriv"), *user, "--inh-caps=-all", "--no-new-privs", "--"]


def _limited(limits: Limits) -> list[str]:
    words = [f"--{name.lower()}={value}" for name, value in limit_values(limits).items()]
    return [_program("prlimit"), *words, "--"]


def offer_to_the_out_of_memory_killer(pid: int) -> None:
    """Let the kernel kill this bot before the platform when the host runs out of memory."""
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")


def _program(name: str) -> str:
    for folder in _DIRECTORIES:
        if os.access(f"{folder}/{name}", os.X_OK):
            return f"{folder}/{name}"
    raise PlatformFailure(
        f"{name} is missing (packages coreutils and util-linux); the worker needs it to start bots as other users"
    )


def _core_bytes() -> int:
    """Return 1, because with 0 the kernel would still start a pipe in core_pattern; 0 if this host allows no more.

    Root first raises its own hard limit to 1 for its bots.
    """
    now, most = resource.getrlimit(resource.RLIMIT_CORE)
    if most == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (now, 1))
        except (OSError, ValueError):
            return 0
    return 1


def _cpu_seconds(limits: Limits) -> int:
    """Return more processor time than a valid bot can use. The clock ends a game; this limit only ends runaway bots."""
    return (limits.startup_ms + limits.game_ms) * cores() // 1000 + _SPARE_CPU_S
