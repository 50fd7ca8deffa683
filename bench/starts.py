"""Measure the start of a bot, and how much a warmed interpreter would save (decision 0052).

``python -m bench.starts [--rounds 100]`` starts bots as the ladder does. For comparison, it starts children of a warmed
interpreter (``bench/forks.py``) in special sandboxes, some in the same interpreter and some in a new one. It prints
the time until each process writes its first line, and how many of the values that should differ between games do
differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from bench.cpu_time import reaped_s, require_plausible
from bots.protocol import Limits
from bots.runner import LocalProgram
from bots.sandbox import SandboxLauncher, bubblewrap, sandbox
from bots.sandbox.interpreter import OPTIONS, bots_interpreter
from bots.sandbox.leases import Leases, seats_folder
from bots.sandbox.limits import as_user
from bots.sandbox.root import root_folder
from bots.sandbox.runtime import runtime_folder
from bots.sandbox.sandbox_launcher import find_bubblewrap
from bots.sandbox.seccomp import bot_filter, no_filter
from bots.sandbox.status import numpy_inside

SEARCH = "from games.sampling import Sampler"
"""What a bot imports that searches."""

BATCHES = "from games.fast.batch import Batch"
"""What a bot imports that plays many games at once, with NumPy."""

USUAL = "copy, dataclasses, functools, heapq, itertools, json, math, random, re"
"""The library that a warmed interpreter has imported."""

TELL = """\
import os
print('{"pid": %d, "hash": %d, "layout": %d}' % (os.getpid(), hash("block"), id(object())), flush=True)
"""
POWERS = ("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP")
"""What a parent needs to give each child namespaces of its own, and to take its own powers away from it."""


NEW = {"hash": "hash seeds", "layout": "address layouts"}
"""What should differ from start to start."""


@dataclass(frozen=True)
class Starts:
    """A way to start: the median seconds until the bot spoke, processor seconds each, and what they said."""

    wall_s: float
    cpu_s: float
    reports: list[dict[str, Any]]

    def different(self, what: str) -> int:
        """How many different values of this they have told."""
        return len({report[what] for report in self.reports})


def repeated(start: Callable[[], tuple[dict[str, Any], float]], rounds: int) -> Starts:
    """Start one bot after the other, each ended before the next. Exits if the CPU time cannot be right."""
    began, own_s, bots_s = perf_counter(), process_time(), reaped_s()
    starts = [start() for _ in range(rounds)]
    used_s = {"this process": process_time() - own_s, "the bots": reaped_s() - bots_s}
    require_plausible(used_s, perf_counter() - began)
    cpu_s = sum(used_s.values()) / rounds
    return Starts(median(took for _, took in starts), cpu_s, [report for report, _ in starts])


def sandboxed(launcher: SandboxLauncher, folder: Path) -> tuple[dict[str, Any], float]:
    """One start as the ladder does it: what the bot said, and after how many seconds."""
    began = perf_counter()
    process = launcher.start(LocalProgram(folder), Limits())
    os.set_blocking(process.stdout, True)
    line = os.read(process.stdout, 1000)
    took = perf_counter() - began
    process.stop(1000)
    for descriptor in (process.stdin, process.stdout, process.stderr):
        os.close(descriptor)
    return json.loads(line), took


def bare(command: list[str], folder: Path) -> tuple[dict[str, Any], float]:
    """One start with nothing around it."""
    began = perf_counter()
    output = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output), perf_counter() - began


def warmed(variant: str, rounds: int) -> Starts:
    """Children of a warmed interpreter. Raises ``CalledProcessError`` where this kernel does not let it make any."""
    with folder_of({"forks.py": Path(__file__).with_name("forks.py").read_text()}) as folder:
        (folder / "filter").write_bytes(bot_filter())
        (folder / "filter").chmod(0o644)
        with Leases(seats_folder(runtime_folder())).for_a_start() as lease:
            user = [] if lease.uid is None else as_user(lease.uid, Limits())
            user = user[user.index("--") + 1 :] if user else []  # its limits would be those of the tools as well
            began = perf_counter()
            measured = _inside([*user, str(find_bubblewrap())], folder, ["forks.py", variant, str(rounds)])
            require_plausible({"the children": rounds * measured["cpu_s"]}, perf_counter() - began)
            lease.release()
    return Starts(median(measured["spans_s"]), measured["cpu_s"], measured["reports"])


def _inside(before: list[str], folder: Path, arguments: list[str]) -> Any:
    """What a Python program says in the bots' world, with the powers of a parent and no filter of its own."""
    nothing = os.open(os.devnull, os.O_RDWR)
    with tempfile.TemporaryFile() as options, tempfile.TemporaryFile() as bpf, os.fdopen(nothing, "rb"):
        descriptors = {"status_fd": nothing, "block_fd": nothing, "seccomp_fd": bpf.fileno()}
        options.write(bubblewrap.options(root_folder(runtime_folder()), folder, {}, **descriptors))
        options.write(b"".join(word.encode() + b"\0" for word in POWERS))
        bpf.write(no_filter())
        for file in (options, bpf):
            file.seek(0)
        command = [*before, "--args", str(options.fileno()), "--", str(bots_interpreter()), *OPTIONS, *arguments]
        handed = (options.fileno(), bpf.fileno(), nothing)
        done = subprocess.run(command, pass_fds=handed, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"The warmed parent process failed: {done.stderr}")
        return json.loads(done.stdout)


