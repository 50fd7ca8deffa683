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
"""Maximum number of bytes per read."""

News = list[tuple[int, int]]
"""The descriptors that are ready, as ``poll()`` returns them; empty after a timeout."""


class Channel(ABC):
    """A connection to a running bot. Reads and writes never block, and stored output of the bot is bounded.

    ``lines`` are the complete lines that are not yet judged; ``None`` is a line longer than an answer may be. ``ended``
    is true when there will be no more lines.
    """

    def __init__(self, process: Process) -> None:
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self.lines: deque[bytes | None] = deque()
        self.ended = False
        self.stderr_open = True
        self._rest = b""
        self._skipping = False
        self._stderr = b""
        self._copied = process.copied

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Write ``data`` as soon as the bot reads it. Does nothing if its stdin is closed."""

    @abstractmethod
    def wait(self, timeout_ns: int) -> News:
        """Wait until :meth:`take` has something to read, for up to ``timeout_ns``. Can return earlier."""

    @classmethod
    @abstractmethod
    def wait_for_any(cls, channels: Sequence[Self], timeout_ns: int) -> list[News]:
        """Wait for several channels at the same time. Return the result of each, in order."""

    @abstractmethod
    def take(self, news: News) -> bool:
        """Read what is available. Return whether it includes stdout, which can change ``lines`` and ``ended``."""

    @abstractmethod
    def close_stdin(self) -> None:
        """Send end of file to the bot."""

    @abstractmethod
    def close(self) -> None:
        """Read the rest of stderr and close the pipes. The process must have ended."""

    def stderr_tail(self) -> str:
        """Return the end of stderr as text. NUL and bytes that are not valid UTF-8 appear as escapes."""
        text = self._stderr.decode("utf-8", errors="backslashreplace").replace("\0", "\\x00")
        return text if self._copied is None else text.replace(*self._copied)

    @property
    def mid_line(self) -> bool:
        """Whether the last data from stdout was an incomplete line."""
        return bool(self._rest) or self._skipping

    def _hear(self, data: bytes) -> None:
        """Process data from stdout; empty at end of file."""
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
        """Process data from stderr and keep the last 64 KiB; empty at end of file."""
        self.stderr_open = bool(data)
        self._stderr = (self._stderr + data)[-KEPT_STDERR_BYTES:]


# --- Polled pipes ----------------------------------------------------------------------------------------------------

_FULLEST_PIPE: Final = 1024 * 1024
_GONE = (BrokenPipeError, ConnectionResetError)


class PolledChannel(Channel):
    """A channel that polls pipes. Data that does not fit into the pipe is ``unsent`` until a later :meth:`take`."""

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
        """Send end of file to the bot. Discards unsent data."""
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
        """Read stderr. Return whether there was data or end of file."""
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
"""Maximum duration of one wait: Windows reports Ctrl-C only after a wait."""

_LAST_WORDS_NS: Final = 200_000_000
"""Maximum wait for the end of stderr after the process ended, because a child process can hold it open."""

_JOINED_S: Final = 0.1


class ThreadedChannel(Channel):
    """A channel with blocking pipes and threads. A thread reads more only after its last data was taken.

    A thread ends when the bot and all its child processes have closed the other end of the pipe. It cannot be woken
    earlier, so it outlives the game if an escaped process holds the pipe.
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
            channel._bell = bell  # before the check, so that later data rings this bell
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
        """Send end of file to the bot after all unread data."""
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
    """A thread that reads a descriptor in pieces and closes it at the end. Calls ``ring`` for each piece."""

    def __init__(self, descriptor: int, ring: Callable[[], None]) -> None:
        self._descriptor, self._ring = descriptor, ring
        self._piece = b""
        self.has_piece = False
        self._go_on = SimpleQueue[bool]()
        self.thread = _started(self._run)

    def take(self) -> bytes:
        """Return the available piece, empty at end of file, and let the thread read the next."""
        piece, self.has_piece = self._piece, False
        self._go_on.put(bool(piece))
        return piece

    def leave(self) -> None:
        """Stop after the current read."""
        self._go_on.put(False)

    def _run(self) -> None:
        while True:
            try:
                self._piece = os.read(self._descriptor, READ_BYTES)
            except OSError:  # the end of a pipe on some systems
                self._piece = b""
            self.has_piece = True
            self._ring()
            if not self._go_on.get():
                break
        os.close(self._descriptor)


class _Writer:
    """A thread that writes to a descriptor as fast as the other side reads, and closes it at the end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting = SimpleQueue[bytes | None]()
        self.thread = _started(self._run)

    def write(self, data: bytes) -> None:
        """Queue ``data``."""
        self._waiting.put(data)

    def leave(self) -> None:
        """Close the descriptor after all queued data."""
        self._waiting.put(None)

    def _run(self) -> None:
        with suppress(OSError):  # the bot has exited or no longer reads
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
"""A function that returns a channel for the pipes of a started process."""


def best_channel() -> type[PolledChannel | ThreadedChannel]:
    """Return ``PolledChannel`` if this system can poll pipes, else ``ThreadedChannel``."""
    return PolledChannel if hasattr(select, "poll") and hasattr(os, "set_blocking") else ThreadedChannel


def open_channel(process: Process) -> Channel:
    """Return the best channel of this system for ``process``."""
    return best_channel()(process)
