"""Several games of a series at once, each in a process of its own, so that none takes time from another's clocks."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context
from typing import TypeVar

from bots.runner import Launcher, PlatformFailure
from bots.series import Played, Series, play_game

P = TypeVar("P")


def play_at_once(
    series: Series[P], launcher: Callable[[], Launcher[P]], workers: int, keep: bool = False
) -> Iterator[Played]:
    """Play the games, ``workers`` at a time, and give them in the order of their numbers.

    ``launcher`` makes one in every process: a class of ``bots.sandbox``. Raises ``PlatformFailure``.
    """
    context = get_context("spawn")  # the one way to start processes that every system has, and that copies no threads
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts_to_others) as pool:
        waiting: deque[Future[Played]] = deque()
        try:
            for number in range(series.games):
                waiting.append(pool.submit(_play, series, number, launcher, keep))
                if len(waiting) >= 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise PlatformFailure("a process that played games has died") from error
        finally:
            pool.shutdown(cancel_futures=True)


def _leave_interrupts_to_others() -> None:
    """A process that waits for a game has nothing to stop; Ctrl-C reaches every process of a terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play(series: Series[P], number: int, launcher: Callable[[], Launcher[P]], keep: bool) -> Played:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return play_game(series, number, _made(launcher), keep)
    finally:
        _leave_interrupts_to_others()


@cache
def _made(launcher: Callable[[], Launcher[P]]) -> Launcher[P]:
    return launcher()
