"""Which seats and cores of this host are taken, across all its workers: a locked file each, and for root a user id."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from bots.runner.clock import cores
from bots.runner.launcher import NoCoreFree, PlatformFailure
from bots.runner.spec import WAITING_MS
from bots.sandbox.runtime import own_folder

with suppress(ModuleNotFoundError):  # on Windows, where nobody takes a seat (bots.sandbox.limits)
    import fcntl

logger = logging.getLogger(__name__)

SEATS: Final = 500
"""The most bots that run on one host at a time."""

FIRST_UIDS: Final = (1_900_000_000, 60_600)
"""Where the seats' user ids begin: far from everybody's, or, in a container that has only 65536, in a gap of theirs.

systemd gives 60,001-60,577 and 61,184-65,519 to others (its "Users, Groups, UIDs and GIDs").
"""


MOST_WAITING_S: Final = WAITING_MS / 1000
"""How long one game waits for cores in total."""

LOOK_AGAIN_S: Final = 0.002
"""How long a waiting game sleeps before it looks for a free core again."""

OF_ROOT: Final = Path("/run/esr-seats")
"""Where root keeps the seats: user ids belong to the host, so all its sites share them, whatever their folders are."""


def seats_folder(runtime: Path) -> Path:
    """Where the seats of this host are kept for this user, whose runtime folder is ``runtime``.

    Root of a container without a ``/run`` that can be written keeps them in its runtime folder, as users do. This is
    logged once, because another site of this host then does not see which users are taken.
    """
    if os.geteuid() == 0:
        if os.access(OF_ROOT if OF_ROOT.exists() else OF_ROOT.parent, os.W_OK):
            return OF_ROOT
        _tell_of_unshared_seats(runtime)
    return runtime / "seats"


@cache
def _tell_of_unshared_seats(runtime: Path) -> None:
    logger.error(
        "cannot write to %s, using %s for leases of bot users; do not run another site with the same user ids",
        OF_ROOT.parent,
        runtime,
    )


class SandboxSeat:
    """One taken seat. ``uid`` is the user a process there runs as, ``None`` where this process is not root."""

    def __init__(self, descriptor: int, uid: int | None) -> None:
        self._descriptor, self.uid = descriptor, uid

    def note(self, pid: int) -> None:
        """Write down which process sits here, for a sweep after this worker's death."""
        os.pwrite(self._descriptor, f"{pid} {started_at(pid)}\n".encode(), 0)

    def clear(self) -> None:
        """End whatever still runs as this seat's user."""
        if self.uid is not None:
            end_all(pids_of(self.uid))

    def release(self) -> None:
        """Give the seat back; nobody may sit there any more."""
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