@contextmanager
def folder_of(files: dict[str, str]) -> Iterator[Path]:
    """A folder with these files that every user can read."""
    with tempfile.TemporaryDirectory(prefix="esr-starts-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for title, text in files.items():
            (folder / title).write_text(text)
            (folder / title).chmod(0o644)
        yield folder


def show(title: str, starts: Starts) -> None:
    """Print one line, and what is new with each start."""
    new = ", ".join(f"{starts.different(what)} {plural}" for what, plural in NEW.items())
    print(
        f"{starts.wall_s * 1e3:6.2f} ms {starts.cpu_s * 1e3:6.2f} ms  {title}\n{'':21}of {len(starts.reports)}: {new}"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=100)
    rounds = arguments.parse_args().rounds
    launcher, test = sandbox()
    if launcher is None:
        sys.exit(f"The sandbox does not work on this machine. {test.problem} {test.remedy}")
    print("Time to first output, CPU time")
    command = [str(bots_interpreter()), *OPTIONS, "bot.py"]
    with (
        folder_of({"bot.py": TELL}) as plain,
        folder_of({"bot.py": f"import {USUAL}\n{TELL}"}) as usual,
        folder_of({"bot.py": f"{SEARCH}\n{TELL}"}) as searching,
        folder_of({"bot.py": f"import numpy\n{TELL}"}) as numeric,
        folder_of({"bot.py": f"{BATCHES}\n{TELL}"}) as batching,
    ):
        show("an interpreter, nothing around it", repeated(lambda: bare(command, plain), rounds))
        show("sandboxed, as the ladder starts bots", repeated(lambda: sandboxed(launcher, plain), rounds))
        show(f"sandboxed, importing {USUAL}", repeated(lambda: sandboxed(launcher, usual), rounds))
        show(f"sandboxed, {SEARCH}", repeated(lambda: sandboxed(launcher, searching), rounds))
        if numpy_inside(launcher):
            show("sandboxed, import numpy", repeated(lambda: sandboxed(launcher, numeric), rounds))
            show(f"sandboxed, {BATCHES}", repeated(lambda: sandboxed(launcher, batching), rounds))
    show("a child of a warmed parent, in a new interpreter, importing json and random", warmed("exec", rounds))
    forked = warmed("fork", rounds)
    show("a child of a warmed parent, in its interpreter, everything imported", forked)
    last = forked.reports[-1]
    print(f"{'':21}process {last['pid']}, capabilities {last['capabilities']:#x}, seccomp {last['seccomp']}")


if __name__ == "__main__":
    main()
