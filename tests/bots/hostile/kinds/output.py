"""Floods, and stalls of every kind."""

from __future__ import annotations

from typing import Final

from bots.protocol import Limits
from tests.bots.hostile.kind import Hostile

THREE_TIMES_LATE: Final = ("late", "late", "late")

FLOODS: Final = (
    Hostile(
        "endless line",
        "writes bytes to stdout without a newline",
        """
        ready()
        def flood(message):
            while True:
                os.write(1, b"x" * 65536)
        play(flood)
        """,
        forfeit="strikes",
        strikes=("too_long", "late", "late"),
        says="",
        slow=True,
    ),
    Hostile(
        "endless old answers",
        "repeats the answer to an earlier decision",
        """
        ready()
        def flood(message):
            while True:
                os.write(1, b'{"id": 1, "move": "money"}\\n' * 2000)
        play(flood)
        """,
        forfeit="strikes",
        strikes=THREE_TIMES_LATE,
        says="",
        slow=True,
    ),
    Hostile(
        "endless newlines",
        "writes only newlines",
        """
        ready()
        play(lambda message: os.write(1, b"\\n" * 65536) and time.sleep(1000))
        """,
        forfeit="strikes",
        strikes=("malformed", "malformed", "malformed"),
        says="",
    ),
    Hostile(
        "1,000 answers",
        "writes 1,000 answers to each decision and to all later ones",
        """
        ready()
        def flood(message):
            for _ in range(1000):
                move(message)
            say("".join('{"id": %d, "move": 1}\\n' % number for number in range(3, 500)))
            time.sleep(1000)
        play(flood)
        """,
        forfeit="strikes",
        strikes=("illegal", "illegal", "illegal"),
        says="",
    ),
    Hostile(
        "128 MiB of stderr",
        "writes 128 MiB to stderr before each answer",
        """
        def flood():
            for _ in range(2000):
                os.write(2, b"e" * 65535 + b"\\n")
        attack(flood)
        """,
    ),
    Hostile(
        "stderr in single bytes",
        "writes single bytes to stderr until its time is up, then answers",
        """
        ready()
        def drip(message):
            until = time.monotonic() + 0.62
            while time.monotonic() < until:
                os.write(2, b" ")
            move(message)
        play(drip)
        """,
        strikes=("late",),
        says="",
    ),
    Hostile(
        "stdout and stderr",
        "writes endlessly to stdout and stderr from several threads",
        """
        ready()
        def pour(number):
            while True:
                os.write(number, b"x" * 4096)
        def flood(message):
            for number in (1, 2, 1, 2):
                threading.Thread(target=pour, args=(number,), daemon=True).start()
            time.sleep(1000)
        play(flood)
        """,
        forfeit="strikes",
        strikes=("too_long", "late", "late"),
        says="",
        slow=True,
    ),
    Hostile(
        "64 MiB line",
        "writes an answer of 64 MiB",
        """
        ready()
        def say_it(message):
            say('{"id": 2, "move": "')
            for _ in range(1 << 10):
                os.write(1, b"x" * 65536)
            say('"}\\n')
        play(say_it)
        """,
        strikes=("too_long",),
        says="",
    ),
    Hostile(
        "packet mode",
        "sets its stdout to packet mode so that every byte requires a separate read",
        """
        import fcntl
        def packets(message):
            flags = fcntl.fcntl(1, fcntl.F_GETFL)
            fcntl.fcntl(1, fcntl.F_SETFL, flags | os.O_DIRECT)
            for byte in json.dumps({"id": message["id"], "move": message["decision"]["default"]}) + "\\n":
                os.write(1, byte.encode())
            tell("refused")
        ready()
        play(packets)
        """,
    ),
    Hostile(
        "terminal sequences",
        "writes escape sequences, NULs and incomplete characters to stderr",
        """
        def write():
            os.write(2, b"\\x1b]0;owned\\x07\\x1b[2J\\0\\xff\\xed\\xa0\\x80<script>alert(1)</script>\\n")
        attack(write)
        """,
    ),
)

