"""Processes and signals."""

from __future__ import annotations

from typing import Final

from bots.protocol import Limits
from tests.bots.hostile.kind import Hostile

OTHER: Final = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "end":
        break
    first = message["type"] == "hello"
    answer = {"type": "ready"} if first else {"id": message["id"], "move": message["decision"]["default"]}
    print(json.dumps(answer), flush=True)
"""

PROCESSES: Final = (
    Hostile(
        "fork bomb",
        "calls fork, vfork, clone, clone3 and posix_spawn 1,000 times",
        """
        def bomb():
            for _ in range(1000):
                attempt("fork", os.fork)
                attempt("vfork", syscall, 58)
                attempt("clone", syscall, 56, 17, 0, 0, 0, 0)
                attempt("clone of the memory", syscall, 56, 0x100 | 17, 0, 0, 0, 0)
            arguments = ctypes.create_string_buffer(struct.pack("11Q", 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0))
            absent(clone3=(435, arguments, 88))
            attempt("posix_spawn", os.posix_spawn, "/usr/bin/true", ["true"], {})
        attack(bomb)
        """,
    ),
    Hostile(
        "thread bomb",
        "starts 1,000 threads",
        """
        def bomb():
            made = 0
            try:
                for _ in range(1000):
                    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
                    made += 1
            except RuntimeError:
                pass
            if made > 32:
                got.append(f"{made} threads")
        attack(bomb)
        """,
    ),
    Hostile(
        "busy threads",
        "keeps all its threads busy, even during other players' turns",
        """
        def spin():
            while True:
                pass
        for _ in range(8):
            threading.Thread(target=spin, daemon=True).start()
        sys.setswitchinterval(1e-4)
        attack(lambda: None)
        """,
        own_limits=Limits(startup_ms=10_000, move_ms=2000, bank_ms=60_000, game_ms=120_000),
        slow=True,
    ),
    Hostile(
        "kill every process",
        "sends signals to every process, its process group and its parent",
        """
        def kill():
            for pid in (*range(2, 400), -1):
                for number in (9, 19, 15):
                    attempt(f"kill {pid}", os.kill, pid, number)
            os.kill(0, 9)
            os.kill(0, 19)
            attempt("another group", os.killpg, 1234, 9)
            absent(pidfd_open=(434, 1, 0), pidfd_send_signal=(424, 0, 9, 0, 0), rt_sigqueueinfo=(129, 1, 9, 0))
        attack(kill)
        """,
    ),
    Hostile(
        "shared futex",
        "uses every futex operation except wait and wake on a shared library page",
        """
        def wake():
            page = ctypes.cast(libc.write, ctypes.c_void_p).value & -4096
            word = ctypes.create_string_buffer(4)
            for clock in (0, 256):
                absent(**{f"operation {operation | clock}": (202, page, operation | clock, 1, 1, page, 0)
                          for operation in range(128) if operation not in (0, 1, 9, 10)})
            absent(futex_wake=(454, page, -1, 1, 2), futex_wait=(455, page, 0, -1, 2, 0, 1), futex_requeue=(456, 0, 0))
            for operation in (1, 129):
                assert syscall(202, ctypes.addressof(word), operation, 1, 0, 0, 0) == 0
        attack(wake)
        """,
    ),
    Hostile(
        "kill itself",
        "sends SIGKILL to itself, then exits with status 9",
        """
        ready()
        play(lambda message: os.kill(os.getpid(), 9) or os._exit(9))
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "ignore signals",
        "ignores every signal, then stops answering",
        """
        for number in range(1, 65):
            attempt("signal", signal.signal, number, signal.SIG_IGN)
        libc.sigfillset(ctypes.create_string_buffer(128))
        ready()
        play(lambda message: time.sleep(1000))
        """,
        forfeit="strikes",
        strikes=("late", "late", "late"),
        says="",
        slow=True,
    ),
    Hostile(
        "stay after the end",
        "ignores the end of the game and of stdin, and keeps computing",
        """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        ready()
        play()
        while True:
            pass
        """,
        says="",
    ),
    Hostile(
        "outlive the parent",
        "asks the kernel to let it outlive the worker and adopt orphaned processes",
        """
        def outlive():
            attempt("PR_SET_PDEATHSIG", syscall, 157, 1, 0)
            attempt("PR_SET_CHILD_SUBREAPER", syscall, 157, 36, 1)
            attempt("PR_SET_DUMPABLE", syscall, 157, 4, 0)
            attempt("PR_SET_TIMERSLACK", syscall, 157, 29, 1)
            attempt("PR_SET_MM", syscall, 157, 35, 1, 0)
            attempt("PR_SET_PTRACER", syscall, 157, 0x59616D61, -1)
        attack(outlive)
        """,
    ),
    Hostile(
        "end the main thread",
        "ends its main thread and plays on in another one",
        """
        def rest():
            attack(lambda: time.sleep(0.1))
            os._exit(0)
        threading.Thread(target=rest).start()
        libc.syscall(60, 0)
        """,
    ),
    Hostile(
        "replace itself",
        "replaces itself with a shell and with another interpreter that answers",
        """
        for shell in ("/bin/sh", "/bin/bash", "/bin/busybox", "/usr/bin/env"):
            attempt(shell, os.execv, shell, [shell, "-c", "echo got a shell"])
        tell("got", *got) if got else tell("refused")
        os.execv(sys.executable, [sys.executable, "-S", "other.py"])
        """,
        files={"other.py": OTHER},
    ),
    Hostile(
        "set-user-ID programs",
        "executes su, mount, bwrap and all other set-user-ID programs",
        """
        ready()
        hear()
        for name in ("su", "sudo", "passwd", "newgrp", "chsh"):
            if os.path.exists(f"/usr/bin/{name}"):
                os.execv(f"/usr/bin/{name}", [name])
        os._exit(1)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "descriptor tables",
        "starts threads with separate descriptor tables to get more descriptors",
        """
        def part():
            attempt("close_range", syscall, 436, 60, 61, 2)
            attempt("clone", syscall, 56, 0x100 | 0x200 | 0x800 | 0x10000, 0, 0, 0, 0)
            absent(unshare=(272, 0x400))
        attack(part)
        """,
    ),
)
