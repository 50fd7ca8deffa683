"""The filter of system calls for bots (seccomp BPF)."""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from functools import cache
from typing import Final

from bots.runner.launcher import PlatformFailure

# --- Numbers of system calls -----------------------------------------------------------------------------------------
#
# All other calls do not exist for a bot (``ENOSYS``). So a bot has no other processes and no network. It has no files
# except those it may read, no shared memory except its own, no file locks that others can see, and no kernel subsystem
# that a valid bot does not need.
#
# Calls that reveal something about others, or have lasting effects, are also missing:
#
# - free memory and disk space of the host (``sysinfo``, ``statfs``), and its number of mounts (``statx``);
# - which pages of files were in its cache (``getrusage``, which counts page faults);
# - descriptors sent through a socket (``sendmsg``), which no limit counts;
# - removing files from the host's cache (``fadvise64``).

ALLOWED: Final = {
    # read and write open files
    "read": 0, "write": 1, "close": 3, "lseek": 8, "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20,
    "preadv": 295, "pwritev": 296,
    "pipe": 22, "pipe2": 293, "dup": 32, "dup2": 33, "dup3": 292,
    # find and open files
    "open": 2, "stat": 4, "fstat": 5, "lstat": 6, "access": 21, "getcwd": 79, "chdir": 80, "fchdir": 81,
    "readlink": 89, "getdents": 78, "getdents64": 217, "openat": 257, "newfstatat": 262, "readlinkat": 267,
    "faccessat": 269, "faccessat2": 439,
    # wait
    "poll": 7, "ppoll": 271, "select": 23, "pselect6": 270, "epoll_create": 213, "epoll_create1": 291,
    "epoll_ctl": 233, "epoll_wait": 232, "epoll_pwait": 281, "epoll_pwait2": 441, "eventfd2": 290,
    # a socket pair, with which event loops wake themselves
    "recvfrom": 45, "shutdown": 48, "getsockname": 51,
    "getpeername": 52,
    # memory
    "mprotect": 10, "munmap": 11, "brk": 12, "mremap": 25,
    # threads, signals to itself, time
    "set_tid_address": 218, "set_robust_list": 273, "rseq": 334, "sched_yield": 24,
    "sched_getaffinity": 204, "sched_getparam": 143, "sched_getscheduler": 145, "sched_get_priority_max": 146,
    "sched_get_priority_min": 147, "getcpu": 309, "gettid": 186,
    "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "rt_sigpending": 127, "rt_sigtimedwait": 128,
    "rt_sigsuspend": 130, "sigaltstack": 131, "restart_syscall": 219, "kill": 62, "tkill": 200, "tgkill": 234,
    "pause": 34, "alarm": 37, "getitimer": 36, "setitimer": 38, "nanosleep": 35, "clock_nanosleep": 230,
    "clock_gettime": 228, "clock_getres": 229, "gettimeofday": 96, "time": 201, "times": 100,
    "timer_create": 222, "timer_settime": 223, "timer_gettime": 224, "timer_getoverrun": 225, "timer_delete": 226,
    "timerfd_create": 283, "timerfd_settime": 286, "timerfd_gettime": 287,
    # ids and names
    "getpid": 39, "getppid": 110, "getpgrp": 111, "getpgid": 121, "getsid": 124, "getuid": 102, "getgid": 104,
    "geteuid": 107, "getegid": 108, "getgroups": 115, "getresuid": 118, "getresgid": 120, "uname": 63,
    "getrlimit": 97, "getrandom": 318, "umask": 95,
    # beginning and ending; a child it cannot have it may still wait for
    "execve": 59, "exit": 60, "exit_group": 231, "wait4": 61, "waitid": 247,
}  # fmt: skip

CONDITIONAL: Final = {
    "clone": 56, "socket": 41, "socketpair": 53, "fcntl": 72, "ioctl": 16, "prctl": 157, "arch_prctl": 158,
    "prlimit64": 302, "close_range": 436, "sendto": 44, "mmap": 9, "madvise": 28, "getsockopt": 55, "futex": 202,
}  # fmt: skip
"""System calls that are allowed or denied by their arguments, see below."""

REFUSED: Final = {"fork": 57, "vfork": 58}
"""System calls that a valid program may try; they fail with ``EPERM``."""


