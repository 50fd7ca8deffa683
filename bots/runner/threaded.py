"""A channel for systems that cannot poll pipes: a thread for each pipe waits where the runner may not."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from time import perf_counter_ns
from typing import Final, Self

from bots.runner.channel import READ_BYTES, Channel, News
from bots.runner.launching import Process

_READY: Final = 1
_HEED_S: Final = 0.1
"""The longest wait at a time: Windows tells of Ctrl-C only when a wait is over."""

_LAST_WORDS_NS: Final = 200_000_000
"""How long the end of stderr is waited for when the process is gone; something it has started may hold it open."""

_JOINED_S: Final = 0.1


class ThreadedChannel(Channel):
    """Its descriptors block. No thread reads on before what it has read was taken, so a flood stays in the pipe.

    A thread ends with its pipe: when the bot and all it has started have let go of the other end. Nothing can wake a
    thread before that, so one may outlive the game if a process has escaped that holds the pipe.
    """

    def __init__(self, process: Process) -> None:
        super().__init__(process)
        self._bell = threading.Event()
        self._out = _Reader(self.stdout, self._ring)
        self._err = _Reader(self.stderr, self._ring)
        self._in = _Writer(self.stdin)

    def send(self, data: bytes) -> None:
        self._in.write(data)

    def wait(self, timeout_ns: int) -> News:
        return self.wait_for_any((self,), timeout_ns)[0]

    @classmethod
    def wait_for_any(cls, channels: Sequence[Self], timeout_ns: int) -> list[News]:
        bell = threading.Event()
        for channel in channels:
            channel._bell = bell  # before looking, so that what comes afterwards rings this one
        news = [channel._news() for channel in channels]
        if timeout_ns > 0 and not any(news):
            bell.wait(min(timeout_ns / 1e9, _HEED_S))
            news = [channel._news() for channel in channels]
        return news

    def take(self, news: News) -> bool:
        spoke = False
        for descriptor, _ in news:
            if descriptor == self.stdout:
                self._hear(self._out.take())
                spoke = True
            else:
                self._keep(self._err.take())
        return spoke

    def close_stdin(self) -> None:
        """End of file for the bot, after what it has not read yet."""
        self._in.leave()

    def close(self) -> None:
        self.close_stdin()
        self._out.leave()
        self.ended = True
        deadline_ns = perf_counter_ns() + _LAST_WORDS_NS
        while self.stderr_open and (left_ns := deadline_ns - perf_counter_ns()) > 0:
            self.take(self.wait(left_ns))
        self._err.leave()
        for end in (self._in, self._out, self._err):
            end.thread.join(_JOINED_S)

    def _ring(self) -> None:
        self._bell.set()

    def _news(self) -> News:
        news = [(self.stdout, _READY)] if self._out.has_piece and not self.ended else []
        if self._err.has_piece and self.stderr_open:
            news.append((self.stderr, _READY))
        return news


class _Reader:
    """Reads one descriptor, a piece at a time, and closes it at the end. ``ring`` is called when there is a piece."""

    def __init__(self, descriptor: int, ring: Callable[[], None]) -> None:
        self._descriptor, self._ring = descriptor, ring
        self._piece = b""
        self.has_piece = False
        self._go_on = SimpleQueue[bool]()
        self.thread = _started(self._run)

    def take(self) -> bytes:
        """The piece that is there, empty at end of file; the next may be read now."""
        piece, self.has_piece = self._piece, False
        self._go_on.put(bool(piece))
        return piece

    def leave(self) -> None:
        """Read nothing after what is being read now."""
        self._go_on.put(False)

    def _run(self) -> None:
        while True:
            try:
                self._piece = os.read(self._descriptor, READ_BYTES)
            except OSError:  # some systems tell the end of a pipe like this
                self._piece = b""
            self.has_piece = True
            self._ring()
            if not self._go_on.get():
                break
        os.close(self._descriptor)


class _Writer:
    """Writes one descriptor as fast as somebody reads it, and closes it at the end, or when nobody ever will."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting = SimpleQueue[bytes | None]()
        self.thread = _started(self._run)

    def write(self, data: bytes) -> None:
        """Write ``data`` after all that waits already."""
        self._waiting.put(data)

    def leave(self) -> None:
        """Close the descriptor after all that waits already."""
        self._waiting.put(None)

    def _run(self) -> None:
        with suppress(OSError):  # a bot that is gone, or reads no more, hears nothing
            while (data := self._waiting.get()) is not None:
                while data:
                    data = data[os.write(self._descriptor, data) :]
        os.close(self._descriptor)


def _started(run: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
