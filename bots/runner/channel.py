"""The three pipes of one bot: lines to it, lines from it, and what it writes to stderr. It judges nothing.

How one waits for them depends on the system: ``bots.runner.polled`` where a pipe can be polled (Linux, macOS),
``bots.runner.threaded`` where it cannot (Windows). ``bots.runner.opening`` chooses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from typing import Final, Self

from bots.protocol import MAX_ANSWER_BYTES
from bots.runner.launching import Process

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