# --- The filter ------------------------------------------------------------------------------------------------------
#
# x86-64 only. How a filter works is in Linux' Documentation/userspace-api/seccomp_filter.rst, its numbers are those of
# ``linux/seccomp.h``, ``linux/filter.h`` and ``linux/audit.h``.

_ARCH_X86_64: Final = 0xC000003E
_X32_BIT: Final = 0x40000000
_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_HAS_BITS: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_NUMBER, _ARCH = 0, 4

_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_ERRNO: Final = 0x00050000

AF_UNIX: Final = 1
CLONE_THREAD: Final = 0x00010000
CLONE_FILES: Final = 0x00000400
"""A thread must share its descriptors. Otherwise each thread would have its own limit of descriptors and buffers."""
CLONE_NAMESPACES: Final = 0x7E020080
CLOSE_RANGE_UNSHARE: Final = 2
FCNTL: Final = (0, 1, 2, 3, 4, 1030, 1032)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ
IOCTL: Final = (
    0x5401,
    0x5413,
    0x541B,
    0x5421,
    0x5450,
    0x5451,
)  # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
PRCTL: Final = (15, 16, 21, 39, 42, 0x53564D41)
"""PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS, PR_GET_THP_DISABLE, PR_SET_VMA."""
MADVISE: Final = (0, 1, 2, 3, 4, 8, 10, 11, 15, 16, 17, 18, 19, 22, 23, 24)
"""Hints on memory use, and freeing memory.

Excluded are hints that other processes could detect: MADV_MERGEABLE merges equal pages of two bots, MADV_COLD and
MADV_PAGEOUT remove pages of shared files, and MADV_HUGEPAGE and MADV_COLLAPSE join pages into huge pages.
"""
MAP_SHARED: Final = 0x01
MAP_ANONYMOUS: Final = 0x20
MAP_HUGETLB: Final = 0x40000
"""Huge pages come from a pool of the host that others have reserved."""
SOL_SOCKET: Final = 1
GETSOCKOPT: Final = (3, 4, 7, 8, 30, 38, 39)  # SO_TYPE, _ERROR, _SNDBUF, _RCVBUF, _ACCEPTCONN, _PROTOCOL, _DOMAIN
"""Allowed socket options, without SO_COOKIE and SO_NETNS_COOKIE, which are counters of the whole host."""
FUTEX_PRIVATE_FLAG: Final = 128
FUTEX_CLOCK_REALTIME: Final = 256
_FUTEX_SHARED: Final = (0, 1, 9, 10)  # FUTEX_WAIT, _WAKE, _WAIT_BITSET, _WAKE_BITSET
_FUTEX_PRIVATE: Final = (*_FUTEX_SHARED, 3, 4, 5)  # and FUTEX_REQUEUE, _CMP_REQUEUE, _WAKE_OP
FUTEX: Final = tuple(
    operation | clock
    for operation in (*_FUTEX_SHARED, *(private | FUTEX_PRIVATE_FLAG for private in _FUTEX_PRIVATE))
    for clock in (0, FUTEX_CLOCK_REALTIME)
)
"""The futex operations that C and C++ libraries use.

libstdc++ (``std::future``, ``std::atomic::wait``, ``std::counting_semaphore``) and musl (the end of a thread) wake
without FUTEX_PRIVATE_FLAG. So this must stay allowed, although it can reach a bot of another game that waits on the
same page of a library. Requeueing and FUTEX_WAKE_OP need the flag. Priority inheritance is not needed.
"""
ARCH_PRCTL: Final = (0x1001, 0x1002, 0x1003, 0x1004)  # ARCH_SET_GS, ARCH_SET_FS, ARCH_GET_FS, ARCH_GET_GS

Instruction = tuple[int, int, int, int]


@cache
def bot_filter() -> bytes:
    """Return the filter. Raises ``PlatformFailure`` on a machine that is not x86-64."""
    if platform.machine() != "x86_64" or struct.calcsize("P") != 8:
        raise PlatformFailure(f"the sandbox supports only x86-64, and this machine is {platform.machine()}")
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in _program())


def no_filter() -> bytes:
    """Return a filter that allows everything, to test the sandbox without one. No bot is ever started with it."""
    return struct.pack("=HBBI", *_give(_ALLOW))