class Leases:
    """The seats of one host, kept in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = own_folder(folder)
        self._first_uid = _first_uid() if os.geteuid() == 0 else None
        self._next = os.getpid() % SEATS

    def take(self) -> SandboxSeat:
        """A seat that nobody has. Raises ``PlatformFailure`` when there is none."""
        for step in range(SEATS):
            number = (self._next + step) % SEATS
            lease = self._try(number)
            if lease is not None:
                self._next = (number + 1) % SEATS
                return lease
        raise PlatformFailure(f"all {SEATS} bot seats of this host are in use")

    @contextmanager
    def for_a_start(self) -> Iterator[SandboxSeat]:
        """A seat that nobody has, for a start inside this; it is given back if the start fails."""
        lease = self.take()
        try:
            yield lease
        except BaseException:
            lease.release()
            raise

    def sweep(self) -> int:
        """End every process whose worker died before it; how many there were."""
        ended = 0
        for path in self._folder.glob("seat-*"):
            descriptor = _lock(path)
            if descriptor is not None:
                ended += self._clean(descriptor, self._uid(int(path.name.removeprefix("seat-"))))
                os.close(descriptor)
        return ended

    def _try(self, number: int) -> SandboxSeat | None:
        descriptor = _lock(self._folder / f"seat-{number}")
        if descriptor is None:
            return None
        uid = self._uid(number)
        self._clean(descriptor, uid)
        os.pwrite(descriptor, b"0 0\n", 0)
        return SandboxSeat(descriptor, uid)

    def _uid(self, number: int) -> int | None:
        return None if self._first_uid is None else self._first_uid + number

    @staticmethod
    def _clean(descriptor: int, uid: int | None) -> int:
        """End what a dead worker left on a seat we hold: the noted process, and all of its user."""
        note = os.pread(descriptor, 100, 0).split()
        if not note:
            return 0
        pids = set(pids_of(uid)) if uid is not None else set[int]()
        if len(note) == 2 and started_at(int(note[0])) == int(note[1]) != 0:
            pids.add(int(note[0]))
        end_all(pids)
        os.ftruncate(descriptor, 0)
        return len(pids)


class SharedCore:
    """A processor core of this host, held while a bot thinks: no more bots think at a time than there are cores.

    All workers that share ``folder`` share the cores. Bots at ``live`` tables go first, because people wait for them.
    Enter it again and again, in one thread; close it at the end. To enter it raises ``NoCoreFree`` when the game has
    waited for ``MOST_WAITING_S`` in total.
    """

    def __init__(self, folder: Path, *, live: bool = False, number: int | None = None) -> None:
        own_folder(folder)
        names = [f"core-{index}" for index in range(number or cores())]
        first = os.getpid() % len(names)
        self._cores = [_opened(folder / name) for name in (*names[first:], *names[:first])]
        self._live, self._live_waits = live, _opened(folder / "live-waits")
        self._held: int | None = None
        self.waited_s = 0.0
        """How long the game has waited so far."""

    def __enter__(self) -> None:
        if not self._taken():
            if self._live:
                fcntl.flock(self._live_waits, fcntl.LOCK_SH)
            try:
                self._wait()
            finally:
                if self._live:
                    fcntl.flock(self._live_waits, fcntl.LOCK_UN)

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            fcntl.flock(self._held, fcntl.LOCK_UN)
            self._held = None

    def close(self) -> None:
        """Give back what is held, and close the files."""
        for descriptor in (*self._cores, self._live_waits):
            os.close(descriptor)

    def _wait(self) -> None:
        began, before_s = monotonic(), self.waited_s
        while not self._taken():
            if self.waited_s > MOST_WAITING_S:
                raise NoCoreFree(f"no processor core was free for long enough within {MOST_WAITING_S:.0f} s")
            sleep(LOOK_AGAIN_S)
            self.waited_s = before_s + monotonic() - began

    def _taken(self) -> bool:
        if not self._live and not _free(self._live_waits):
            return False
        self._held = next((core for core in self._cores if _locked(core)), None)
        return self._held is not None


def started_at(pid: int) -> int:
    """When the process began, in clock ticks since boot; 0 if there is none. A pid and this name it for good."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return int(line.rpartition(")")[2].split()[19])


def pids_of(uid: int) -> Iterator[int]:
    """The processes of a user."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):
                if entry.stat().st_uid == uid:
                    yield int(entry.name)


def end_all(pids: Iterable[int]) -> None:
    """Kill these processes; those that are gone already do not matter."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _lock(path: Path) -> int | None:
    """The file, opened and locked for this process alone; ``None`` if somebody else has it."""
    descriptor = _opened(path)
    if not _locked(descriptor):
        os.close(descriptor)
        return None
    return descriptor


def _opened(path: Path) -> int:
    how = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, how, 0o600)
    except FileNotFoundError:  # the file system was emptied, as logind does when a user has left
        return os.open(own_folder(path.parent) / path.name, how, 0o600)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _free(descriptor: int) -> bool:
    """Whether no other process holds a lock of the file."""
    free = _locked(descriptor)
    if free:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    return free


def _first_uid() -> int:
    """The first range of user ids that this user namespace has whole."""
    lines = [[int(word) for word in line.split()] for line in Path("/proc/self/uid_map").read_text().splitlines()]
    for first in FIRST_UIDS:
        if any(inside <= first and first + SEATS <= inside + count for inside, _, count in lines):
            return first
    raise PlatformFailure("this container has no free user ids for bots; run the platform as an ordinary user")
