"""The three pipes of one bot: lines to it, lines from it, and what it writes to stderr. It judges nothing."""

from __future__ import annotations

import os
import select
from collections import deque
from typing import Final

from bots.protocol import MAX_ANSWER_BYTES
from bots.runner.launching import Process

KEPT_STDERR_BYTES: Final = 64 * 1024
_READ_BYTES: Final = 64 * 1024
_FULLEST_PIPE: Final = 1024 * 1024
_GONE = (BrokenPipeError, ConnectionResetError)


class Channel:
    """Reads and writes without ever waiting; what it keeps of a bot's output is bounded.

    ``lines`` are the complete lines not yet judged, ``None`` standing for one that was longer than an answer may be;
    ``epoll`` waits for more of them, for stderr, and for room where something is unsent.
    """

    def __init__(self, process: Process) -> None:
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self.epoll = select.epoll()
        self.epoll.register(self.stdout, select.EPOLLIN)
        self.epoll.register(self.stderr, select.EPOLLIN)
        self.lines: deque[bytes | None] = deque()
        self.unsent = b""
        self.ended = False
        self.stderr_open = True
        self._stdin_open = True
        self._rest = b""
        self._skipping = False
        self._stderr = b""

    def send(self, data: bytes) -> None:
        """Write ``data``; what does not fit into the pipe waits in ``unsent``. A closed stdin hears nothing."""
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
            self.epoll.register(self.stdin, select.EPOLLOUT)

    def flush(self) -> None:
        """Write more of what is unsent."""
        self.epoll.unregister(self.stdin)
        data, self.unsent = self.unsent, b""
        self.send(data)

    def receive(self) -> None:
        """One read of stdout: complete lines into ``lines``; ``ended`` at end of file."""
        try:
            data = os.read(self.stdout, _READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self.ended = True
            self.epoll.unregister(self.stdout)
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

    def listen(self) -> bool:
        """One read of stderr, of which the last 64 KiB are kept; whether there was anything."""
        try:
            data = os.read(self.stderr, _READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self.stderr_open = False
            self.epoll.unregister(self.stderr)
        self._stderr = (self._stderr + data)[-KEPT_STDERR_BYTES:]
        return self.stderr_open

    def stderr_tail(self) -> str:
        """The end of what the bot wrote to stderr, as text; NUL and bytes that are no UTF-8 are written as escapes."""
        return self._stderr.decode("utf-8", errors="backslashreplace").replace("\0", "\\x00")

    def close_stdin(self) -> None:
        """End of file for the bot; what is unsent stays so."""
        if self._stdin_open:
            self._stdin_open = False
            if self.unsent:
                self.epoll.unregister(self.stdin)
            os.close(self.stdin)

    def close(self) -> None:
        """Read what stderr still holds, at most a full pipe, and close the pipes. The process is gone by now."""
        for _ in range(_FULLEST_PIPE // _READ_BYTES):
            if not self.stderr_open or not self.listen():
                break
        self.close_stdin()
        self.epoll.close()
        os.close(self.stdout)
        os.close(self.stderr)
