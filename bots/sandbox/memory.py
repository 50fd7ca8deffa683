"""The bound on a bot's memory: a control group for each bot, or a thread that looks at the bots of this process.

A limit on address space would be simpler, but Go, Node.js and Java reserve far more than they use. A limit on data
(``RLIMIT_DATA``) does not cover memory that is made read-only after writing, nor page tables. So what counts is what is
resident or swapped, with page tables. ``docs/internals/sandbox.md`` has the measured overshoot of the thread.
"""

from __future__ import annotations

import logging
import os
import re
import select
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from threading import Condition, Thread, current_thread
from time import perf_counter_ns, sleep
from typing import Final, Protocol

from bots.runner.clock import cores
from bots.runner.launcher import PlatformFailure
from bots.sandbox.leases import started_at

logger = logging.getLogger(__name__)


class MemoryBound(Protocol):
    """The bound of one bot."""

    def exceeded(self) -> bool:
        """Return whether the bot was killed because it needed more than its limit."""
        ...

    def close(self) -> None:
        """Stop bounding the bot, which must have ended. :meth:`exceeded` keeps its value."""
        ...


def bound_memory(pid: int, limit: int, threads: int, kill: Callable[[], None]) -> MemoryBound | None:
    """Bound the memory of process ``pid`` to ``limit`` bytes, in a control group if this process has some.

    ``threads`` is the maximum number of its threads in such a group. ``kill`` kills the process; it is called from
    another thread. Returns ``None`` for a process that has already ended. Raises ``PlatformFailure`` if the memory
    cannot be bounded.
    """
    available = groups()
    try:
        return _WATCHER.watch(pid, limit, kill) if available is None else available.hold(pid, limit, threads)
    except ProcessLookupError:
        return None
    except OSError as error:
        raise PlatformFailure(f"could not bound the memory of a bot: {error}") from error


def profile() -> str:
    """Return how this process bounds the memory of its bots: ``"group"`` or ``"watcher"``."""
    return "watcher" if groups() is None else "group"


def sweep() -> None:
    """Remove the control groups of workers that have died, with their processes."""
    available = groups()
    if available is not None:
        available.sweep()


# --- The watcher -----------------------------------------------------------------------------------------------------

GROWTH: Final = 4 * min(cores(), 8)
"""Assumed growth of the fastest bot in bytes per nanosecond. It sets the time of the next look."""

SHORTEST_NS: Final = 10_000_000
"""Minimum time between two looks at one bot. A look takes up to 100 µs on a busy host, which is 1% of a core."""

LONGEST_NS: Final = 250_000_000
"""Maximum time between two looks at one bot."""

OVERSHOOT_MB: Final = 128
"""Memory in MiB that a bot can have beyond its limit before the watcher kills it: twice the largest measured value."""

_SIZES: Final = re.compile(rb"^Vm(?:RSS|Swap|PTE):\s+(\d+) kB$", re.MULTILINE)
_STATUS_BYTES: Final = 8192
_TRIES: Final = 3


