"""Limits on request heads: their size, their time, and how many unfinished ones one client address may hold open.

The head of a request is its request line and its headers. Bodies have their own limits (``esr_platform.bodies``).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar, Final

import h11
from django.conf import settings
from uvicorn.protocols.http.h11_impl import H11Protocol

from esr_platform.accounts.limits import address

MAX_HEAD_BYTES: Final = 32 * 1024

GRACE_SECONDS: Final = 1.0
"""How long a connection beyond the limit per address may still complete its head.

A proxy or a load test opens many connections at once and sends each head right away. These connections stay open.
"""

CEILING: Final = 8
"""How many times the limit per address counts as too many: further connections have only ``TICK_SECONDS``.

Without it, an address that reconnects all the time holds as many connections as it opens in ``GRACE_SECONDS``.
"""

TICK_SECONDS: Final = 0.05
"""Enough for a head that has arrived: after a stall, the server accepts all connections before it reads any of them."""


class BoundedHeads(H11Protocol):
    """uvicorn's protocol on h11, which closes connections whose request head is too large or too late.

    The default protocol (httptools) bounds neither, and copies all that came before with every piece. Limits:

    - A head of more than ``MAX_HEAD_BYTES`` is answered with status 400.
    - A head that is incomplete after ``settings.REQUEST_HEAD_SECONDS`` ends the connection.
    - One client address has at most ``settings.MAX_UNFINISHED_HEADS_PER_IP`` connections with an incomplete head.
      Further connections are closed after ``GRACE_SECONDS``. If there are ``CEILING`` times as many, they are closed
      after ``TICK_SECONDS``. Addresses are counted as ``esr_platform.accounts.limits.address`` names them. Behind a
      proxy all connections have its address: proxies wait for a whole head before they pass it on.
    """

    unfinished: ClassVar[Counter[str]] = Counter()
    """Connections with an incomplete head by client address, in this process."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = h11.Connection(h11.SERVER, MAX_HEAD_BYTES)
        self._address = ""
        self._timers: list[asyncio.TimerHandle] = []

    def _unsupported_upgrade_warning(self) -> None:
        """Ignore offers of HTTP/2, which some clients, such as Java's, send with every request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._address = address({"REMOTE_ADDR": self.client[0]}) if self.client else ""
        self._begin_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def head_received(self, head: bytes) -> bool:  # noqa: ARG002
        """Return whether another process takes over the connection, whose next request begins with ``head``."""
        return False

    def data_received(self, data: bytes) -> None:
        rest = b""
        if self.conn.their_state is h11.IDLE:  # h11 judges the size of incomplete heads only
            room = MAX_HEAD_BYTES + 1 - len(self.conn.trailing_data[0])
            data, rest = data[:room], data[room:]
            if data.endswith(b"\n") and not rest:
                head = self.conn.trailing_data[0] + data
                if head.endswith(b"\r\n\r\n") and self.head_received(head):
                    return
        super().data_received(data)
        if rest and not self.transport.is_closing():
            super().data_received(rest)
        if self.conn.their_state is h11.IDLE:
            self._begin_head()
        else:
            self._end_head()

    def send_400_response(self, msg: str) -> None:
        if len(self.conn.trailing_data[0]) > MAX_HEAD_BYTES:
            size = f"{MAX_HEAD_BYTES // 1024} KiB"
            msg = f"The request line and headers exceed {size}. Send a shorter URL or fewer cookies."
        super().send_400_response(msg)

    def _begin_head(self) -> None:
        """Start the time of a head. Does nothing if it has started."""
        if self._timers or self.transport.is_closing():
            return
        self._timers.append(self.loop.call_later(settings.REQUEST_HEAD_SECONDS, self._close))
        self.unfinished[self._address] += 1
        most: int = settings.MAX_UNFINISHED_HEADS_PER_IP
        for limit, seconds in ((CEILING * most, TICK_SECONDS), (most, GRACE_SECONDS)):
            if self.unfinished[self._address] > limit:
                self._timers.append(self.loop.call_later(seconds, self._close_if_above, limit))

    def _end_head(self) -> None:
        if not self._timers:
            return
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self.unfinished[self._address] -= 1
        if not self.unfinished[self._address]:
            del self.unfinished[self._address]

    def _close_if_above(self, limit: int) -> None:
        if self.unfinished[self._address] > limit:
            self._close()

    def _close(self) -> None:
        self._end_head()
        self.timeout_keep_alive_handler()