STALLS: Final = (
    Hostile(
        "never reads",
        "sends `ready` and reads nothing afterward",
        """
        ready()
        while True:
            time.sleep(1000)
        """,
        forfeit="strikes",
        strikes=THREE_TIMES_LATE,
        says="",
        slow=True,
    ),
    Hostile(
        "never ready",
        "writes nothing",
        "time.sleep(1000)",
        forfeit="not_ready",
        says="",
        own_limits=Limits(startup_ms=800, move_ms=250, bank_ms=350, game_ms=20_000),
    ),
    Hostile(
        "incomplete ready",
        "writes parts of `ready` and other lines until its time is up",
        """
        say('{"type": "rea')
        for _ in range(1000):
            time.sleep(0.02)
            say('\\n{"type": "soon"}\\n{"type": "rea')
        """,
        forfeit="not_ready",
        says="",
        own_limits=Limits(startup_ms=800, move_ms=250, bank_ms=350, game_ms=20_000),
    ),
    Hostile("exit before ready", "exits immediately", "os._exit(1)", forfeit="exit", says=""),
    Hostile(
        "exit during a game",
        "exits with status 0 when asked for a decision",
        """
        ready()
        play(lambda message: os._exit(0), at=3)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "segmentation fault",
        "reads from an invalid address",
        """
        ready()
        play(lambda message: ctypes.string_at(8), at=3)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "core handler",
        "sets its core limit to 0, which triggers the host's core handler, and crashes",
        """
        def crash(message):
            for limits in ((0, 0), (0, 1), (0, resource.RLIM_INFINITY)):
                attempt(f"limits {limits}", resource.setrlimit, resource.RLIMIT_CORE, limits)
            if resource.getrlimit(resource.RLIMIT_CORE) != (1, 1):
                got.append(f"the limits {resource.getrlimit(resource.RLIMIT_CORE)}")
            tell("got", *got) if got else tell("refused")
            ctypes.string_at(8)
        ready()
        play(crash)
        """,
        forfeit="exit",
    ),
    Hostile(
        "incomplete answer",
        "writes the beginning of an answer",
        """
        ready()
        play(lambda message: say('{"id": 2, "mo') or time.sleep(1000))
        """,
        forfeit="strikes",
        strikes=THREE_TIMES_LATE,
        says="",
        slow=True,
    ),
    Hostile(
        "slow answer",
        "writes one byte of an answer every few milliseconds",
        """
        ready()
        def drip(message):
            while True:
                say(" ")
                time.sleep(0.01)
        play(drip)
        """,
        forfeit="strikes",
        strikes=THREE_TIMES_LATE,
        says="",
        slow=True,
    ),
    Hostile(
        "use up all its time",
        "answers each decision at the last moment to prolong the game",
        """
        ready()
        while True:
            message = hear()
            if message["type"] == "end":
                break
            clock = message["clock"]
            left_ms = min(clock["move_ms"] + clock["bank_ms"], clock["game_ms"])
            time.sleep(left_ms / 1000 - 0.06 if left_ms > 100 else 1)
            move(message)
        """,
        forfeit="time",
        says="",
        slow=True,
        own_limits=Limits(startup_ms=3000, move_ms=400, bank_ms=0, game_ms=1600),
    ),
    Hostile(
        "stop itself",
        "sends itself SIGSTOP and terminal stop signals, including from a thread",
        """
        def stop():
            for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
                os.kill(os.getpid(), number)
                os.kill(0, number)
                signal.raise_signal(number)
        attack(stop)
        """,
    ),
    Hostile(
        "sleep",
        "sleeps for longer than its time allows",
        """
        ready()
        play(lambda message: time.sleep(0.8) or move(message))
        """,
        strikes=("late",),
        says="",
    ),
    Hostile(
        "endless loop",
        "computes endlessly",
        """
        ready()
        play(lambda message: all(True for _ in iter(int, 1)))
        """,
        forfeit="strikes",
        strikes=THREE_TIMES_LATE,
        says="",
        slow=True,
    ),
    Hostile(
        "starve its main thread",
        "sleeps, then starts many threads so that its delay looks like server lag",
        """
        import hashlib
        ready()
        def burn(until):
            while time.monotonic() < until:
                hashlib.pbkdf2_hmac("sha256", b"x", b"y", 300)
        def starve(message):
            time.sleep(0.3)
            until = time.monotonic() + 0.5
            for _ in range(16):
                threading.Thread(target=burn, args=(until,), daemon=True).start()
            burn(until)
            move(message)
        play(starve)
        """,
        strikes=("late",),
        says="",
    ),
    Hostile(
        "late on purpose",
        "uses most of its time and answers slightly late to get a re-run",
        """
        ready()
        while True:
            message = hear()
            if message["type"] == "end":
                break
            clock = message["clock"]
            allowed = min(clock["move_ms"] + clock["bank_ms"], clock["game_ms"]) / 1000
            began, used = time.monotonic(), time.process_time()
            while time.process_time() - used < 0.9 * allowed or time.monotonic() - began < 1.05 * allowed:
                pass
            move(message)
        """,
        forfeit="strikes",
        strikes=THREE_TIMES_LATE,
        says="",
        slow=True,
    ),
    Hostile(
        "full pipes",
        "never reads, guesses its answers and lets the pipes fill up",
        """
        ready()
        for number in range(1, 500):
            say('{"id": %d, "move": "money"}\\n' % number)
        time.sleep(1000)
        """,
        forfeit="strikes",
        says="",
        slow=True,
    ),
    Hostile(
        "close stdout",
        "closes its stdout and keeps running",
        """
        ready()
        play(lambda message: os.close(1) or time.sleep(1000))
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "close all descriptors",
        "closes all its descriptors and keeps computing",
        """
        ready()
        def close(message):
            os.closerange(0, 64)
            while True:
                pass
        play(close)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "close stdin",
        "closes its stdin and writes nothing",
        """
        ready()
        play(lambda message: os.close(0) or time.sleep(1000))
        """,
        forfeit="strikes",
        strikes=THREE_TIMES_LATE,
        says="",
        slow=True,
    ),
    Hostile(
        "replace stdout",
        "replaces its stdout with a pipe of its own",
        """
        ready()
        def divert(message):
            reading, writing = os.pipe()
            os.dup2(writing, 1)
            move(message)
            time.sleep(1000)
        play(divert)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "think during other turns",
        "computes in its threads while no decision is due",
        """
        thought = [0]
        def ponder():
            while True:
                thought[0] += 1
        threading.Thread(target=ponder, daemon=True).start()
        sys.setswitchinterval(1e-4)
        attack(lambda: None)
        """,
    ),
)
