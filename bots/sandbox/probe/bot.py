"""Started the way every bot is started, it says what it sees of the world. ``bots.sandbox.proving`` judges that."""

import ctypes
import errno
import json
import os
import platform
import resource
import socket
import sys


def attempt(action, *arguments):
    """What trying something comes to: ``"done"``, or the name of the error."""
    try:
        action(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    return "done"


def calls():
    """System calls made directly, as a hostile program would make them."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(*arguments):
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


def forked():
    """Whether a second process could be made."""
    try:
        child = os.fork()
    except OSError as error:
        return errno.errorcode.get(error.errno, "refused")
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "done"


def open_descriptors():
    """The descriptors it was started with."""
    found = []
    for number in range(64):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found


def writable():
    """Places where a file could be made."""
    places = ("/", "/tmp", "/bot", "/usr", "/dev", "/etc", "/var/tmp", "/dev/shm", "/run")
    flags = os.O_CREAT | os.O_WRONLY
    return [place for place in places if attempt(lambda p=place: os.close(os.open(p + "/probe", flags))) == "done"]


def limits():
    """The limits that hold, soft and hard."""
    names = ("AS", "NOFILE", "FSIZE", "CORE", "CPU", "MEMLOCK", "MSGQUEUE", "SIGPENDING", "STACK", "NPROC")
    return {name: list(resource.getrlimit(getattr(resource, "RLIMIT_" + name))) for name in names}


def findings(secret):
    """All of it."""
    return {
        "secret": attempt(lambda: os.close(os.open(secret, os.O_RDONLY))),
        "python": platform.python_version(),
        "ids": [os.getpid(), os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups()],
        "host": platform.node(),
        "root": sorted(os.listdir("/")),
        "etc": sorted(os.listdir("/etc")) if os.path.isdir("/etc") else [],
        "dev": sorted(os.listdir("/dev")),
        "proc": os.path.exists("/proc/self"),
        "environment": sorted(os.environ),
        "writable": writable(),
        "descriptors": open_descriptors(),
        "internet": attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()),
        "netlink": attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()),
        "fork": forked(),
        "limits": limits(),
        "calls": calls(),
    }


def main():
    hello = json.loads(sys.stdin.readline())
    print(json.dumps({"type": "ready", "seed": hello["seed"], "findings": findings(hello["secret"])}), flush=True)


main()
