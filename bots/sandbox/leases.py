"""Leases of the seats of this host, shared by all workers: a locked file each, for root also a user."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

from bots.runner.launcher import PlatformFailure
from bots.sandbox.runtime import own_folder

with suppress(ModuleNotFoundError):  # on Windows, which has no seats (bots.sandbox.limits)
    import fcntl

logger = logging.getLogger(__name__)

SEATS: Final = 500
"""Maximum number of bots that run on one host at the same time."""

FIRST_UIDS: Final = (1_900_000_000, 60_600)
"""The first user ids of the seats: outside of usual ranges, or in a free range of a container with only 65,536 ids.

systemd assigns 60,001-60,577 and 61,184-65,519 (its "Users, Groups, UIDs and GIDs").
"""

OF_ROOT: Final = Path("/run/esr-seats")
"""The folder of root's seats. User ids belong to the host, so all its sites share it, whatever their folders are."""


def seats_folder(runtime: Path) -> Path:
    """Return the folder of this host's seats for this user, whose runtime folder is ``runtime``.

    Root uses its runtime folder, like other users, in a container without a writable ``/run``. This is logged once,
    because another site on this host then does not see which user ids are in use.
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
    """A leased seat. ``uid`` is the user id of its processes, or ``None`` if this process is not root."""

    def __init__(self, descriptor: int, uid: int | None) -> None:
        self._descriptor, self.uid = descriptor, uid

    def note(self, pid: int) -> None:
        """Record the process of this seat, so that :meth:`Leases.sweep` can end it after the death of this worker."""
        os.pwrite(self._descriptor, f"{pid} {started_at(pid)}\n".encode(), 0)

    def clear(self) -> None:
        """End all processes of this seat's user."""
        if self.uid is not None:
            end_all(pids_of(self.uid))

    def release(self) -> None:
        """Return the seat. It must not be used after that."""
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


class Leases:
    """The seats of one host, stored in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = own_folder(folder)
        self._first_uid = _first_uid() if os.geteuid() == 0 else None
        self._next = os.getpid() % SEATS

    def take(self) -> SandboxSeat:
        """Lease a free seat. Raises ``PlatformFailure`` if there is none."""
        for step in range(SEATS):
            number = (self._next + step) % SEATS
            lease = self._try(number)
            if lease is not None:
                self._next = (number + 1) % SEATS
                return lease
        raise PlatformFailure(f"all {SEATS} bot seats of this host are in use")

    @contextmanager
    def for_a_start(self) -> Iterator[SandboxSeat]:
        """Lease a free seat for a start in this context. It is returned if the start fails."""
        lease = self.take()
        try:
            yield lease
        except BaseException:
            lease.release()
            raise

    def sweep(self) -> int:
        """End all processes whose worker has died. Return their number."""
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
        """End what a dead worker left on a seat that is locked here: the recorded process, and all of its user."""
        note = os.pread(descriptor, 100, 0).split()
        if not note:
            return 0
        pids = set(pids_of(uid)) if uid is not None else set[int]()
        if len(note) == 2 and started_at(int(note[0])) == int(note[1]) != 0:
            pids.add(int(note[0]))
        end_all(pids)
        os.ftruncate(descriptor, 0)
        return len(pids)


def started_at(pid: int) -> int:
    """Return the start time of a process in clock ticks since boot, 0 if it does not exist.

    The pid and this number together identify a process permanently.
    """
    try:
        line = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return int(line.rpartition(")")[2].split()[19])


def pids_of(uid: int) -> Iterator[int]:
    """Yield the processes of a user."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):
                if entry.stat().st_uid == uid:
                    yield int(entry.name)


def end_all(pids: Iterable[int]) -> None:
    """Kill these processes. Ignores processes that have already ended."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def opened(path: Path) -> int:
    """Open a file for locks, and create it if necessary. The caller closes it."""
    how = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, how, 0o600)
    except FileNotFoundError:  # the file system was emptied, as logind does when a user has left
        return os.open(own_folder(path.parent) / path.name, how, 0o600)


def try_lock(descriptor: int) -> bool:
    """Lock an open file. Return ``False`` if it is locked by another opening of the file."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_unlocked(descriptor: int) -> bool:
    """Return whether an open file is not locked by another opening."""
    free = try_lock(descriptor)
    if free:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    return free


def _lock(path: Path) -> int | None:
    """Open the file and lock it for this process. Return ``None`` if another process holds the lock."""
    descriptor = opened(path)
    if not try_lock(descriptor):
        os.close(descriptor)
        return None
    return descriptor


def _first_uid() -> int:
    """Return the first range of user ids that is complete in this user namespace."""
    lines = [[int(word) for word in line.split()] for line in Path("/proc/self/uid_map").read_text().splitlines()]
    for first in FIRST_UIDS:
        if any(inside <= first and first + SEATS <= inside + count for inside, _, count in lines):
            return first
    raise PlatformFailure("this container has no free user ids for bots; run the platform as an ordinary user")