def _program() -> list[Instruction]:
    program = [
        _load(_ARCH), *_unless_equal(_ARCH_X86_64, _KILL),
        _load(_NUMBER), (_AT_LEAST, 0, 1, _X32_BIT), _give(_KILL),
    ]  # fmt: skip
    for number in ALLOWED.values():
        program += [(_EQUAL, 0, 1, number), _give(_ALLOW)]
    for number in REFUSED.values():
        program += [(_EQUAL, 0, 1, number), _give(_ERRNO | errno.EPERM)]
    for name, number in CONDITIONAL.items():
        block = _conditions()[name]
        program += [(_EQUAL, 0, len(block), number), *block]
    return [*program, _give(_ERRNO | errno.ENOSYS)]


def _conditions() -> dict[str, list[Instruction]]:
    """Return the instructions for each conditional call. Each block ends in a verdict."""
    return {
        "clone": [
            _load(_low(0)), (_HAS_BITS, 0, 1, CLONE_NAMESPACES), _give(_ERRNO | errno.EPERM),
            (_HAS_BITS, 1, 0, CLONE_THREAD), _give(_ERRNO | errno.EPERM),
            (_HAS_BITS, 1, 0, CLONE_FILES), _give(_ERRNO | errno.EPERM), _give(_ALLOW),
        ],
        "close_range": [
            _load(_low(2)), (_HAS_BITS, 0, 1, CLOSE_RANGE_UNSHARE), _give(_ERRNO | errno.EPERM), _give(_ALLOW),
        ],
        "mmap": [
            _load(_low(3)), (_HAS_BITS, 0, 1, MAP_HUGETLB), _give(_ERRNO | errno.ENOMEM),
            # After munmap of all its pages but one, shared memory stays allocated, and RLIMIT_AS does not count it.
            (_HAS_BITS, 0, 2, MAP_ANONYMOUS), (_HAS_BITS, 0, 1, MAP_SHARED), _give(_ERRNO | errno.ENOMEM),
            _give(_ALLOW),
        ],
        "madvise": _one_of(2, MADVISE, errno.EINVAL),
        "sendto": [
            _load(_low(4)), *_unless_equal(0, _ERRNO | errno.EPERM),
            _load(_high(4)), *_unless_equal(0, _ERRNO | errno.EPERM),
            _give(_ALLOW),
        ],
        "socket": _one_of(0, (AF_UNIX,), errno.EAFNOSUPPORT),
        "socketpair": _one_of(0, (AF_UNIX,), errno.EAFNOSUPPORT),
        "getsockopt": [
            _load(_low(1)), *_unless_equal(SOL_SOCKET, _ERRNO | errno.EOPNOTSUPP),
            *_one_of(2, GETSOCKOPT, errno.ENOPROTOOPT),
        ],
        "futex": _one_of(1, FUTEX, errno.ENOSYS),
        "fcntl": _one_of(1, FCNTL, errno.EINVAL),
        "ioctl": _one_of(1, IOCTL, errno.ENOTTY),
        "prctl": _one_of(0, PRCTL, errno.EINVAL),
        "arch_prctl": _one_of(0, ARCH_PRCTL, errno.EINVAL),
        "prlimit64": [
            _load(_low(0)), *_unless_equal(0, _ERRNO | errno.EPERM),
            _load(_low(2)), *_unless_equal(0, _ERRNO | errno.EPERM),
            _load(_high(2)), *_unless_equal(0, _ERRNO | errno.EPERM),
            _give(_ALLOW),
        ],
    }  # fmt: skip


def _one_of(argument: int, values: Iterable[int], error: int) -> list[Instruction]:
    """Allow the call if the argument, an ``int`` to the kernel, is one of ``values``."""
    program = [_load(_low(argument))]
    for value in values:
        program += [(_EQUAL, 0, 1, value), _give(_ALLOW)]
    return [*program, _give(_ERRNO | error)]


def _unless_equal(value: int, verdict: int) -> list[Instruction]:
    return [(_EQUAL, 1, 0, value), _give(verdict)]


def _load(offset: int) -> Instruction:
    return (_LOAD, 0, 0, offset)


def _give(verdict: int) -> Instruction:
    return (_RETURN, 0, 0, verdict)


def _low(argument: int) -> int:
    return 16 + 8 * argument


def _high(argument: int) -> int:
    return _low(argument) + 4
