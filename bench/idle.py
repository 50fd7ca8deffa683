"""Measure CPU time and memory of an idle site, after a new site has played its first matches.

``python -m bench.idle [--matches 60] [--rest 300] [--window 60]`` starts ``manage.py run`` in an empty folder, waits
until the matches have finished and for ``rest`` more seconds, and measures for ``window`` seconds. Memory is the
proportional set size (PSS), which counts each shared page once. The exit code is 1 above the limits: 5% of one core
and 900 MB in total. Other load on the machine does not change the CPU time of these processes.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.cpu_time import ProcessTable, require_plausible
from tests.services.ports import free_port

MOST_CPU: Final = 0.05
MOST_MB: Final = 900.0
PATIENCE_S: Final = 1800.0

_ROOT: Final = Path(__file__).resolve().parents[1]
_NAMES: Final = {
    "run": re.compile(r"manage\.py run"),
    "redis": re.compile(r"valkey-server|redis-server"),
    "web": re.compile(r"uvicorn"),
    "beat": re.compile(r"celery.* beat "),
    "worker": re.compile(r"--hostname (\w+)@"),
}


@contextmanager
def site(matches: int) -> Iterator[int]:
    """A new site that has played ``matches``; the pid of its supervisor. At the end nothing of it is left."""
    with tempfile.TemporaryDirectory(prefix="esr-idle-") as folder:
        environment = {**os.environ, "VAR_DIR": folder, "LOG_LEVEL": "WARNING"}
        for name in ("DATABASE_URL", "REDIS_URL"):
            environment.pop(name, None)
        words = [sys.executable, "manage.py", "run", "--matches", str(matches), "--port", str(free_port())]
        with Path(folder, "output").open("wb") as output:
            process = subprocess.Popen(words, cwd=_ROOT, env=environment, stdout=output, stderr=output)
        try:
            _wait_for_tables(process, Path(folder, "output"))
            yield process.pid
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def _wait_for_tables(process: subprocess.Popen[bytes], output: Path) -> None:
    """Wait until the run shows the tables of its ladders, which it does when its matches are finished."""
    until = time.monotonic() + PATIENCE_S
    while "finished matches" not in output.read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > until:
            sys.exit(f"The site did not play its matches:\n{output.read_text(errors='replace')}")
        time.sleep(0.5)


def name_of(pid: int) -> str:
    """What a process of the site is called, with the number of workers of a pool."""
    line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    for name, pattern in _NAMES.items():
        if match := pattern.search(line):
            return match[1] if name == "worker" else name
    return "other"


def used_s(supervisor: int, before: ProcessTable, after: ProcessTable) -> dict[int, float]:
    """CPU seconds that each process of the site has used between two moments, with its children that ended meanwhile.

    The kernel adds all CPU time of such a child to its parent, so what it had used before is taken off there.
    """
    used = {pid: _with_ended_s(after, pid) for pid in after.tree(supervisor)}
    for pid in before.tree(supervisor):
        heir = pid
        while heir not in used:
            heir = before.processes[heir].parent
        used[heir] -= _with_ended_s(before, pid)
    return used


def _with_ended_s(table: ProcessTable, pid: int) -> float:
    return table.processes[pid].own_s + table.processes[pid].waited_s


def pss_mb(pid: int) -> float:
    """The proportional set size of a process."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def show(used: Mapping[int, float], wall_s: float) -> bool:
    """Print a line per process and the sums; whether they are within the limits."""
    require_plausible({str(pid): seconds for pid, seconds in used.items()}, wall_s)
    memory = {pid: pss_mb(pid) for pid in used}
    print(f"{'Process':12}{'PID':>8}{'CPU, % of a core':>20}{'PSS, MB':>10}")
    for pid in sorted(used, key=lambda process: (name_of(process), process)):
        print(f"{name_of(pid):12}{pid:8}{100 * used[pid] / wall_s:20.2f}{memory[pid]:10.1f}")
    cpu, megabytes = sum(used.values()) / wall_s, sum(memory.values())
    print(f"{'Total':12}{len(used):8}{100 * cpu:20.2f}{megabytes:10.1f}")
    print(f"{'Limit':12}{'':8}{100 * MOST_CPU:20.2f}{MOST_MB:10.1f}")
    return cpu <= MOST_CPU and megabytes <= MOST_MB


def main() -> None:
    """Parse the command line, run the site, measure."""
    parser = argparse.ArgumentParser(description="Measure CPU time and memory of an idle site.")
    parser.add_argument("--matches", type=int, default=60, help="number of matches to play first (default: 60)")
    parser.add_argument(
        "--rest", type=float, default=300.0, help="seconds between the matches and the measurement (default: 300)"
    )
    parser.add_argument("--window", type=float, default=60.0, help="seconds to measure (default: 60)")
    options = parser.parse_args()
    with site(options.matches) as supervisor:
        time.sleep(options.rest)
        before, began = ProcessTable(), time.monotonic()
        time.sleep(options.window)
        after, wall_s = ProcessTable(), time.monotonic() - began
        within = show(used_s(supervisor, before, after), wall_s)
    if not within:
        sys.exit("The idle site exceeds its limits.")


if __name__ == "__main__":
    main()
