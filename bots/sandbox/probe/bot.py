"""Started the way every bot is started, it says what it sees of the world. ``bots.sandbox.proving`` judges that."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import resource
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def attempt(action: Callable[..., object], *arguments: object) -> str:
    """What trying something comes to: ``"done"``, or the name of the error."""
    try:
        action(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "refused")
    return "done"


def calls() -> dict[str, Any]:
    """System calls made directly, as a hostile program would make them."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(*arguments: int) -> None:
        ctypes.set_errno(0)
        result = libc.syscall(*(ctypes.c_long(argument) for argument in arguments))
        if result == -1:
            raise OSError(ctypes.get_errno(), "refused")

    return {
        "unshare": attempt(call, 272, 0x10000000),
        "ptrace": attempt(call, 101, 0, 0, 0, 0),
        "memfd_create": attempt(call, 319, id(b"x"), 0),
        "die_with_parent_off": attempt(call, 157, 1, 0),
        "seccomp_mode": libc.prctl(21, 0, 0, 0, 0),
        "no_new_privileges": libc.prctl(39, 0, 0, 0, 0),
    }


def forked() -> str:
    """Whether a second process could be made."""
    try:
        child = os.fork()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "refused")
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "done"


def open_descriptors() -> list[int]:
    """The descriptors it was started with."""
    found = []
    for number in range(64):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found


def writable() -> list[str]:
    """Places where a file could be made."""
    places = ("/", "/tmp", "/bot", "/usr", "/dev", "/etc", "/var/tmp", "/dev/shm", "/run")  # noqa: S108
    return [place for place in places if attempt(make, f"{place}/probe") == "done"]


def make(path: str) -> None:
    """Make a file."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def read(path: str) -> None:
    """Open a file for reading."""
    os.close(os.open(path, os.O_RDONLY))


def limits() -> dict[str, list[int]]:
    """The limits that hold, soft and hard."""
    names = ("AS", "NOFILE", "FSIZE", "CORE", "CPU", "MEMLOCK", "MSGQUEUE", "SIGPENDING", "STACK", "NPROC")
    return {name: list(resource.getrlimit(getattr(resource, "RLIMIT_" + name))) for name in names}


def findings(host_file: str) -> dict[str, Any]:
    """All of it."""
    return {
        "host_file": attempt(read, host_file),
        "python": platform.python_version(),
        "ids": [os.getpid(), os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups()],
        "host": platform.node(),
        "root": sorted(os.listdir("/")),
        "etc": sorted(os.listdir("/etc")) if Path("/etc").is_dir() else [],
        "dev": sorted(os.listdir("/dev")),
        "proc": Path("/proc/self").exists(),
        "environment": sorted(os.environ),
        "writable": writable(),
        "descriptors": open_descriptors(),
        "internet": attempt(socket.socket, socket.AF_INET, socket.SOCK_STREAM),
        "netlink": attempt(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW),
        "fork": forked(),
        "limits": limits(),
        "calls": calls(),
    }


def main() -> None:
    hello = json.loads(sys.stdin.readline())
    print(json.dumps({"type": "ready", "seed": hello["seed"], "findings": findings(hello["host_file"])}), flush=True)


main()
