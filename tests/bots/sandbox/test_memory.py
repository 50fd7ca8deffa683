"""The two bounds of a bot's memory. Those of control groups need a delegated one (docs/internals/sandbox.md)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

from bots.sandbox.leases import started_at
from bots.sandbox.limits import THREADS
from bots.sandbox.memory import (
    LONGEST_NS,
    SHORTEST_NS,
    Groups,
    Watcher,
    bound_memory,
    delegated_folder,
    groups,
    profile,
)
from tests.bots.sandbox.programs import READ_ONLY
from tests.services.ports import wait_until

MIB = 1 << 20
GROW = (
    READ_ONLY
    + """
import os, sys, threading, time

def page_tables(count):
    for _ in range(count):
        block = libc.mmap(None, 1 << 30, 1, 0x4022, -1, 0)
        for offset in range(0, 1 << 30, 1 << 21):
            ctypes.c_char.from_address(block + offset).value

def leave_and(act):
    threading.Thread(target=act).start()
    libc.syscall(60, 0)
"""
)


class Bot:
    """A process that runs ``action`` after :meth:`go`, as a bot does after its limits are set."""

    def __init__(self, action: str) -> None:
        command = [sys.executable, "-c", f"{GROW}\nsys.stdin.readline()\n{action}\nprint('done', flush=True)\ninput()"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def line(self) -> bytes:
        """What it writes when it is done; empty if it was killed before."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()


@contextmanager
def bot(action: str) -> Iterator[Bot]:
    started = Bot(action)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.communicate()


# --- The watcher -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "action",
    [
        "read_only(200)",
        "page_tables(60)",
        "leave_and(lambda: read_only(200))",
        "[threading.Thread(target=read_only, args=(50,)).start() for _ in range(8)]; time.sleep(1000)",
        "os.execv(sys.executable, [sys.executable, '-c', 'block = b\"x\" * (200 << 20); input()'])",
    ],
)
def test_a_bot_that_uses_more_than_its_memory_is_killed_and_this_is_known(action: str) -> None:
    watcher = Watcher()
    with bot(action) as hungry:
        bound = watcher.watch(hungry.process.pid, 100 * MIB, hungry.process.kill)
        hungry.go()
        assert hungry.line() == b""
        assert hungry.process.wait() == -signal.SIGKILL
        assert bound.exceeded()
        bound.close()
        assert bound.exceeded()


def test_a_bot_that_stays_below_its_limit_is_left_alone() -> None:
    watcher = Watcher()
    with bot("read_only(50)") as modest:
        bound = watcher.watch(modest.process.pid, 200 * MIB, modest.process.kill)
        modest.go()
        assert modest.line() == b"done\n"
        wait_until(lambda: 50 * MIB < bound.used < 200 * MIB, "the watcher looks at what is used now")
        assert not bound.exceeded()
        bound.close()


def test_reserved_addresses_are_no_memory() -> None:
    watcher = Watcher()
    with bot("libc.mmap(None, ctypes.c_size_t(1 << 38), 3, 0x4022, -1, 0)") as reserving:
        bound = watcher.watch(reserving.process.pid, 100 * MIB, reserving.process.kill)
        reserving.go()
        assert reserving.line() == b"done\n"
        wait_until(lambda: bound.used > 0, "the watcher has looked")
        assert not bound.exceeded()
        bound.close()


def test_a_bot_is_looked_at_more_often_the_nearer_its_limit_is() -> None:
    watcher = Watcher()
    with bot("") as idle:
        pid = idle.process.pid
        wait_until(lambda: started_at(pid) > 0, "the process exists")
        far, near = (watcher.watch(pid, limit, lambda: None) for limit in (1 << 40, 1 << 30))
        for each in (far, near):
            each.look(0)
        near_ns = near.due_ns
        assert far.due_ns == LONGEST_NS
        assert SHORTEST_NS <= near_ns < LONGEST_NS
        far.close()
        near.close()


@pytest.mark.skipif(not Path("/proc/2/exe").is_symlink(), reason="no thread of the kernel is visible")
def test_a_bot_whose_memory_cannot_be_measured_is_killed() -> None:
    if "VmRSS" in Path("/proc/2/status").read_text():
        pytest.skip("process 2 is not a thread of the kernel")
    killed: list[str] = []
    bound = Watcher().watch(2, 100 * MIB, lambda: killed.append("killed"))
    bound.look(0)
    bound.close()
    assert killed
    assert not bound.exceeded()


def test_a_bot_that_has_ended_is_not_killed() -> None:
    killed: list[str] = []
    with bot("") as brief:
        bound = Watcher().watch(brief.process.pid, 100 * MIB, lambda: killed.append("killed"))
        brief.process.kill()
        brief.process.wait()
        bound.look(0)
        bound.close()
    assert not killed


def test_a_process_that_has_ended_before_needs_no_bound() -> None:
    with bot("") as brief:
        brief.process.kill()
        brief.process.wait()
        assert bound_memory(brief.process.pid, 100 * MIB, THREADS, brief.process.kill) is None


