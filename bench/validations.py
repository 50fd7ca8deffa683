"""Measure whether the load of the host changes the verdict of a validation (decision 101).

``python -m bench.validations [--rounds 20] [--load 8]`` makes attempts at a validation in the sandbox with the clocks
of the site, first without and then with ``--load`` endless loops of other programs. Some bots need 90% of the time for
their start, asleep or computing, and others need twice the time or never answer. An attempt passes, rejects or is
blamed on the host, which repeats it. The exit status is 1 if a fast bot was rejected, if a slow one passed, or if an
attempt of a slow one took longer than 30 s.

The load of other programs on the host counts as well, so load 0 is only as idle as the host.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from bots.manifest import Manifest
from bots.protocol import Limits
from bots.runner import LocalProgram
from bots.sandbox import SandboxLauncher, sandbox
from bots.validation import Check

GAME: Final = "edel-stein-reich-duel"
LONGEST_S: Final = 30.0

PLAYING: Final = """\
import json, sys, time
{start}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type": "ready"}}', flush=True)
    elif message["type"] == "decide":
        {decide}
        print(json.dumps({{"id": message["id"], "move": message["decision"]["default"]}}), flush=True)
"""


LOOP: Final = """\
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""
"""A program that keeps a core busy until this process has ended."""


@dataclass(frozen=True)
class Case:
    """A bot: what it does at its start and at each decision, whether it is fast enough, and the share of the rounds."""

    name: str
    start: str
    decide: str
    fast: bool
    share: float


CASES: Final = (
    Case("start sleeps 2.7 s", "time.sleep(2.7)", "pass", True, 1),
    Case("start computes 2.7 s", "while time.process_time() < 2.7: pass", "pass", True, 1),
    Case("start sleeps 6 s", "time.sleep(6)", "pass", False, 0.25),
    Case("start computes 6 s", "while time.process_time() < 6: pass", "pass", False, 0.25),
    Case("start never ends", "while True: pass", "pass", False, 0.25),
    Case("first decision never ends", "pass", "while True: pass", False, 0.25),
)


@contextmanager
def busy_host(loops: int) -> Iterator[None]:
    """Run endless loops of other programs, each in its own session because Linux may share cores by session."""
    with ExitStack() as stack:
        for _ in range(loops):
            command = [sys.executable, "-c", LOOP, str(os.getpid())]
            child = stack.enter_context(subprocess.Popen(command, start_new_session=True))
            stack.callback(child.kill)
        yield


def attempts(launcher: SandboxLauncher, case: Case, rounds: int) -> tuple[Counter[str], float, float]:
    """Return the results of the attempts, the longest wall time of one, and the longest lag, in seconds."""
    results: Counter[str] = Counter()
    longest_s = lag_s = 0.0
    with tempfile.TemporaryDirectory(prefix="esr-validations-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot.py").write_text(PLAYING.format(start=case.start, decide=case.decide))
        (folder / "bot.py").chmod(0o644)
        check = Check(Manifest("bot", games={GAME: (2,)}), LocalProgram(folder), launcher, Limits())
        for _ in range(rounds):
            begun = perf_counter()
            table = check.table(GAME, 2)
            longest_s = max(longest_s, perf_counter() - begun)
            lag_s = max(lag_s, table.lag_us / 1e6)
            results["blamed on the host" if table.ok is None else "passed" if table.ok else "rejected"] += 1
    return results, longest_s, lag_s


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--load", type=int, default=8)
    arguments.add_argument("--only", default="", help="bots with this text in their name (default: all)")
    arguments.add_argument("--part", choices=["idle", "loaded"], help="the host to measure on (default: both)")
    options = arguments.parse_args()
    launcher, test = sandbox()
    if launcher is None:
        sys.exit(f"The sandbox does not work on this machine. {test.problem} {test.remedy}")
    wrong = 0
    print(f"{'bot':<27}{'load':>5}{'passed':>8}{'rejected':>10}{'host':>6}{'longest':>10}{'lag':>8}{'loadavg':>9}")
    loads = {"idle": (0,), "loaded": (options.load,), None: (0, options.load)}[options.part]
    for load in loads:
        with busy_host(load):
            for case in (case for case in CASES if options.only in case.name):
                results, longest_s, lag_s = attempts(launcher, case, max(1, round(options.rounds * case.share)))
                columns = [results[name] for name in ("passed", "rejected", "blamed on the host")]
                print(
                    f"{case.name:<27}{load:>5}{columns[0]:>8}{columns[1]:>10}{columns[2]:>6}{longest_s:>8.1f} s"
                    f"{lag_s:>6.1f} s{os.getloadavg()[0]:>9.1f}",
                    flush=True,
                )
                wrong += columns[1 if case.fast else 0]
                wrong += longest_s > LONGEST_S and not case.fast
    print("Every verdict was about the bot." if not wrong else f"{wrong} results were wrong.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
