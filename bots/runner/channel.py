"""Channels to running bots: one that polls pipes, and one with threads for systems that cannot poll them.

``open_channel`` chooses: ``PolledChannel`` where a pipe can be polled (Linux, macOS), ``ThreadedChannel`` where it
cannot (Windows).
"""

from __future__ import annotations

import os
import select
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from time import perf_counter_ns
from typing import Final, Self

from bots.protocol import MAX_ANSWER_BYTES
from bots.runner.launcher import Process

KEPT_STDERR_BYTES: Final = 64 * 1024
READ_BYTES: Final = 64 * 1024
"""The most that is read at a time."""

News = list[tuple[int, int]]
"""What a channel's descriptors are ready for, as ``poll()`` tells it; empty if the time was up first."""


class Channel(ABC):
    """Neither reading nor writing ever waits; what is kept of a bot's output is bounded, and so is what is read ahead.

    ``lines`` are the complete lines not yet judged, ``None`` standing for one that was longer than an answer may be;
    ``ended`` says that no more will come.
    """

    def __init__(self, process: Process) -> None:
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self.lines: deque[bytes | None] = deque()
        self.ended = False
        self.stderr_open = True
        self._rest = b""
        self._skipping = False
        self._stderr = b""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Write ``data`` as soon as the bot reads. A closed stdin hears nothing."""

    @abstractmethod
    def wait(self, timeout_ns: int) -> News:
        """Wait until there is something for :meth:`take`, at most ``timeout_ns``, and perhaps not even as long."""

    @classmethod
    @abstractmethod
    def wait_for_any(cls, channels: Sequence[Self], timeout_ns: int) -> list[News]:
        """The same for several channels at once: the news of each, in their order."""

    @abstractmethod
    def take(self, news: News) -> bool:
        """Read a piece of whatever there is; whether stdout was among it, so that ``lines`` or ``ended`` may be new."""

    @abstractmethod
    def close_stdin(self) -> None:
        """End of file for the bot."""

    @abstractmethod
    def close(self) -> None:
        """Read what stderr still holds, and close the pipes. The process is gone by now."""

    def stderr_tail(self) -> str:
        """The end of what the bot wrote to stderr, as text; NUL and bytes that are no UTF-8 are written as escapes."""
        return self._stderr.decode("utf-8", errors="backslashreplace").replace("\0", "\\x00")

    def _hear(self, data: bytes) -> None:
        """A piece of stdout; empty at end of file."""
        if not data:
            self.ended = True
        elif not self._rest and not self._skipping and data.find(b"\n") == len(data) - 1 <= MAX_ANSWER_BYTES:
            self.lines.append(data)
        else:
            self._split(data)

    def _split(self, data: bytes) -> None:
        if self._skipping:
            _, newline, data = data.partition(b"\n")
            if not newline:
                return
            self._skipping = False
        *lines, rest = (self._rest + data).split(b"\n")
        self.lines.extend(line if len(line) <= MAX_ANSWER_BYTES else None for line in lines)
        if len(rest) > MAX_ANSWER_BYTES:
            self.lines.append(None)
            self._skipping, rest = True, b""
        self._rest = rest

    def _keep(self, data: bytes) -> None:
        """A piece of stderr, of which the last 64 KiB are kept; empty at end of file."""
        self.stderr_open = bool(data)
        self._stderr = (self._stderr + data)[-KEPT_STDERR_BYTES:]


# --- Polled pipes ----------------------------------------------------------------------------------------------------

_FULLEST_PIPE: Final = 1024 * 1024
_GONE = (BrokenPipeError, ConnectionResetError)


class PolledChannel(Channel):
    """What does not fit into the bot's stdin waits in ``unsent`` until a later :meth:`take`."""

    def __init__(self, process: Process) -> None:
        super().__init__(process)
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self.unsent = b""
        self._stdin_open = True
        self._poll = select.poll()
        self._wait = self._poll.poll
        self._watched: dict[int, int] = {}
        self._watch(self.stdout, select.POLLIN)
        self._watch(self.stderr, select.POLLIN)

    def send(self, data: bytes) -> None:
        if self.unsent:
            self.unsent += data
            return
        try:
            written = os.write(self.stdin, data)
        except BlockingIOError:
            written = 0
        except _GONE:
            return
        if written != len(data):
            self.unsent = data[written:]
            self._watch(self.stdin, select.POLLOUT)

    def wait(self, timeout_ns: int) -> News:
        return self._wait(timeout_ns / 1e6 if timeout_ns > 0 else 0)

    @classmethod
    def wait_for_any(cls, channels: Sequence[Self], timeout_ns: int) -> list[News]:
        poll = select.poll()
        for channel in channels:
            for descriptor, events in channel._watched.items():
                poll.register(descriptor, events)
        ready = dict(poll.poll(timeout_ns / 1e6 if timeout_ns > 0 else 0))
        return [
            [(descriptor, ready[descriptor]) for descriptor in channel._watched if descriptor in ready]
            for channel in channels
        ]

    def take(self, news: News) -> bool:
        spoke = False
        for descriptor, _ in news:
            if descriptor == self.stdout:
                spoke = True
                try:
                    self._hear(os.read(descriptor, READ_BYTES))
                except BlockingIOError:
                    continue
                if self.ended:
                    self._forget(descriptor)
            elif descriptor == self.stderr:
                self._listen()
            else:
                self._flush()
        return spoke

    def close_stdin(self) -> None:
        """End of file for the bot; what is unsent stays so."""
        if self._stdin_open:
            self._stdin_open = False
            if self.unsent:
                self._forget(self.stdin)
            os.close(self.stdin)

    def close(self) -> None:
        for _ in range(_FULLEST_PIPE // READ_BYTES):
            if not self.stderr_open or not self._listen():
                break
        self.close_stdin()
        os.close(self.stdout)
        os.close(self.stderr)

    def _listen(self) -> bool:
        """Whether there was anything, be it the end."""
        try:
            data = os.read(self.stderr, READ_BYTES)
        except BlockingIOError:
            return False
        self._keep(data)
        if not data:
            self._forget(self.stderr)
        return True

    def _flush(self) -> None:
        self._forget(self.stdin)
        data, self.unsent = self.unsent, b""
        self.send(data)

    def _watch(self, descriptor: int, events: int) -> None:
        self._watched[descriptor] = events
        self._poll.register(descriptor, events)

    def _forget(self, descriptor: int) -> None:
        del self._watched[descriptor]
        self._poll.unregister(descriptor)


# --- Threads ---------------------------------------------------------------------------------------------------------

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


# --- The channel of this system --------------------------------------------------------------------------------------

OpenChannel = Callable[[Process], Channel]
"""Takes over the pipes of a started process."""


def best_channel() -> type[PolledChannel | ThreadedChannel]:
    """The kind that polls, where pipes can be polled, and the one with threads elsewhere."""
    return PolledChannel if hasattr(select, "poll") and hasattr(os, "set_blocking") else ThreadedChannel


def open_channel(process: Process) -> Channel:
    """The best channel there is for ``process``."""
    return best_channel()(process)