def test_the_watcher_ends_with_its_last_bot_and_keeps_no_files() -> None:
    files, threads = set(os.listdir("/proc/self/fd")), threading.active_count()
    watcher = Watcher()
    with bot("") as first, bot("") as second:
        bounds = [watcher.watch(each.process.pid, 100 * MIB, each.process.kill) for each in (first, second)]
        assert threading.active_count() == threads + 1
        for bound in bounds:
            bound.close()
            bound.close()
    assert threading.active_count() == threads
    assert set(os.listdir("/proc/self/fd")) == files


def test_a_forked_worker_has_a_watcher_of_its_own() -> None:
    source = (
        "import os\nfrom bots.sandbox.memory import bound_memory\n"
        "held = bound_memory(os.getpid(), 1 << 40, 99, lambda: None)\n"
        "child = os.fork()\n"
        "bound = bound_memory(os.getpid(), 1, 99, lambda: os._exit(7)) if child == 0 else None\n"
        "if child == 0:\n import time; time.sleep(20)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    if profile() == "group":
        pytest.skip("there is no watcher")
    assert subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout == "7\n"


# --- Control groups --------------------------------------------------------------------------------------------------

OWN = "0::/site.service\n"
MOUNT = "30 20 0:26 / {mount} rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"


@pytest.fixture
def host(tmp_path: Path) -> Callable[..., Path]:
    """Files as those of a host on which this process is in the group ``site.service``, with these controllers."""

    def build(controllers: str, own: str = OWN, root: str = "/") -> Path:
        group = tmp_path / "cgroup" / "site.service"
        (group / "esr-platform").mkdir(parents=True)
        for folder in (group, group.parent):
            for name in ("cgroup.procs", "cgroup.subtree_control"):
                (folder / name).touch()
            (folder / "cgroup.controllers").write_text(controllers)
        (tmp_path / "proc").mkdir()
        (tmp_path / "proc" / "cgroup").write_text(own)
        mount = MOUNT.format(mount=group.parent).replace(" / ", f" {root} ", 1)
        (tmp_path / "proc" / "mountinfo").write_text(mount)
        return tmp_path / "proc"

    return build


def test_a_group_that_is_not_delegated_is_not_used(host: Callable[..., Path]) -> None:
    assert delegated_folder(host("cpu memory pids")) is None


def test_a_group_that_systemd_delegates_is_used_also_after_a_worker_was_moved(host: Callable[..., Path]) -> None:
    proc = host("cpu memory pids")
    group = proc.parent / "cgroup" / "site.service"
    try:
        os.setxattr(group, "user.delegate", b"1")
    except OSError:
        pytest.skip("this file system has no attributes")
    assert delegated_folder(proc) == group
    (proc / "cgroup").write_text("0::/site.service/esr-platform\n")
    assert delegated_folder(proc) == group


def test_the_highest_group_of_a_container_is_used(host: Callable[..., Path]) -> None:
    proc = host("cpu memory pids", own="0::/\n")
    assert delegated_folder(proc) == proc.parent / "cgroup"


@pytest.mark.parametrize("controllers", ["", "cpu pids", "cpu memory"])
def test_a_group_without_the_controllers_is_not_used(host: Callable[..., Path], controllers: str) -> None:
    assert delegated_folder(host(controllers, own="0::/\n")) is None


def test_a_host_without_control_groups_of_version_2_has_none(tmp_path: Path) -> None:
    (tmp_path / "cgroup").write_text("4:memory:/\n")
    (tmp_path / "mountinfo").write_text("")
    assert delegated_folder(tmp_path) is None


@pytest.fixture
def own_groups() -> Groups:
    available = groups()
    if available is None:
        pytest.skip("no control group is delegated to this process")
    return available


def test_a_group_kills_a_bot_that_uses_more_and_is_removed(own_groups: Groups) -> None:
    before = set(own_groups.folder.iterdir())
    with bot("read_only(200)") as hungry:
        bound = bound_memory(hungry.process.pid, 100 * MIB, THREADS, hungry.process.kill)
        hungry.go()
        assert hungry.line() == b""
        assert hungry.process.wait() == -signal.SIGKILL
        assert bound.exceeded()
        bound.close()
        assert bound.exceeded()
    assert set(own_groups.folder.iterdir()) == before


def test_a_group_leaves_a_bot_alone_that_stays_below_its_limit(own_groups: Groups) -> None:
    with bot("read_only(50)") as modest:
        bound = own_groups.hold(modest.process.pid, 200 * MIB, THREADS)
        modest.go()
        assert modest.line() == b"done\n"
        assert not bound.exceeded()
        modest.process.kill()
        modest.process.wait()
        bound.close()


def test_the_groups_of_a_dead_worker_are_swept_with_their_processes(own_groups: Groups) -> None:
    with bot("time.sleep(1000)") as left, bot("time.sleep(1000)") as kept:
        own = own_groups.hold(kept.process.pid, 100 * MIB, THREADS)
        dead = own_groups.folder / f"esr-bot.{left.process.pid}.1.0"
        dead.mkdir()
        (dead / "cgroup.procs").write_text(str(left.process.pid))
        own_groups.sweep()
        assert not dead.exists()
        assert left.process.wait() == -signal.SIGKILL
        sleep(0.1)
        assert kept.process.poll() is None
        kept.process.kill()
        kept.process.wait()
        own.close()
