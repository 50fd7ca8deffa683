"""Processor cores of this host, which all workers share. A bot holds a core only while it computes.

Each core is a locked file, so the kernel frees the cores of a killed worker. The file ``queue`` contains who waits and
how much time everyone has had. The order is start-time fair queueing (Goyal, Vin and Cheng, 1996), first between the
sites on this host and then between the uses of a site. Within one use, the longest wait is first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from bots.runner.clock import cores
from bots.runner.launcher import NoCoreFree
from bots.runner.spec import WAITING_MS
from bots.sandbox.leases import is_unlocked, opened, started_at, try_lock
from bots.sandbox.runtime import own_folder

with suppress(ModuleNotFoundError):  # on Windows, which has no seats (bots.sandbox.limits)
    import fcntl

SLICE_S: Final = 0.5
"""Time after which a bot that computes gives its core to others that wait."""

MOST_WAITING_S: Final = WAITING_MS / 1000
"""Maximum total time that a game waits for cores."""

LOOK_AGAIN_S: Final = 0.002
"""Time after which the first in the queue checks again for a free core. The n-th checks n times more rarely."""

_MOST_BETWEEN_LOOKS_S: Final = 0.05

OFFERED_S: Final = 1.0
"""Time after which a free core goes to the next in the queue, because the first is suspended or gets no processor."""

_MOST_BYTES: Final = 1 << 20
_MOST_GROUPS: Final = 100
"""Number of sites and uses after which everyone starts again without used time."""


class CoreUse(StrEnum):
    """What a core is used for. Each use of a site that waits gets the same time."""

    LIVE = "live"
    """Hosted bots at live tables. They go first if all have had the same time, because people wait for them."""

    MATCHES = "matches"
    """Matches of ladders, cups and exhibitions, which share the worker processes (``ladder.matches.dispatch``)."""

    VALIDATIONS = "validations"
    """Validations of uploads."""


class SharedCore:
    """A core for the bots of one game, which use it one at a time. It is not thread-safe.

    All workers with the same ``folder`` share the cores. ``site`` identifies the site of this worker.
    """

    def __init__(self, folder: Path, use: CoreUse = CoreUse.MATCHES, site: str = "", number: int | None = None) -> None:
        own_folder(folder)
        names = [f"core-{index}" for index in range(number or cores())]
        first = os.getpid() % len(names)
        self._cores = [opened(folder / name) for name in (*names[first:], *names[:first])]
        self._queue = _Queue(opened(folder / "queue"))
        self._waits = opened(folder / "waits")
        self._group = (site, use.value)
        self._held: int | None = None
        self._since_s = 0.0
        self.waited_s = 0.0
        """Total time that the game has waited so far."""

    @property
    def held(self) -> bool:
        """Whether this game holds a core now."""
        return self._held is not None

    @property
    def is_due(self) -> bool:
        """Whether this game has held its core for ``SLICE_S`` and others wait."""
        return monotonic() - self._since_s > SLICE_S and self._others_wait()

    def hold(self) -> None:
        """Hold a core, if necessary after waiting in the queue. Keep a core that is held already if the queue is empty.

        Raises ``NoCoreFree`` when the game has waited for ``MOST_WAITING_S`` in total.
        """
        if self._held is not None:
            if not self._others_wait():
                return
            self.release()
        if not self.try_hold():
            self._wait()

    def try_hold(self) -> bool:
        """Hold a core if one is free and the queue is empty. Return whether it is held."""
        return self._took(None)

    def release(self) -> None:
        """Give the core back, if one is held."""
        if self._held is not None:
            held_s = monotonic() - self._since_s
            with self._queue.changed() as queue:
                queue.charge(self._group, held_s - SLICE_S)
                fcntl.flock(self._held, fcntl.LOCK_UN)
                self._held = None

    def close(self) -> None:
        """Give the core back and close the files."""
        self.release()
        for descriptor in (*self._cores, self._queue.descriptor, self._waits):
            os.close(descriptor)

    def _others_wait(self) -> bool:
        return not is_unlocked(self._waits)

    def _wait(self) -> None:
        fcntl.flock(self._waits, fcntl.LOCK_SH)
        began_s, before_s = monotonic(), self.waited_s
        with self._queue.changed() as queue:
            ticket = queue.join(self._group)
        try:
            while not self._took(ticket):
                if self.waited_s > MOST_WAITING_S:
                    raise NoCoreFree(f"no processor core was free for long enough within {MOST_WAITING_S:.0f} s")
                sleep(min(LOOK_AGAIN_S * self._queue.place, _MOST_BETWEEN_LOOKS_S))
                self.waited_s = before_s + monotonic() - began_s
        except BaseException:
            with self._queue.changed() as queue:
                queue.leave(ticket)
            raise
        finally:
            fcntl.flock(self._waits, fcntl.LOCK_UN)

    def _took(self, ticket: int | None) -> bool:
        """Take a free core if this is the turn of ``ticket``, or without a ticket if the queue is empty."""
        if not any(map(is_unlocked, self._cores)):
            return False
        with self._queue.changed() as queue:
            if not queue.is_turn_of(ticket, self._group):
                return False
            self._held = next((core for core in self._cores if try_lock(core)), None)
            if self._held is None:
                return False
            queue.leave(ticket)
            queue.grant(self._group)
            self._since_s = monotonic()
            return True


Group = tuple[str, str]
"""A site and a use."""


class _Queue:
    """The waiters for a core, and the time of each group, in a file that is locked while it changes.

    A lost or damaged file means that there are no waiters and no used time; a waiter without an entry joins again.
    ``place`` is the place in the queue at the last check, from 1.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.place = 1
        self._served_s: dict[str, float] = {}
        self._now_s: dict[str, float] = {}
        self._waiting: dict[int, tuple[str, str, int, int]] = {}
        self._offered = (0, 0.0)
        """The first in the queue, and since when there has been a free core for it, by ``time.monotonic``."""
        self._next = 1

    @contextmanager
    def changed(self) -> Iterator[_Queue]:
        """Read the file, and write it at the end of this context if it changed. No other worker can read meanwhile."""
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        try:
            before = os.pread(self.descriptor, _MOST_BYTES, 0)
            self._read(before)
            yield self
            after = self._document()
            if after != before:
                os.pwrite(self.descriptor, after, 0)
                os.ftruncate(self.descriptor, len(after))
        finally:
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)

    def join(self, group: Group) -> int:
        """Add a waiter and return its ticket."""
        ticket, self._next = self._next, self._next + 1
        self._catch_up(group)
        self._waiting[ticket] = (*group, os.getpid(), started_at(os.getpid()))
        return ticket

    def leave(self, ticket: int | None) -> None:
        """Remove a waiter."""
        if ticket is not None:
            self._waiting.pop(ticket, None)

    def is_turn_of(self, ticket: int | None, group: Group) -> bool:
        """Return whether ``ticket`` is first. Without a ticket, return whether the queue is empty.

        Call this only while a core is free.
        """
        if ticket is not None and ticket not in self._waiting:
            self._waiting[ticket] = (*group, os.getpid(), started_at(os.getpid()))
        order = sorted(self._waiting, key=self._order)
        for place, waiter in zip(count(1), order, strict=False):
            if waiter == ticket:
                self.place = place
                return place == 1
            if place == 1 and (self._leaves_its_core(waiter) or not self._lives(waiter)):
                del self._waiting[waiter]  # it joins again with the same ticket if it looks again
                return self.is_turn_of(ticket, group)
        return not order

    def _leaves_its_core(self, first: int) -> bool:
        """Return whether there has been a free core for the first in the queue for ``OFFERED_S``."""
        if self._offered[0] != first:
            self._offered = (first, monotonic())
        return not 0 <= monotonic() - self._offered[1] < OFFERED_S

    def grant(self, group: Group) -> None:
        """Charge a slice in advance, so that one group does not get all cores at the same time."""
        self._offered = (0, 0.0)
        self._catch_up(group)
        for level, key in self._keys(group):
            self._now_s[level] = self._served_s[key]
        self.charge(group, SLICE_S)

    def charge(self, group: Group, served_s: float) -> None:
        """Add the time that a group has had."""
        for _, key in self._keys(group):
            self._served_s[key] = self._served_s.get(key, 0.0) + served_s

    def _catch_up(self, group: Group) -> None:
        """Let a group that did not wait for some time begin at the present, because unused time is not saved."""
        for level, key in self._keys(group):
            self._served_s[key] = max(self._served_s.get(key, 0.0), self._now_s.get(level, 0.0))

    def _order(self, ticket: int) -> tuple[float, float, bool, int]:
        site, use, _, _ = self._waiting[ticket]
        served = [self._served_s.get(key, 0.0) for _, key in self._keys((site, use))]
        return served[0], served[1], use != CoreUse.LIVE, ticket

    def _lives(self, ticket: int) -> bool:
        _, _, pid, born = self._waiting[ticket]
        return started_at(pid) == born != 0

    @staticmethod
    def _keys(group: Group) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return the level and the key of the site, and of the use within the site."""
        site, use = group
        return ("sites", site), (f"in {site}", f"{site}/{use}")

    def _read(self, data: bytes) -> None:
        self._served_s, self._now_s, self._waiting, self._offered = {}, {}, {}, (0, 0.0)
        with suppress(ValueError, TypeError, LookupError):
            document = json.loads(data)
            self._next = max(self._next, document["next"])
            self._waiting = {int(ticket): tuple(waiter) for ticket, waiter in document["waiting"].items()}
            self._served_s, self._now_s = document["served_s"], document["now_s"]
            self._offered = (int(document["offered"][0]), float(document["offered"][1]))

    def _document(self) -> bytes:
        if len(self._served_s) > _MOST_GROUPS:
            self._served_s, self._now_s = {}, {}
        document = {
            "served_s": self._served_s,
            "now_s": self._now_s,
            "waiting": self._waiting,
            "offered": self._offered,
            "next": self._next,
        }
        return json.dumps(document).encode()
