"""A channel for systems that poll pipes: one thread reads and writes them all."""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from typing import Final, Self

from bots.runner.channel import READ_BYTES, Channel, News
from bots.runner.launching import Process

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
