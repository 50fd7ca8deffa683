"""Measure how much memory a bot can have beyond its limit before the watcher kills it.

``python -m bench.memory [--rounds 20]`` compiles a program that grows in several ways as fast as it can, and starts it
like a bot: on an idle host, and while every core and the interpreter of the worker are busy. It prints the largest
memory of the program, its kernel memory included, as a memory control group counts it. It needs root, a compiler, and
such a group (version 1 or 2) that is used only for measuring.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bots.protocol import Limits
from bots.runner.clock import cores
from bots.sandbox import sandbox
from bots.sandbox.code import Code
from bots.sandbox.memory import profile
from bots.sandbox.sandbox_launcher import SandboxLauncher, SelfTestOptions

LIMITS: Final = Limits()
MIB: Final = 1 << 20
WAYS: Final = {
    "read-only memory, 1 thread": "r 1",
    "read-only memory, 2 threads": "r 2",
    "read-only memory, 31 threads": "r 31",
    "one mmap with MAP_POPULATE": "p 1",
    "MADV_POPULATE_WRITE, 2 threads": "w 2",
    "page tables, 2 threads": "t 2",
    "page tables, 31 threads": "t 31",
    "MADV_DONTNEED, 24 threads": "d 24",
    "kernel objects, not seen": "k 31",
}
SOURCE: Final = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static char how;
static const long chunk = 2 << 20, part = 20 << 20;
static char *map(long length, int protection, int more) {
    char *place = mmap(0, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more, -1, 0);
    if (place == MAP_FAILED) pause();
    return place;
}
static void fill(int end) {
    static char data[65536];
    fcntl(end, F_SETFL, O_NONBLOCK);
    while (write(end, data, 65536) > 0);
}
static void *grow(void *_) {
    if (how == 'k') pause();
    for (;;) {
        if (how == 't') {
            volatile char *place = map(1L << 30, PROT_READ, 0), got;
            for (long at = 0; at < 1L << 30; at += 2 << 20) got = place[at];
        } else if (how == 'd') {
            char *place = map(part, PROT_READ | PROT_WRITE, 0);
            for (;;) {
                for (long at = 0; at < part; at += 4096) place[at] = 1;
                madvise(place, part, MADV_DONTNEED);
            }
        } else if (how == 'p') {
            map(1L << 36, PROT_READ | PROT_WRITE, MAP_GROWSDOWN | MAP_POPULATE);
        } else {
            char *place = map(chunk, PROT_READ | PROT_WRITE, 0);
            if (how == 'w') madvise(place, chunk, 23);
            else for (long at = 0; at < chunk; at += 4096) place[at] = 1;
            mprotect(place, chunk, PROT_READ);
        }
    }
}
int main(int count, char **words) {
    pthread_attr_t small; pthread_t thread; timer_t timer; int ends[2];
    pthread_attr_init(&small); pthread_attr_setstacksize(&small, 65536);
    how = words[1][0];
    for (int made = 1; made < atoi(words[2]); made++) pthread_create(&thread, &small, grow, 0);
    if (how == 'k') {
        while (timer_create(CLOCK_MONOTONIC, 0, &timer) == 0);
        for (int made = 0; made < 10; made++) if (pipe(ends) == 0) fill(ends[1]);
        while (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) { fill(ends[0]); fill(ends[1]); }
        char *place = map(1L << 30, PROT_NONE, 0);
        while (mprotect(place, 4096, PROT_READ | PROT_WRITE) == 0) place[0] = 1, place += 8192;
    }
    grow(0);
}
"""


def group_folder() -> tuple[Path, str]:
    """Return a folder in which a group for measuring can be created, and its file with the largest memory."""
    lines = [line.split(":") for line in Path("/proc/self/cgroup").read_text().splitlines()]
    own = {controllers: path.lstrip("/") for _, controllers, path in lines}
    for folder, largest in (
        (Path("/sys/fs/cgroup/memory", own.get("memory", "")), "memory.max_usage_in_bytes"),
        (Path("/sys/fs/cgroup", own.get("", "")), "memory.peak"),
    ):
        if (folder / "cgroup.procs").exists() and os.access(folder, os.W_OK):
            return folder, largest
    sys.exit("There is no memory control group for measuring.")


@contextmanager
def busy(is_busy: bool) -> Iterator[None]:
    """Keep every core busy twice, and the interpreter of this process, if ``is_busy``."""
    command = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(command, start_new_session=True) for _ in range(2 * cores() * is_busy)]
    enough = threading.Event()

    def compute() -> None:
        while not enough.is_set():
            sum(range(1000))

    if is_busy:
        threading.Thread(target=compute, daemon=True).start()
    try:
        yield
    finally:
        enough.set()
        for other in others:
            other.kill()
            other.wait()


def seen_by_the_watcher(pid: int) -> int:
    """What the watcher counts of a process, in bytes."""
    sizes = re.findall(r"^Vm(?:RSS|Swap|PTE):\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return 1024 * sum(map(int, sizes))


def largest_mib(launcher: SandboxLauncher, folder: Path, way: str) -> tuple[float, bool]:
    """Start the program and wait until it is killed. Return its largest memory, and whether it was killed for it.

    A program that does not use more than its limit is ended after four seconds.
    """
    parent, most = group_folder()
    group = parent / f"esr-bench-{os.getpid()}"
    group.mkdir()
    code = Code(folder, "grow", tuple(way.split()), "")
    held = SelfTestOptions(while_held=lambda pid, _: (group / "cgroup.procs").write_text(str(pid)) and None)
    process = launcher.start_code(code, LIMITS, held)
    ended = process.exited(30_000 if way[0] not in "dk" else 4_000)
    exceeded = process.exceeded_memory()
    seen = 0 if ended or way[0] != "k" else seen_by_the_watcher(process.pid)
    process.stop()
    for descriptor in (process.stdin, process.stdout, process.stderr):
        os.close(descriptor)
    largest = (int((group / most).read_text()) - seen) / MIB
    while group.exists():
        try:
            group.rmdir()
        except OSError:
            time.sleep(0.01)
    return largest, ended and exceeded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="number of starts per way (default: 20)")
    rounds = parser.parse_args().rounds
    launcher, test = sandbox()
    if launcher is None:
        sys.exit(test.problem)
    print(f"limit {LIMITS.memory_mb} MiB, {cores()} cores, profile {profile()}, {rounds} rounds; largest memory in MiB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "grow.c").write_text(SOURCE)
        command = ["cc", "-O2", "-static", "-pthread", "-w", "-o", folder / "grow", folder / "grow.c"]
        subprocess.run(command, check=True)
        (folder / "grow.c").unlink()
        for is_busy in (False, True):
            with busy(is_busy):
                for title, way in WAYS.items():
                    results = [largest_mib(launcher, folder, way) for _ in range(rounds)]
                    killed = sum(was_killed for _, was_killed in results)
                    state = "busy" if is_busy else "idle"
                    print(f"{state}  {title:32} {max(mib for mib, _ in results):6.0f}  killed {killed}", flush=True)


main()
