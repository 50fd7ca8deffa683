"""The probe of the self-test. It starts like every bot and reports what it sees; ``bots.sandbox.proof`` judges that.

It is started three times: as a bot, with more memory than a small limit allows, and without the seccomp filter, to see
that the other walls hold without it.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import platform
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

# --- Attempts --------------------------------------------------------------------------------------------------------

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def attempt(action: Callable[..., object], *arguments: object) -> str:
    """What trying something comes to: ``"done"``, or the name of the error."""
    try:
        action(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "refused")
    except ValueError:  # how the module resource says it
        return "refused"
    return "done"


def call(number: int, *arguments: int) -> int:
    """A system call made directly, as a hostile program would make it. Raises ``OSError``."""
    ctypes.set_errno(0)
    result = int(libc.syscall(*(ctypes.c_long(argument) for argument in (number, *arguments))))
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


# --- A bot's world ---------------------------------------------------------------------------------------------------

LIMITS = ("AS", "DATA", "NOFILE", "FSIZE", "CORE", "CPU", "MEMLOCK", "MSGQUEUE", "SIGPENDING", "STACK", "NPROC")
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


def world(hello: dict[str, Any]) -> dict[str, Any]:
    """What a bot sees and can do."""
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
    """Return the names in a folder; none if it is not visible."""
    try:
        return sorted(os.listdir(place))
    except OSError:
        return []


def fork() -> None:
    """Create a process that ends immediately."""
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


# --- Memory ----------------------------------------------------------------------------------------------------------

BLOCK = 1 << 20


def hoard(mib: int) -> None:
    """Use memory that is read-only after writing, which limits on data do not count, and wait."""
    libc.mmap.restype = ctypes.c_void_p
    for _ in range(mib):
        block = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(BLOCK), 3, 0x22, -1, ctypes.c_long(0)))
        ctypes.memset(block, 1, BLOCK)
        libc.mprotect(block, ctypes.c_size_t(BLOCK), 1)
    sys.stdin.readline()


# --- Without the filter ----------------------------------------------------------------------------------------------

MOUNTS = ("/", "/usr", "/bot", "/etc/ld.so.cache")
IPC_STAT = 2
CAPABILITIES = 64


def walls(hello: dict[str, Any]) -> dict[str, Any]:
    """What holds without the seccomp filter: namespaces, capabilities, mounts and limits."""
    death = ctypes.c_int()
    libc.prctl(2, ctypes.byref(death), 0, 0, 0)
    held = ctypes.create_string_buffer(4096)
    return {
        "new_namespace": attempt(call, 272, 0x10000000),
        "death_signal": death.value,
        "capabilities": capabilities(),
        "bounding_set": [number for number in range(CAPABILITIES) if libc.prctl(23, number, 0, 0, 0) == 1],
        "mount": attempt(mount),
        "chroot": attempt(os.chroot, "/usr"),
        "another_user": attempt(os.setuid, 0),
        "raised": attempt(resource.setrlimit, resource.RLIMIT_NOFILE, (4096, 4096)),
        "read_only": [place for place in MOUNTS if not Path(place).exists() or is_read_only(place)],
        "mounts": list(MOUNTS),
        "interfaces": [name for _, name in socket.if_nameindex()],
        "host_port": attempt(connect, socket.AF_INET, ("127.0.0.1", hello["port"])),
        "host_socket": attempt(connect, socket.AF_UNIX, "\0" + hello["abstract"]),
        "host_memory": "none"
        if hello["shared"] is None
        else attempt(lambda: libc_done(libc.shmctl(hello["shared"], IPC_STAT, held))),
        "processes": processes(),
    }


def libc_done(result: int) -> None:
    """Raises ``OSError`` for a call of the library that has failed."""
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")


def capabilities() -> int:
    """All capabilities it has or could have, as bits."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    libc.capget(header, data)
    bits = 0
    for number in data:
        bits |= number
    return bits


def mount() -> None:
    """Mount a file system over an empty folder."""
    libc_done(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None))


def is_read_only(place: str) -> bool:
    """Return whether the mount of ``place`` is read-only."""
    return bool(os.statvfs(place).f_flag & os.ST_RDONLY)


def connect(family: int, address: Any) -> None:
    """Connect to a listener of the host."""
    with socket.socket(family, socket.SOCK_STREAM) as local:
        local.settimeout(2)
        local.connect(address)


def processes() -> int:
    """How many processes there can be, if not too many; they are ended again."""
    made = 1
    try:
        for _ in range(MANY):
            if os.fork() == 0:
                signal.pause()
            made += 1
    except OSError:
        pass
    if os.getpid() == 1:
        attempt(os.kill, -1, signal.SIGKILL)
    return made


def main() -> None:
    print('{"type": "begun"}', flush=True)
    hello = json.loads(sys.stdin.readline())
    if "hoard" in hello:
        hoard(hello["hoard"])
    findings = world(hello) if hello["filtered"] else walls(hello)
    print(json.dumps({"type": "ready", "seed": hello["seed"], "findings": findings}), flush=True)
    sys.stdin.readline()  # the host looks at this process from outside before it ends it


main()
