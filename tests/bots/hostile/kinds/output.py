"""Floods, and stalls of every kind."""

from __future__ import annotations

from typing import Final

from bots.protocol import Limits
from tests.bots.hostile.kind import Hostile

THREE_TIMES_LATE: Final = ("late", "late", "late")

FLOODS: Final = (
    Hostile(
        "flood without a line",
        "bytes without end and without a newline",
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
        "flood of old answers",
        "the answer to a decision that is over, without end",
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
        "flood of newlines",
        "nothing but ends of lines",
        """
        ready()
        play(lambda message: os.write(1, b"\\n" * 65536) and time.sleep(1000))
        """,
        forfeit="strikes",
        strikes=("malformed", "malformed", "malformed"),
        says="",
    ),
    Hostile(
        "flood of right lines",
        "a thousand answers to every decision, and to all that might come",
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
        "flood of stderr",
        "128 MiB of complaints before every answer",
        """
        def flood():
            for _ in range(2000):
                os.write(2, b"e" * 65535 + b"\\n")
        attack(flood)
        """,
    ),
    Hostile(
        "flood of stderr in single bytes",
        "bytes one by one, so that the platform is woken for each, and an answer when the time is over",
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
        "both floods at once",
        "stdout and stderr from several threads without end",
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
        "one huge line",
        "an answer of 64 MiB",
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
        "a packet a byte",
        "its stdout in packet mode, so that every byte is a reading of its own",
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
        "words for a terminal",
        "escape sequences, NULs and half characters on stderr",
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
        "it is ready, and reads nothing any more",
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
        "is never ready",
        "it says nothing at all",
        "time.sleep(1000)",
        forfeit="not_ready",
        says="",
        own_limits=Limits(startup_ms=800, move_ms=250, bank_ms=350, game_ms=20_000),
    ),
    Hostile(
        "is ready in drips",
        "half of the word ready, and lines that are something else, until its time is over",
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
    Hostile("dies before it is ready", "an exit as the first thing", "os._exit(1)", forfeit="exit", says=""),
    Hostile(
        "exits in mid-game",
        "an exit with status 0 when it is asked",
        """
        ready()
        play(lambda message: os._exit(0), at=3)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "crashes in native code",
        "it reads where no memory is",
        """
        ready()
        play(lambda message: ctypes.string_at(8), at=3)
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "crashes for a core handler",
        "it sets its core limit to 0, with which the kernel starts the host's core handler, then crashes",
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
        "half a line",
        "the beginning of an answer, and no more",
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
        "slow drip",
        "a byte of an answer every few milliseconds",
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
        "always at the last moment",
        "every answer when all its time is used up, so that the game gets as long as it can",
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
        "stops itself",
        "SIGSTOP and the stops of a terminal, from itself and from a thread",
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
        "sleeps",
        "it sleeps over its time, as nobody's fault",
        """
        ready()
        play(lambda message: time.sleep(0.8) or move(message))
        """,
        strikes=("late",),
        says="",
    ),
    Hostile(
        "spins",
        "it computes without end",
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
        "starves its own main thread",
        "it sleeps, then floods its own threads, so that its delay looks like the machine's",
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
        "it thinks until it has used most of its time, and answers just too late, to have its game played again",
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
        "deaf until the pipes are full",
        "it never reads, answers what it guesses, and lets everything sent to it pile up",
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
        "closes stdout",
        "it closes its stdout and lives on",
        """
        ready()
        play(lambda message: os.close(1) or time.sleep(1000))
        """,
        forfeit="exit",
        says="",
    ),
    Hostile(
        "closes everything",
        "it closes all its descriptors and spins",
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
        "closes stdin",
        "it closes its stdin and says nothing",
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
        "another pipe as stdout",
        "it puts a pipe of its own in the place of its stdout, and talks to itself",
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
        "thinks in others' time",
        "its threads compute on while it has nothing to decide",
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
