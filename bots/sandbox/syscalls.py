"""The system calls a bot may make on x86-64, by name and number: what an interpreter with threads needs, and no more.

What is not here does not exist for a bot (``ENOSYS``): no other processes, no network, no files but those it may
read, no shared memory but its own, no locks on files that others see too, no kernel subsystem that an honest bot has
no use for. Nor does what tells of others or lasts: how much memory and disk the host has left (``sysinfo``,
``statfs``), how many mounts it has (``statx``), which pages of files were in its cache (``getrusage``, which counts
page faults), descriptors sent through a socket (``sendmsg``), which no limit counts, and throwing files out of the
host's cache (``fadvise64``).
"""

from __future__ import annotations

from typing import Final

ALLOWED: Final = {
    # reading and writing what is open
    "read": 0, "write": 1, "close": 3, "lseek": 8, "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20,
    "preadv": 295, "pwritev": 296,
    "pipe": 22, "pipe2": 293, "dup": 32, "dup2": 33, "dup3": 292,
    # finding and opening
    "open": 2, "stat": 4, "fstat": 5, "lstat": 6, "access": 21, "getcwd": 79, "chdir": 80, "fchdir": 81,
    "readlink": 89, "getdents": 78, "getdents64": 217, "openat": 257, "newfstatat": 262, "readlinkat": 267,
    "faccessat": 269, "faccessat2": 439,
    # waiting
    "poll": 7, "ppoll": 271, "select": 23, "pselect6": 270, "epoll_create": 213, "epoll_create1": 291,
    "epoll_ctl": 233, "epoll_wait": 232, "epoll_pwait": 281, "epoll_pwait2": 441, "eventfd2": 290,
    # a pair of sockets of its own, as event loops use it to wake themselves
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
    # who and where it is
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
"""Those whose arguments decide, in ``bots.sandbox.seccomp``."""

REFUSED: Final = {"fork": 57, "vfork": 58}
"""Those an honest program may try, and is told that it may not (``EPERM``)."""