class Watcher:
    """A thread that looks at all bots of this process, as often as their growth requires.

    It looks in every phase of a bot: while it starts, while the runner waits for another bot, and while it exits. The
    thread ends when there are no bots.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._bots: list[WatchedBot] = []
        self._thread: Thread | None = None
        self._next_ns = 0

    def watch(self, pid: int, limit: int, kill: Callable[[], None]) -> WatchedBot:
        """Look at process ``pid`` until it is forgotten.

        Raises ``ProcessLookupError`` if it has ended, and another ``OSError`` if it cannot be watched.
        """
        bot = WatchedBot(self, pid, limit, kill)
        with self._changed:
            self._bots.append(bot)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="memory-watcher", daemon=True)
                self._thread.start()
            elif bot.due_ns < self._next_ns:
                self._changed.notify()
        return bot

    def forget(self, bot: WatchedBot) -> None:
        """Do not look at ``bot`` again. Returns after the current look, and after the end of an idle thread."""
        idle = None
        with self._changed:
            if bot in self._bots:
                self._bots.remove(bot)
                if not self._bots:
                    idle, self._thread = self._thread, None
                    self._changed.notify()
        if idle is not None:
            idle.join()

    def _run(self) -> None:
        with self._changed:
            while self._thread is current_thread():
                now_ns = perf_counter_ns()
                for bot in self._bots:
                    if bot.due_ns <= now_ns:
                        bot.look(now_ns)
                self._next_ns = min(bot.due_ns for bot in self._bots)
                self._changed.wait(max(0, self._next_ns - perf_counter_ns()) / 1e9)


class WatchedBot:
    """A bot at which the watcher looks again at ``due_ns``. ``used`` is its memory at the last look in bytes."""

    def __init__(self, watcher: Watcher, pid: int, limit: int, kill: Callable[[], None]) -> None:
        self._watcher, self._pid, self._limit, self._kill = watcher, pid, limit, kill
        self._pidfd = os.pidfd_open(pid)
        try:
            self._status = os.open(f"/proc/{pid}/status", os.O_RDONLY)
        except FileNotFoundError as error:
            os.close(self._pidfd)
            raise ProcessLookupError(error.errno, error.strerror) from error
        except OSError:
            os.close(self._pidfd)
            raise
        self._exceeded = self._closed = False
        self.used = 0
        self.due_ns = perf_counter_ns() + self._interval_ns()

    def exceeded(self) -> bool:
        return self._exceeded

    def close(self) -> None:
        self._watcher.forget(self)
        if not self._closed:
            self._closed = True
            os.close(self._status)
            os.close(self._pidfd)

    def look(self, now_ns: int) -> None:
        """Measure the memory of the bot, and kill the bot if it is too much. Set the time of the next look."""
        used = self._measure()
        if used is not None and used <= self._limit:
            self.used = used
            self.due_ns = now_ns + self._interval_ns()
            return
        if used is not None:
            self.used = used
            self._exceeded = True
        self._kill()  # also a bot whose memory cannot be measured
        self.due_ns = now_ns + LONGEST_NS

    def _interval_ns(self) -> int:
        """Return the time in which the fastest bot could reach the limit, within bounds."""
        return max(SHORTEST_NS, min((self._limit - self.used) // GROWTH, LONGEST_NS))

    def _measure(self) -> int | None:
        """Return what is resident, swapped or in page tables, in bytes; 0 after the end.

        ``None`` if the main thread has ended and no other thread lives long enough to be read.
        """
        for _ in range(_TRIES):
            used = _used(self._status)
            if used is not None:
                return used
            if _has_ended(self._pidfd):
                return 0
            self._read_another_thread()
        return 0 if _has_ended(self._pidfd) else None

    def _read_another_thread(self) -> None:
        """Read the status of a thread that lives: all threads share their memory, and that which was read has ended."""
        for thread in _threads(self._pid):
            with suppress(OSError):
                status = os.open(f"/proc/{self._pid}/task/{thread}/status", os.O_RDONLY)
                os.close(self._status)
                self._status = status
                if _used(status) is not None:
                    return


def _used(status: int) -> int | None:
    """Return the memory in an open ``/proc/PID/status`` in bytes, or ``None`` if the thread has ended."""
    try:
        sizes = _SIZES.findall(os.pread(status, _STATUS_BYTES, 0))
    except OSError:
        return None
    return 1024 * sum(map(int, sizes)) if sizes else None


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _has_ended(pidfd: int) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))


_WATCHER: Final = Watcher()
if hasattr(os, "register_at_fork"):  # the thread and the bots stay with the parent process
    os.register_at_fork(after_in_child=_WATCHER.__init__)  # type: ignore[misc]


# --- Control groups --------------------------------------------------------------------------------------------------

_CONTROLLERS: Final = ("memory", "pids")
_PLATFORM: Final = "esr-platform"
"""The group of the platform itself, because only groups without processes can limit their child groups."""

_BOT: Final = "esr-bot"
_MOVES: Final = 100
_REMOVALS: Final = 50
_REMOVAL_S: Final = 0.01


@cache
def groups() -> Groups | None:
    """Return the control groups that this process may use, or ``None`` if no group is delegated to it.

    The own group of this process must be delegated: by systemd with ``Delegate=yes``, or because it is the highest
    group of its container. All processes in it are moved to a child group.
    """
    try:
        folder = delegated_folder()
        return None if folder is None else Groups(folder)
    except OSError as error:
        logger.warning("the control group of this process cannot be used: %s", error)
        return None


class Groups:
    """The control groups (version 2) below the delegated group ``folder``. Raises ``OSError`` if it cannot be used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = count()
        enabled = (folder / "cgroup.subtree_control").read_text().split()
        if not set(_CONTROLLERS) <= set(enabled):
            self._enable()
        probe = self._new()
        probe.rmdir()

    def hold(self, pid: int, limit: int, threads: int) -> BotGroup:
        """Put process ``pid`` into a new group with these limits. Raises ``OSError``."""
        group = self._new()
        try:
            (group / "memory.max").write_text(str(limit))
            with suppress(FileNotFoundError):  # a kernel without swap
                (group / "memory.swap.max").write_text("0")
            (group / "memory.oom.group").write_text("1")
            (group / "pids.max").write_text(str(threads))
            (group / "cgroup.procs").write_text(str(pid))
        except OSError:
            group.rmdir()
            raise
        return BotGroup(group)

    def sweep(self) -> None:
        """Remove the groups of workers that have died, with their processes."""
        for group in self.folder.glob(f"{_BOT}.*"):
            _, worker, began, _ = group.name.split(".")
            if started_at(int(worker)) != int(began):
                with suppress(OSError):
                    (group / "cgroup.kill").write_text("1")
                _remove(group)

    def _new(self) -> Path:
        group = self.folder / f"{_BOT}.{os.getpid()}.{started_at(os.getpid())}.{next(self._numbers)}"
        group.mkdir()
        return group

    def _enable(self) -> None:
        wanted = " ".join(f"+{name}" for name in _CONTROLLERS)
        for _ in range(_MOVES):  # a process that is moved may just have started another one
            if (self.folder / "cgroup.type").exists():  # not the root group of the host, which may have processes
                self._move_the_platform()
            try:
                (self.folder / "cgroup.subtree_control").write_text(wanted)
            except OSError:
                continue
            return
        raise OSError(f"cannot limit the child groups of {self.folder}")

    def _move_the_platform(self) -> None:
        platform = self.folder / _PLATFORM
        platform.mkdir(exist_ok=True)
        for pid in (self.folder / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                (platform / "cgroup.procs").write_text(pid)


class BotGroup:
    """The group of one bot."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._exceeded = False

    def exceeded(self) -> bool:
        if not self._exceeded:
            with suppress(OSError):
                events = dict(line.split() for line in (self._folder / "memory.events").read_text().splitlines())
                self._exceeded = int(events["oom_kill"]) > 0
        return self._exceeded

    def close(self) -> None:
        self.exceeded()
        _remove(self._folder)


def delegated_folder(proc: Path = Path("/proc/self")) -> Path | None:
    """Return the folder of the delegated group of this process, or ``None``."""
    path = next((line[3:] for line in (proc / "cgroup").read_text().splitlines() if line.startswith("0::")), None)
    if path is None:
        return None
    for root, mount in _mounts(proc):
        if Path(path).is_relative_to(root):
            folder = Path(mount) / Path(path).relative_to(root)
            if folder.name == _PLATFORM:  # another worker has moved this process
                folder = folder.parent
            return folder if _is_delegated(folder, is_highest=folder == Path(mount)) else None
    return None


def _mounts(proc: Path) -> Iterator[tuple[str, str]]:
    """Yield the group and the folder of each mount of control groups of version 2 (man 5 proc_pid_mountinfo)."""
    for line in (proc / "mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if after.split()[0] == "cgroup2":
            yield before.split()[3], before.split()[4]


def _is_delegated(folder: Path, *, is_highest: bool) -> bool:
    """Return whether ``folder`` can be used: systemd marks it, or it is the highest group that this process sees."""
    files = (folder, folder / "cgroup.procs", folder / "cgroup.subtree_control")
    try:
        controllers = (folder / "cgroup.controllers").read_text().split()
    except OSError:
        return False
    if not set(_CONTROLLERS) <= set(controllers) or not all(os.access(file, os.W_OK) for file in files):
        return False
    return is_highest or any(_attribute(folder, name) == b"1" for name in ("user.delegate", "trusted.delegate"))


def _attribute(folder: Path, name: str) -> bytes:
    try:
        return os.getxattr(folder, name)
    except OSError:
        return b""


def _remove(group: Path) -> None:
    """Remove a group, whose last process may be about to end. If that fails, a sweep removes it later."""
    for _ in range(_REMOVALS):
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            sleep(_REMOVAL_S)
        else:
            return
    logger.error("cannot remove the control group %s", group)
