"""A warmed interpreter inside a sandbox, for ``bench.starts``. Bots are never started this way.

``python forks.py VARIANT COUNT`` creates child processes one after the other. Each is process 1 of its own process
namespace, has its own mount at ``/bot`` and no capabilities, and starts under the seccomp filter of bots. With the
variant ``fork``, the child continues in this interpreter; with ``exec``, it starts a new one. The output is one JSON
object.
"""

from __future__ import annotations

import copy  # noqa: F401 - the usual library, for the children
import ctypes
import dataclasses  # noqa: F401
import functools  # noqa: F401
import heapq  # noqa: F401
import itertools  # noqa: F401
import json
import math  # noqa: F401
import os
import random
import re  # noqa: F401
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NEW_PROCESSES, NEW_MOUNTS, NEW_IPC = 0x20000000, 0x00020000, 0x08000000
READ_ONLY, REMOUNT, BIND, NO_SUID, NO_DEVICES = 1, 32, 4096, 2, 4
SET_DEATH_SIGNAL, GET_SECCOMP, SET_SECCOMP, DROP_FROM_BOUNDING_SET = 1, 21, 22, 24
CAPABILITIES, CAPABILITY_VERSION, SIGKILL = 41, 0x20080522, 9
TELLING = """\
import json, os, random
print(json.dumps({"pid": os.getpid(), "hash": hash("block"), "layout": id(object()), "random": random.random()}))
"""

libc = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def done(result: int) -> int:
    """Raises ``OSError`` for a call that has failed."""
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def prepare(code: str, bpf: bytes) -> int:
    """Be a child as a bot would have to find itself: nothing but ``code`` to read, no powers, and the filter on.

    Gives the capabilities that are left, as bits; behind the filter nobody can ask any more.
    """
    done(libc.unshare(NEW_MOUNTS | NEW_IPC))
    os.setsid()
    done(libc.mount(b"bot", b"/bot", b"tmpfs", NO_SUID | NO_DEVICES, b"size=1m,mode=755"))
    Path("/bot/bot.py").write_text(code)
    done(libc.mount(b"", b"/bot", b"", REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES, b""))
    os.chdir("/bot")
    for number in range(CAPABILITIES):
        libc.prctl(DROP_FROM_BOUNDING_SET, number, 0, 0, 0)
    done(libc.capset((ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()))
    done(libc.prctl(SET_DEATH_SIGNAL, SIGKILL, 0, 0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    left = capabilities()
    kept = ctypes.create_string_buffer(bpf, len(bpf))
    program = Program(len(bpf) // 8, ctypes.addressof(kept))
    done(libc.prctl(SET_SECCOMP, 2, ctypes.byref(program), 0, 0))
    return left


def capabilities() -> int:
    """What it could do, as bits."""
    data = (ctypes.c_uint32 * 6)()
    done(libc.capget((ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), data))
    return data[0] | data[1] | data[2]


def begin_here(left: int) -> None:
    """Begin in this interpreter, with new dice."""
    random.seed()
    seen = {"capabilities": left, "seccomp": libc.prctl(GET_SECCOMP, 0, 0, 0, 0)}
    about = {"pid": os.getpid(), "hash": hash("block"), "layout": id(object()), "random": random.random()}
    os.write(1, json.dumps(about | seen).encode() + b"\n")
    os._exit(0)


def begin_anew(_left: int) -> None:
    """Begin in a new interpreter."""
    os.execve(sys.executable, [sys.executable, "-S", "-E", "-s", "-B", "-X", "utf8", "bot.py"], dict(os.environ))


def child(begin: Callable[[int], None], bpf: bytes, myself: int) -> Any:
    """Make one child and wait for it: what it said of itself, and the seconds until it said that."""
    inbox, outbox = os.pipe()
    began = time.perf_counter()
    done(libc.unshare(NEW_PROCESSES))
    pid = os.fork()
    if pid == 0:
        os.dup2(outbox, 1)
        begin(prepare(TELLING, bpf))
    done(libc.setns(myself, NEW_PROCESSES))
    os.close(outbox)
    report = os.read(inbox, 1000)
    took = time.perf_counter() - began
    os.close(inbox)
    os.waitpid(pid, 0)
    return json.loads(report), took


def cpu_s() -> float:
    """Processor time of this process and the children it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def main(variant: str, count: int) -> None:
    """Measure one variant."""
    bpf = Path("/bot/filter").read_bytes()
    done(libc.unshare(NEW_PROCESSES | NEW_MOUNTS))
    parent = os.fork()  # only in a process namespace that it owns can it make others, one after the other
    if parent:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(parent, 0)[1]))
    myself = os.pidfd_open(os.getpid())
    begin = {"fork": begin_here, "exec": begin_anew}[variant]
    before = cpu_s()
    children = [child(begin, bpf, myself) for _ in range(count)]
    cpu = (cpu_s() - before) / count
    print(
        json.dumps(
            {"cpu_s": cpu, "spans_s": [took for _, took in children], "reports": [report for report, _ in children]}
        )
    )


main(sys.argv[1], int(sys.argv[2]))
