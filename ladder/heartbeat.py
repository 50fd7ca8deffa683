"""Keeps a lease while a match is played, and ends the game when the lease is lost."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial

from bots.runner.launching import Observer
from esr_platform.heartbeats import Heartbeat, beating
from games.base import State
from ladder.leases import LEASE, RENEW_EVERY_S, Lease, renew


class LeaseLost(Exception):
    """The lease was refused, or could not be renewed while it lasts, so nothing of the game counts."""


def renewed(lease: Lease, every_s: float | None = None) -> AbstractContextManager[Heartbeat]:
    """Renew ``lease`` every ``every_s`` seconds from a thread of its own, with a database connection of its own."""
    what, lasts_s = f"match {lease.match_id}", LEASE.total_seconds()
    return beating(partial(renew, lease), what, RENEW_EVERY_S if every_s is None else every_s, lasts_s)


class WhileLeased:
    """An ``Observer`` that raises ``LeaseLost`` at the first event after the loss. It passes on the others."""

    def __init__(self, heart: Heartbeat, observer: Observer | None) -> None:
        self._heart, self.observer = heart, observer

    def moved(self, state: State) -> None:
        self._check()
        if self.observer is not None:
            self.observer.moved(state)

    def told(self, seat: int, line: bytes) -> None:
        self._check()
        if self.observer is not None:
            self.observer.told(seat, line)

    def heard(self, seat: int, line: bytes) -> None:
        self._check()
        if self.observer is not None:
            self.observer.heard(seat, line)

    def _check(self) -> None:
        if self._heart.lost:
            raise LeaseLost
