"""What a bot sees and what it can do, seen by one."""

from __future__ import annotations

import mmap
import os
import platform
import resource
import socket
import threading
from pathlib import Path
from typing import Any

from attempts import attempt, call, libc

LIMITS = ("AS", "NOFILE", "FSIZE", "CORE", "CPU", "MEMLOCK", "MSGQUEUE", "SIGPENDING", "STACK", "NPROC")
# None of these would change or leave anything where they are not refused.
CALLS = {
    "unshare": (272, 0x10000000),
    "ptrace": (101, 16, -1, 0, 0),
    "memfd_create": (319, id(b"x"), 0),
    "io_uring_setup": (425, 8, 0),
    "userfaultfd": (323, 1),
    "bpf": (321, 0, 0, 0),
    "add_key": (248, 0, 0, 0, 0, 0),
    "shmget": (29, 0x657372, 0, 0),
    "inotify_init": (294, 0),
    "sendmsg": (46, 0, 0, 0),
    "sysinfo": (99, 0),
    "flock": (73, 0, 1),
    "getrusage": (98, 0, 0),
    "membarrier": (324, 0, 0),
    "statx": (332, -1, 0, 0, 0, 0),
    "PR_SET_PDEATHSIG": (157, 1, 0),
}
MANY = 40


def findings(hello: dict[str, Any]) -> dict[str, Any]:
    """All of it."""
    return {
        "host_file": attempt(read, hello["host_file"]),
        "hidden": {place: names_in(place) for place in hello["hidden"]},
        "python": platform.python_version(),
        "ids": [os.getpid(), os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups()],
        "session": [os.getsid(0), os.getpgrp(), os.getppid()],
        "host": platform.node(),
        "here": str(Path.cwd()),
        "root": names_in("/"),
        "etc": names_in("/etc"),
        "dev": [name for name in names_in("/dev") if Path("/dev", name).is_char_device()],
        "tmp": names_in("/tmp"),  # noqa: S108
        "proc": names_in("/proc"),
        "environment": dict(os.environ),
        "writable": [place for place in hello["places"] if attempt(make, Path(place, hello["file"])) == "done"],
        "descriptors": [number for number in range(64) if attempt(os.fstat, number) == "done"],
        "sockets": [family for family in range(46) if family != 1 and attempt(socket.socket, family, 1) == "done"],
        "fork": attempt(fork),
        "threads": threads(),
        "limits": {name: list(resource.getrlimit(getattr(resource, "RLIMIT_" + name))) for name in LIMITS},
        "calls": {name: attempt(call, *numbers) for name, numbers in CALLS.items()},
        "shared_memory": attempt(mmap.mmap, -1, mmap.PAGESIZE),
        "huge_pages": libc.prctl(42, 0, 0, 0, 0) != 1,  # PR_GET_THP_DISABLE
        "seccomp_mode": libc.prctl(21, 0, 0, 0, 0),
        "no_new_privileges": libc.prctl(39, 0, 0, 0, 0),
    }


def names_in(place: str) -> list[str]:
    """What lies there; nothing if it cannot be seen."""
    try:
        return sorted(os.listdir(place))
    except OSError:
        return []


def fork() -> None:
    """Make a process that ends at once."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def threads() -> int:
    """How many threads there can be, if not too many."""
    enough = threading.Event()
    made = []
    try:
        for _ in range(MANY):
            made.append(threading.Thread(target=enough.wait, daemon=True))
            made[-1].start()
    except RuntimeError:
        made.pop()
    enough.set()
    return len(made) + 1


def make(path: Path) -> None:
    """Make a file."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))


def read(path: str) -> None:
    """Open a file for reading."""
    os.close(os.open(path, os.O_RDONLY))
