"""Programs that mean harm, and what has to become of each. All of them speak the protocol when it serves them."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Final

PRELUDE: Final = """
import ctypes, errno, json, os, resource, signal, socket, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)

def say(text):
    sys.stdout.write(text); sys.stdout.flush()

def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)

def ready():
    hello = hear(); say('{"type": "ready"}\\n'); return hello

def move(message):
    say(json.dumps({"id": message["id"], "move": message["decision"]["default"]}) + "\\n")

def play(at=None, then=None):
    ready()
    while True:
        message = hear()
        if message["type"] == "end":
            return
        if message["id"] == at:
            then(message)
        else:
            move(message)

def tell(*facts):
    sys.stderr.write(" ".join(map(str, facts)) + "\\n"); sys.stderr.flush()

def tried(action, *arguments):
    try:
        action(*arguments)
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        return type(error).__name__
    return "DONE"

def call(*arguments):
    ctypes.set_errno(0)
    result = libc.syscall(*(ctypes.c_long(argument) for argument in arguments))
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result
"""


@dataclass(frozen=True)
class Hostile:
    """One kind of attack. ``verdict``: the forfeit it earns, ``None`` for an attack that leads nowhere.

    ``told`` must, and ``never`` must not, stand in what it wrote to stderr; ``strikes`` are those it earns.
    """

    name: str
    source: str
    verdict: str | None = None
    strikes: tuple[str, ...] = ()
    told: str = ""
    never: str = "DONE"
    slow: bool = False

    @property
    def program(self) -> str:
        """Its source, whole."""
        return PRELUDE + dedent(self.source)


HOSTILE: Final = (
    Hostile(
        "fork bomb",
        """
        def bomb(message):
            for _ in range(1000):
                tell("fork", tried(os.fork)) if _ < 3 else tried(os.fork)
            move(message)
        play(2, bomb)
        """,
        told="fork PermissionError",
    ),
    Hostile(
        "thread bomb",
        """
        def bomb(message):
            made = 0
            try:
                for _ in range(1000):
                    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start(); made += 1
            except RuntimeError:
                pass
            tell("DONE" if made > 40 else "few")
            move(message)
        play(2, bomb)
        """,
        told="few",
    ),
    Hostile(
        "memory",
        """
        def eat(message):
            hoard = []
            try:
                while True:
                    hoard.append(bytearray(1 << 24))
            except MemoryError:
                tell("DONE" if len(hoard) > 40 else "bounded")
            hoard.clear()
            move(message)
        play(2, eat)
        """,
        told="bounded",
    ),
    Hostile(
        "shared memory of every kind",
        """
        import mmap
        def eat(message):
            hoard = []
            try:
                while len(hoard) < 100:
                    hoard.append(mmap.mmap(-1, 1 << 24))
                    hoard[-1][:: 4096] = b"x" * 4096
            except (OSError, ValueError):
                pass
            tell("shared", "DONE" if len(hoard) > 40 else "bounded",
                 tried(call, 319, id(b"x"), 0), tried(call, 29, 0, 4096, 0o1666))
            hoard.clear()
            move(message)
        play(2, eat)
        """,
        told="shared bounded OSError OSError",
    ),
    Hostile(
        "flood of stdout",
        """
        def flood(message):
            while True:
                os.write(1, b"x" * 65536)
        play(2, flood)
        """,
        verdict="strikes",
        strikes=("too_long", "late", "late"),
        slow=True,
    ),
    Hostile(
        "flood of lines",
        """
        def flood(message):
            while True:
                os.write(1, b'{"id": 1, "move": "money"}\\n' * 2000)
        play(2, flood)
        """,
        verdict="strikes",
        strikes=("late", "late", "late"),
        slow=True,
    ),
    Hostile(
        "flood of stderr",
        """
        def flood(message):
            for _ in range(2000):
                os.write(2, b"e" * 65536)
            move(message)
        play(2, flood)
        """,
    ),
    Hostile(
        "never reads",
        """
        ready()
        while True:
            time.sleep(1000)
        """,
        verdict="strikes",
        strikes=("late", "late", "late"),
        slow=True,
    ),
    Hostile(
        "answers without reading",
        """
        ready()
        for number in range(1, 400):
            say('{"id": %d, "move": "money"}\\n' % number)
        time.sleep(1000)
        """,
        verdict="strikes",
        slow=True,
    ),
    Hostile(
        "half a line",
        """
        def half(message):
            say('{"id": 2, "mo'); time.sleep(1000)
        play(2, half)
        """,
        verdict="strikes",
        strikes=("late", "late", "late"),
        slow=True,
    ),
    Hostile(
        "slow drip",
        """
        def drip(message):
            while True:
                say(" "); time.sleep(0.01)
        play(2, drip)
        """,
        verdict="strikes",
        strikes=("late", "late", "late"),
        slow=True,
    ),
    Hostile(
        "closes stdout",
        """
        def close(message):
            os.close(1); time.sleep(1000)
        play(2, close)
        """,
        verdict="exit",
    ),
    Hostile(
        "closes everything",
        """
        def close(message):
            os.closerange(0, 64)
            while True:
                pass
        play(2, close)
        """,
        verdict="exit",
    ),
    Hostile(
        "ignores every signal",
        """
        for number in range(1, 65):
            tried(signal.signal, number, signal.SIG_IGN)
        def stay(message):
            while True:
                time.sleep(1000)
        play(2, stay)
        """,
        verdict="strikes",
        slow=True,
    ),
    Hostile(
        "stays after the end",
        """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        play()
        while True:
            pass
        """,
    ),
    Hostile(
        "stops itself",
        """
        def stop(message):
            for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN):
                os.kill(os.getpid(), number)
            tell("awake")
            move(message)
        play(2, stop)
        """,
        told="awake",
    ),
    Hostile(
        "kills everybody",
        """
        def kill(message):
            tell("kill", tried(os.kill, -1, 9), tried(os.kill, os.getppid() or 2, 9), tried(os.kill, 2, 9))
            move(message)
        play(2, kill)
        """,
        told="kill ",
        never="kill DONE DONE DONE",
    ),
    Hostile(
        "reads the host's secrets",
        """
        places = ("/etc/passwd", "/etc/shadow", "/root/.ssh/id_rsa", "/home", "/var", "/run", "/sys/kernel",
                  "/proc/1/environ", "/proc/self/mem", "/dev/mem", "/dev/kmsg", "/dev/tty",
                  "/bot/../work", "/tmp/../root")
        def look(message):
            tell("read", *(tried(os.open, place, os.O_RDONLY) for place in places))
            tell("list", os.listdir("/"), os.listdir("/tmp"))
            move(message)
        play(2, look)
        """,
        told="read " + " ".join(["FileNotFoundError"] * 14),
    ),
    Hostile(
        "writes files",
        """
        places = ("/", "/tmp/", "/bot/", "/usr/", "/usr/lib/", "/dev/", "/etc/")
        def write(message):
            flags = os.O_CREAT | os.O_WRONLY
            tell(*(tried(os.open, place + "x", flags) for place in places), tried(os.open, "/bot/bot.py", os.O_RDWR))
            tell(tried(os.mkdir, "/tmp/d"), tried(os.symlink, "/bot", "/tmp/l"), tried(os.unlink, "/bot/bot.py"),
                 tried(os.mkfifo, "/tmp/p"), tried(os.truncate, "/bot/bot.py", 0), tried(os.chmod, "/bot", 0o777))
            move(message)
        play(2, write)
        """,
        told="OSError",
    ),
    Hostile(
        "the network",
        """
        families = [family for family in range(0, 46) if family != socket.AF_UNIX]
        def connect(message):
            tell(set(tried(socket.socket, family, kind) for family in families for kind in (1, 2, 3)))
            local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            tell(tried(local.bind, "/tmp/s"), tried(local.connect, "\\0host"), tried(local.listen),
                 tried(socket.getaddrinfo, "localhost", 80))
            move(message)
        play(2, connect)
        """,
        told="{'OSError'}",
    ),
    Hostile(
        "namespaces and privileges",
        """
        def rise(message):
            calls = ((272, 0x10000000), (308, 0, 0), (165, 0, 0, 0, 0), (161, id(b"/")), (101, 16, 1, 0, 0),
                     (435, 0, 0),
                     (157, 1, 0), (321, 0, 0, 0), (425, 1, 0), (298, 0, 0, 0, 0))
            tell(tried(os.setuid, 0), tried(os.setgroups, [0]), *(tried(call, *numbers) for numbers in calls))
            move(message)
        play(2, rise)
        """,
        told="OSError",
    ),
    Hostile(
        "more than its limits",
        """
        names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
        def raise_(message):
            whole = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            tell(*(tried(resource.setrlimit, getattr(resource, name), whole) for name in names))
            tell(tried(os.nice, -5), tried(os.sched_setaffinity, 0, {0}),
                 tried(os.sched_setscheduler, 0, 1, os.sched_param(1)))
            move(message)
        play(2, raise_)
        """,
        told="OSError OSError",
    ),
    Hostile(
        "descriptors",
        """
        def open_(message):
            made = 0
            try:
                while made < 10000:
                    os.open("/dev/null", os.O_RDONLY); made += 1
            except OSError:
                pass
            tell("DONE" if made > 64 else "bounded")
            move(message)
        play(2, open_)
        """,
        told="bounded",
    ),
    Hostile(
        "locks on files that others see",
        """
        import fcntl
        def lock(message):
            with open("/usr/bin/env", "rb") as shared:
                tell(tried(fcntl.flock, shared, fcntl.LOCK_EX), tried(fcntl.lockf, shared, fcntl.LOCK_SH),
                     tried(fcntl.fcntl, shared, 1024, 0))
            move(message)
        play(2, lock)
        """,
        told="OSError OSError OSError",
    ),
    Hostile(
        "descriptors for every thread",
        """
        CLOSE_RANGE, UNSHARE = 436, 2
        CLONE_VM, CLONE_FS, CLONE_SIGHAND, CLONE_THREAD = 0x100, 0x200, 0x800, 0x10000
        def part(message):
            tell(tried(call, CLOSE_RANGE, 60, 61, UNSHARE),
                 tried(call, 56, CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD, 0, 0, 0, 0))
            move(message)
        play(2, part)
        """,
        told="PermissionError PermissionError",
    ),
    Hostile(
        "sleeps, then keeps its own main thread from the processor",
        """
        import hashlib
        def burn(until):
            while time.monotonic() < until:
                hashlib.pbkdf2_hmac("sha256", b"x", b"y", 300)
        def starve(message):
            time.sleep(0.65)
            until = time.monotonic() + 0.4
            for _ in range(16):
                threading.Thread(target=burn, args=(until,), daemon=True).start()
            burn(until)
            move(message)
        play(2, starve)
        """,
        strikes=("late",),
    ),
    Hostile(
        "has the platform take its processor",
        """
        def drip(message):
            time.sleep(0.5)
            until = time.monotonic() + 0.52
            while time.monotonic() < until:
                os.write(2, b" ")
            move(message)
        play(2, drip)
        """,
        strikes=("late",),
    ),
    Hostile(
        "deep, huge and doubtful JSON",
        """
        said = {2: '[' * 30000 + ']' * 30000, 3: '{"id": 3, "move": ' + '9' * 60000 + '}'}
        ready()
        while True:
            message = hear()
            if message["type"] == "end":
                break
            say(said[message["id"]] + "\\n") if message["id"] in said else move(message)
        """,
        strikes=("malformed", "malformed"),
    ),
    Hostile("exits in mid-game", "play(3, lambda message: os._exit(0))", verdict="exit"),
    Hostile("is killed in mid-game", "play(3, lambda message: os.kill(os.getpid(), 9) or os._exit(9))", verdict="exit"),
    Hostile("crashes in native code", "play(3, lambda message: ctypes.string_at(8))", verdict="exit"),
    Hostile("dies before it is ready", "os._exit(1)", verdict="exit"),
    Hostile("is never ready", "time.sleep(1000)", verdict="not_ready"),
    Hostile("spins", "play(2, lambda message: [None for _ in iter(int, 1)])", verdict="exit|strikes", slow=True),
    Hostile(
        "thinks while others think",
        """
        def spin():
            while True:
                pass
        for _ in range(4):
            threading.Thread(target=spin, daemon=True).start()
        play()
        """,
        verdict="any",
    ),
)
