"""A bot that comes to its end in some way, at some moment, after some preparation: its source, for a property test."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Final

PREPARATIONS: Final = {
    "half a line": 'os.write(1, b\'{"id": 1, "mo\')',
    "a line that is no answer": "os.write(1, b'nonsense\\n')",
    "answers to what was not asked": '[os.write(1, b\'{"id": %d, "move": "money"}\\n\' % n) for n in range(90, 99)]',
    "a line that is too long": "os.write(1, b'x' * 70000 + b'\\n')",
    "a megabyte of stderr": "[os.write(2, b'e' * 65536) for _ in range(16)]",
    "threads that spin": "[threading.Thread(target=spin, daemon=True).start() for _ in range(10)]",
    "threads that sleep": "[threading.Thread(target=time.sleep, args=(1000,), daemon=True).start() for _ in range(25)]",
    "much memory": "hoard.append(bytearray(200 << 20))",
    "deaf to every signal": "[tried(signal.signal, number, signal.SIG_IGN) for number in range(1, 65)]",
    "a timer": "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)",
    "more holders of its stdout": "[os.dup(1) for _ in range(30)]",
    "a pipe that does not wait": "os.set_blocking(1, False)",
    "no stdin": "os.close(0)",
    "no stderr": "os.close(2)",
}

ENDINGS: Final = {
    "leaves with 0": "os._exit(0)",
    "leaves with 1": "os._exit(1)",
    "leaves with 255": "os._exit(255)",
    "leaves as somebody killed by a signal does": "os._exit(137)",
    "an error that nobody catches": "raise RuntimeError",
    "an error in a thread": "threading.Thread(target=lambda: 1 / 0).start()",
    "leaves from a thread": "threading.Thread(target=os._exit, args=(3,)).start()",
    "its main thread leaves and others stay": (
        "threading.Thread(target=spin).start(); ctypes.CDLL(None).syscall(60, 0)"
    ),
    "its main thread leaves and others sleep": (
        "threading.Thread(target=time.sleep, args=(1000,)).start(); ctypes.CDLL(None).syscall(60, 0)"
    ),
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)",
    "SIGSTOP": "os.kill(os.getpid(), signal.SIGSTOP)",
    "every signal there is": "[tried(os.kill, os.getpid(), number) for number in range(1, 65)]",
    "SIGKILL for everybody": "tried(os.kill, -1, signal.SIGKILL)",
    "aborts": "os.abort()",
    "reads from nowhere": "ctypes.string_at(8)",
    "runs what is no code": "ctypes.CFUNCTYPE(None)(8)()",
    "its stack is full": "deeper = lambda: deeper(); sys.setrecursionlimit(1 << 30); deeper()",
    "closes stdin": "os.close(0)",
    "closes stdout": "os.close(1)",
    "closes stdout and reads on": "os.close(1); [None for _ in sys.stdin]",
    "closes stderr": "os.close(2)",
    "closes everything": "os.closerange(0, 64)",
    "closes everything and leaves": "os.closerange(0, 64); os._exit(0)",
    "stdout is something else": "os.dup2(os.open('/dev/null', os.O_WRONLY), 1)",
    "stdout is its stdin": "os.dup2(0, 1)",
    "sleeps": "time.sleep(1000)",
    "spins": "spin()",
    "sleeps while its threads spin": (
        "[threading.Thread(target=spin, daemon=True).start() for _ in range(20)]; time.sleep(1000)"
    ),
    "floods stdout": "while True: os.write(1, b'x' * 65536)",
    "floods stdout with lines": "while True: os.write(1, b'{}\\n' * 20000)",
    "floods stdout with blanks": "while True: os.write(1, b' ' * 65536)",
    "floods stderr": "while True: os.write(2, b'x' * 65536)",
    "drips": "while True: os.write(1, b' '); time.sleep(0.001)",
    "eats memory": "while True: hoard.append(bytearray(1 << 20))",
    "eats memory and minds not": (
        "while True:\n try: hoard.append(bytearray(1 << 20))\n except MemoryError: time.sleep(0.01)"
    ),
    "becomes another program that leaves": "os.execv('/bin/true', ['true'])",
    "becomes another program that fails": "os.execv('/bin/false', ['false'])",
    "becomes another program that sleeps": "os.execv('/bin/sleep', ['sleep', '1000'])",
    "becomes another program that repeats what it is told": "os.execv('/bin/cat', ['cat'])",
    "becomes another program that talks": "os.execv('/usr/bin/yes', ['yes', '{}'])",
    "becomes another Python": "os.execv(sys.executable, ['python3', '-c', 'import time; time.sleep(1000)'])",
    "becomes nothing": "tried(os.execv, '/nowhere', ['nowhere'])",
    "answers late by sleeping": "late.append(lambda: time.sleep(1.3 * ALLOWED_S))",
    "answers late by thinking": "late.append(lambda: think(1.3 * ALLOWED_S))",
}
"""Each as statements; what is still there afterwards sleeps, but for the two that answer late from then on."""

MOMENTS: Final = ("import", "hello", "ready", "asked", "answered", "end")

_SOURCE: Final = """
import ctypes, json, os, signal, sys, threading, time
ALLOWED_S = {allowed_s}
hoard, late = [], []

def spin():
    while True:
        pass

def think(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass

def tried(action, *arguments):
    try:
        action(*arguments)
    except (OSError, ValueError):
        pass

def come_to_an_end():
{preparations}
{ending}
    while not late:
        time.sleep(1000)

def at(moment, number=0):
    if (moment, number) == {moment}:
        come_to_an_end()

at("import")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        at("hello")
        os.write(1, b'{{"type": "ready"}}\\n')
        at("ready")
    elif message["type"] == "end":
        at("end")
    else:
        at("asked", message["id"])
        for be_late in late:
            be_late()
        answer = {{"id": message["id"], "move": message["decision"]["default"]}}
        os.write(1, json.dumps(answer).encode() + b"\\n")
        at("answered", message["id"])
"""


@dataclass(frozen=True)
class End:
    """How, when and after what. ``number`` is the decision, for the moments that belong to one."""

    ending: str
    moment: str
    number: int = 1
    preparations: tuple[str, ...] = ()

    def source(self, allowed_s: float) -> bytes:
        """The bot; ``allowed_s`` is the most that it may take for a decision."""
        number = self.number if self.moment in ("asked", "answered") else 0
        prepared = "\n".join(PREPARATIONS[preparation] for preparation in self.preparations) or "pass"
        text = _SOURCE.format(
            allowed_s=allowed_s,
            moment=(self.moment, number),
            preparations=indent(prepared, "    "),
            ending=indent(dedent(ENDINGS[self.ending]), "    "),
        )
        return text.encode()
