"""What a hostile program is, and the few functions all of them have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Final

from bots.protocol import Limits

PRELUDE: Final = r'''
import ctypes, errno, json, mmap, os, resource, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
HARMLESS = (OSError, MemoryError, RuntimeError, ValueError, OverflowError)
got = []

def say(line):
    data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    while data:
        data = data[os.write(1, data):]

def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)

def ready():
    hello = hear()
    say('{"type": "ready"}\n')
    return hello

def move(message):
    say(json.dumps({"id": message["id"], "move": message["decision"]["default"]}) + "\n")

def play(instead=None, at=2):
    """Play on with default moves, but for one decision."""
    while True:
        message = hear()
        if message["type"] == "end":
            return
        if message["id"] == at and instead:
            instead(message)
        else:
            move(message)

def tell(*facts):
    sys.stderr.write(" ".join(map(str, facts)) + "\n")
    sys.stderr.flush()

def attempt(what, action, *arguments):
    """Try something that must not work; what it gave is noted if it does."""
    try:
        result = action(*arguments)
    except HARMLESS as error:
        return error
    got.append(f"{what} ({result!r:.60})")

def syscall(number, *arguments):
    ctypes.set_errno(0)
    values = (value if isinstance(value, ctypes.Array) else ctypes.c_long(value) for value in arguments)
    result = libc.syscall(ctypes.c_long(number), *values)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def absent(**calls):
    """System calls that must not exist, each with its arguments: any other answer than ENOSYS was a real one."""
    for name, (number, *arguments) in calls.items():
        error = attempt(name, syscall, number, *arguments)
        if isinstance(error, OSError) and error.errno != errno.ENOSYS:
            got.append(f"{name} ({errno.errorcode[error.errno]})")

def attack(action):
    """Do it at the second decision, tell what it gave, and play on."""
    def instead(message):
        action()
        tell("got", *got) if got else tell("refused")
        move(message)
    ready()
    play(instead)

def mapped(length, protection=3, flags=0x22, descriptor=-1, hint=0, offset=0):
    address = libc.mmap(ctypes.c_void_p(hint), ctypes.c_size_t(length), protection, flags, descriptor,
                        ctypes.c_long(offset))
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "no memory")
    return address
libc.mmap.restype = ctypes.c_void_p

def read_only(length=1 << 21):
    """Use memory that is read-only after it was written: RLIMIT_DATA does not count it."""
    address = mapped(length)
    ctypes.memset(address, 1, length)
    libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(length), 1)
    return address

def grow(step=read_only):
    """Use more and more memory, and say how much if that is no longer possible."""
    try:
        while True:
            step()
    except HARMLESS as error:
        got.append(f"no end but {error!r}")
'''

HASTY: Final = Limits(startup_ms=3000, move_ms=250, bank_ms=350, game_ms=20_000)
"""So little time that a program that stalls is through with its three strikes in two seconds."""

PATIENT: Final = Limits(startup_ms=10_000, move_ms=40_000, bank_ms=0, game_ms=80_000)
"""Time for all the rest, which does not use it, even where the machine is busy."""


@dataclass(frozen=True)
class Hostile:
    """One kind of attack and what has to become of it.

    ``forfeit`` is the reason for which it loses, ``None`` if it plays on; ``strikes`` are all those it earns, in their
    order. ``says`` must stand in what it writes to stderr: an attempt that plays on says what it got, and that is
    nothing. ``files`` lie beside its program. Where ``slow``, it takes more than a second. Where ``maps_files``, most
    of its resident pages are those of files that all bots share, and can grow faster than memory.
    """

    title: str
    tries: str
    source: str
    forfeit: str | None = None
    strikes: tuple[str, ...] = ()
    says: str = "refused"
    slow: bool = False
    maps_files: bool = False
    own_limits: Limits | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    family: str = ""

    @property
    def program(self) -> str:
        """Its source, whole."""
        return PRELUDE + dedent(self.source)

    @property
    def limits(self) -> Limits:
        """The time it has."""
        return self.own_limits or (HASTY if self.slow or "late" in self.strikes else PATIENT)

    @property
    def verdict(self) -> str:
        """The result of its game, in the words of the table."""
        words = []
        if self.strikes:
            reasons = ", ".join(f"`{reason}`" for reason in dict.fromkeys(self.strikes))
            words.append(f"{len(self.strikes)} strike{'s' * (len(self.strikes) > 1)} ({reasons})")
        if self.forfeit is not None:
            words.append(f"forfeit (`{self.forfeit}`)")
        if not words:
            words.append("refused" if self.says == "refused" else "no effect")
        return ", ".join(words)
