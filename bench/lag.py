"""Whether a bot can get re-runs at will, and whether honest bots get theirs: ``python -m bench.lag``.

A bot plays duels in the sandbox against a house bot. In half of the games it believes at its decision 15 that it loses.
Then it tries to look like a victim of server lag, in one of several ways, until just after its time is over. In the
other games it answers immediately. An *honest* bot always computes for 40% of its time. The bench prints how many games
would be re-run, on this host as it is and with busy programs.

A way is bad if losing games are re-run more often than others (one-sided Fisher test, 1%). Of the late answers of the
honest bot, at least 95% must lead to a re-run. All of it takes about an hour; ``--games 20`` is a short look.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from math import comb

from bots.protocol import Limits
from bots.runner import HouseProgram, LocalProgram, MatchReport, MatchSpec, SeatSpec, play_match
from bots.sandbox import SandboxLauncher, sandbox
from tests.bots.sandbox.programs import program

LIMITS = Limits(startup_ms=60_000, move_ms=100, bank_ms=0, game_ms=600_000)
CRITICAL = 15
"""The decision at which the bot finds out whether it loses."""

WAYS = {
    "sleep to the deadline": "time.sleep(max(0, end - time.monotonic()))",
    "sleep, then sched_yield": "time.sleep(0.6 * MOVE_S)\nwhile time.monotonic() < end: os.sched_yield()",
    "poll with a timeout": "r, w = os.pipe()\nwhile time.monotonic() < end: select.select([r], [], [], 0.0005)",
    "a thread that starts late": "t = threading.Timer(max(0, end - time.monotonic()), int); t.start(); t.join()",
    "many idle threads": """\
def idle():
    while time.monotonic() < end: bell.wait(0.001)
bell, threads = threading.Event(), [threading.Thread(target=idle) for _ in range(12)]
for t in threads: t.start()
for t in threads: t.join()""",
    "page faults": """\
while time.monotonic() < end:
    with mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as pages:
        for place in range(0, 1 << 20, 4096): pages[place] = 1""",
    "garbage collection": "junk = [[] for _ in range(20000)]\nwhile time.monotonic() < end: gc.collect()",
    "slow writes": """\
while time.monotonic() < end:
    os.write(1, b" ")
    time.sleep(0.0005)""",
    "priority lowered": """\
try: os.nice(19)
except OSError: pass
while time.monotonic() < end: pass""",
}
"""The ways to look like a victim until the time ``end``."""

SOURCE = """\
import gc, json, mmap, os, select, sys, threading, time
MOVE_S, HONEST, LOSES = {move_s}, {honest}, {loses}

def imitate(end):
{way}

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type": "ready"}}', flush=True)
    if message["type"] == "decide":
        if HONEST:
            until = time.process_time() + 0.4 * MOVE_S
            while time.process_time() < until: pass
        elif LOSES and message["id"] == {critical}:
            imitate(time.monotonic() + 1.02 * MOVE_S)
        print(json.dumps({{"id": message["id"], "move": message["decision"]["default"]}}), flush=True)
"""


def source(way: str, *, honest: bool = False, loses: bool = False) -> str:
    """The source of a bot."""
    body = "\n".join(f"    {line}" for line in way.splitlines())
    return SOURCE.format(
        move_s=LIMITS.move_ms / 1000, honest=honest, loses=loses, way=body or "    pass", critical=CRITICAL
    )


def games(launcher: SandboxLauncher, bot: LocalProgram, count: int) -> Iterator[MatchReport]:
    """Play duels of ``bot`` at seat 0."""
    seats = (SeatSpec("bot", bot), SeatSpec("random", HouseProgram("random")))
    for number in range(count):
        seed = sha256(f"lag/{number}".encode()).digest()
        yield play_match(MatchSpec("edel-stein-reich-duel", seats, seed, LIMITS), launcher)


def reruns(launcher: SandboxLauncher, text: str, count: int) -> int:
    """In how many games lag excuses the critical decision of this bot."""
    with program(text) as bot:
        reports = games(launcher, bot, count)
        return sum(any((at.seat, at.decision) == (0, CRITICAL) for at in report.machine_delays) for report in reports)


def honest(launcher: SandboxLauncher, count: int) -> tuple[int, int]:
    """How many games of the honest bot have a late answer, and how many of these would be re-run."""
    with program(source("", honest=True)) as bot:
        late = rerun = 0
        for report in games(launcher, bot, count):
            struck = any(strike.reason == "late" for strike in report.seats[0].strikes)
            late += struck
            rerun += struck and any(delay.seat == 0 for delay in report.machine_delays)
    return late, rerun


def p_value(losing: int, winning: int, count: int) -> float:
    """How likely it is that at least ``losing`` of all re-runs are in losing games by chance (Fisher 1922)."""
    total = losing + winning
    ways = comb(2 * count, total)
    return sum(comb(count, more) * comb(count, total - more) for more in range(losing, min(count, total) + 1)) / ways


@contextmanager
def load(programs: int) -> Iterator[None]:
    """Run this number of busy programs."""
    with ExitStack() as stack:
        for _ in range(programs):
            busy = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
            )
            stack.callback(busy.kill)
        yield


def measure(launcher: SandboxLauncher, title: str, options: argparse.Namespace) -> bool:
    """Print a line for each way. Return whether all is well."""
    well, wanted = True, {name: way for name, way in WAYS.items() if not options.only or options.only in name}
    for name, way in wanted.items():
        losing, winning = (reruns(launcher, source(way, loses=loses), options.games) for loses in (True, False))
        p = p_value(losing, winning, options.games)
        well = well and p >= 0.01
        counts = f"{losing:3} losing {winning:3} winning of {options.games}"
        print(f"{title:7} {name:28} re-runs {counts}  p={p:.3f}", flush=True)
    late, rerun = honest(launcher, options.games)
    well = well and rerun >= 0.95 * late
    print(f"{title:7} {'honest, 40 % of the time':28} re-runs {rerun:3} of {late} late of {options.games}", flush=True)
    return well


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=200, help="games per way, losing and winning (default: 200)")
    parser.add_argument("--load", type=int, default=8, help="busy programs of the loaded host (default: 8)")
    parser.add_argument("--only", default="", help="ways with this text in their name (default: all)")
    parser.add_argument("--part", choices=["idle", "loaded"], help="the host to measure on (default: both)")
    options = parser.parse_args(arguments)
    launcher, test = sandbox()
    if launcher is None:
        sys.exit(f"The sandbox does not work: {test.problem}")
    results = []
    if options.part != "loaded":
        results.append(measure(launcher, "idle", options))
    if options.part != "idle":
        with load(options.load):
            results.append(measure(launcher, "loaded", options))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
