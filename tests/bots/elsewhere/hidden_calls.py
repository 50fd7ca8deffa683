"""Makes this process look like one on Windows or macOS, as far as code can ask: what is not there is gone.

To be called before anything of ours is imported. The lists go by "Availability" in Python's documentation. What the
standard library itself needs to start processes on this system, it keeps.
"""

from __future__ import annotations

import asyncio  # noqa: F401 - from Python 3.12 on, it reads os.sysconf while it loads, except on Windows
import ctypes
import errno
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

import numpy as np  # noqa: F401 - it reads os.uname while it loads, but only on Linux

LINUX_ONLY: Final = {
    os: (
        "F_LOCK", "eventfd", "getxattr", "memfd_create", "pidfd_open", "pipe2", "posix_fadvise", "sched_getaffinity",
        "sched_setaffinity", "setns", "setresuid", "splice", "unshare", "waitid",
    ),
    select: ("epoll",),
    signal: ("pidfd_send_signal", "sigtimedwait", "sigwaitinfo"),
    time: ("pthread_getcpuclockid",),
}  # fmt: skip
"""What macOS does not have either."""

POSIX_ONLY: Final = {
    os: (
        "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "WNOHANG", "chown", "fchmod", "fork", "forkpty", "get_blocking",
        "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpriority", "getsid", "getuid", "initgroups",
        "killpg", "lchown", "mkfifo", "nice", "openpty", "posix_spawn", "pread", "preadv", "pwrite", "pwritev",
        "register_at_fork", "sched_yield", "sendfile", "set_blocking", "setgid", "setgroups", "setpgid", "setsid",
        "setuid", "sysconf", "ttyname", "uname", "wait", "wait3", "wait4",
    ),
    select: ("poll",),
    signal: (
        "SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP", "SIGUSR1",
        "SIGUSR2", "alarm", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "sigpending", "sigwait",
    ),
    time: ("CLOCK_MONOTONIC", "clock_getres", "clock_gettime", "clock_gettime_ns", "tzset"),
}  # fmt: skip
POSIX_MODULES: Final = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")


def like_windows() -> None:
    """No ``poll``, no sessions or users, few signals, blocking pipes, and all that macOS lacks."""
    like_macos()
    vars(subprocess)["signal"] = SimpleNamespace(**vars(signal))
    vars(subprocess)["os"] = SimpleNamespace(**vars(os))
    _remove(POSIX_ONLY)
    for name in POSIX_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]


def like_macos() -> None:
    """No ``/proc``, no handles or clocks of other processes, no limits for them, no C library under no name."""
    _remove(LINUX_ONLY)
    vars(__import__("resource")).pop("prlimit")
    sys.addaudithook(_refuse_proc)
    for name in ("stat", "lstat", "readlink", "access"):
        setattr(os, name, _without_proc(getattr(os, name)))
    ctypes.CDLL = _only_with_a_name(ctypes.CDLL)  # type: ignore[misc,assignment]


def _remove(names: dict[Any, tuple[str, ...]]) -> None:
    for module, gone in names.items():
        for name in gone:
            vars(module).pop(name, None)


def _is_proc(path: object) -> bool:
    return isinstance(path, str | os.PathLike) and (str(path) + "/").startswith("/proc/")


def _not_there(path: Any) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))


def _refuse_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and _is_proc(arguments[0]):
        raise _not_there(arguments[0])


def _without_proc(call: Callable[..., Any]) -> Callable[..., Any]:
    def asked(path: Any, *more: Any, **named: Any) -> Any:
        if _is_proc(path):
            raise _not_there(path)
        return call(path, *more, **named)

    return asked


def _only_with_a_name(load: Callable[..., Any]) -> Callable[..., Any]:
    def loaded(name: str | None, *more: Any, **named: Any) -> Any:
        if name is None:
            raise TypeError("there is no library without a name")
        return load(name, *more, **named)

    return loaded


PROFILES: Final = {"windows": like_windows, "macos": like_macos}
