"""Request heads that are too large, that never end, or of which one address holds many open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import h11
import pytest
import uvicorn
from pytest_django import Settings
from uvicorn.server import ServerState

from esr_platform.heads import CEILING, GRACE_SECONDS, MAX_HEAD_BYTES, TICK_SECONDS, BoundedHeads
from esr_platform.supervisor.processes import web

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


class Clock:
    """The part of an event loop that the protocol needs, with a time that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None], asyncio.TimerHandle]] = []
        self.tasks = 0

    def call_later(self, seconds: float, callback: Callable[..., None], *args: Any) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(self.now + seconds, callback, args, self)  # type: ignore[arg-type]
        self.timers.append((self.now + seconds, partial(callback, *args), handle))
        return handle

    def get_debug(self) -> bool:
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None: ...

    def create_task(self, work: Any) -> asyncio.Future[None]:
        work.close()
        self.tasks += 1
        return asyncio.Future(loop=self)  # type: ignore[arg-type]

    def go_on(self, seconds: float) -> None:
        """Run everything that is due within the next ``seconds``."""
        until = self.now + seconds
        while due := sorted((timer for timer in self.timers if timer[0] <= until), key=lambda timer: timer[0]):
            self.timers.remove(due[0])
            self.now = due[0][0]
            if not due[0][2].cancelled():
                due[0][1]()
        self.now = until


class Line(asyncio.Transport):
    """A connection from ``host`` without a network."""

    def __init__(self, host: str) -> None:
        super().__init__({"peername": (host, 50_000), "sockname": ("127.0.0.1", 8000)})
        self.sent, self.closed = b"", False

    def write(self, data: Any) -> None:
        self.sent += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Server:
    """Connections to one web process."""

    def __init__(self) -> None:
        async def application(scope: Any, receive: Any, send: Any) -> None: ...

        self.clock = Clock()
        self.config = uvicorn.Config(application, log_config=None, ws="none", proxy_headers=False, interface="asgi3")
        self.config.load()

    def connect(self, host: str = "192.0.2.1") -> tuple[BoundedHeads, Line]:
        protocol, line = BoundedHeads(self.config, ServerState(), {}, _loop=self.clock), Line(host)
        protocol.connection_made(line)
        return protocol, line

    def open_of(self, lines: list[tuple[BoundedHeads, Line]]) -> int:
        return sum(not line.closed for _, line in lines)


@pytest.fixture
def server() -> Iterator[Server]:
    yield Server()
    BoundedHeads.unfinished.clear()


def test_the_site_starts_its_web_server_with_these_limits() -> None:
    arguments = list(web("127.0.0.1", 8000, {}).arguments)
    assert arguments[arguments.index("--http") + 1] == f"{BoundedHeads.__module__}:{BoundedHeads.__qualname__}"
    assert MAX_HEAD_BYTES <= 32 * 1024


@pytest.mark.parametrize("start", [b"GET /", HEAD + b"X-Long: "])
@pytest.mark.parametrize("piece", [1000, MAX_HEAD_BYTES, 8 * MAX_HEAD_BYTES])
def test_a_head_without_an_end_is_refused_at_its_limit(server: Server, start: bytes, piece: int) -> None:
    protocol, line = server.connect()
    protocol.data_received(start)
    pieces = 0
    while not line.closed:
        protocol.data_received(b"a" * piece)
        pieces += 1
    assert line.sent.startswith(b"HTTP/1.1 400 ")
    assert b"32 KiB" in line.sent
    assert (pieces - 1) * piece <= MAX_HEAD_BYTES


def test_a_head_that_is_too_large_is_refused_though_it_comes_whole(server: Server) -> None:
    protocol, line = server.connect()
    protocol.data_received(HEAD + b"X-Long: " + b"a" * MAX_HEAD_BYTES + b"\r\n\r\n")
    assert line.sent.startswith(b"HTTP/1.1 400 ")
    assert server.clock.tasks == 0


def test_a_head_of_almost_that_size_is_answered_with_its_body(server: Server) -> None:
    protocol, line = server.connect()
    size = MAX_HEAD_BYTES - len(HEAD) - 60
    body = b"b" * 100_000
    protocol.data_received(HEAD + b"Content-Length: 100000\r\nX-Long: " + b"a" * size + b"\r\n\r\n" + body)
    assert (server.clock.tasks, line.closed) == (1, False)
    assert bytes(protocol.cycle.body) == body


@pytest.mark.parametrize("bytes_before", [b"", HEAD])
def test_a_head_that_is_not_there_in_time_ends_the_connection(
    server: Server, settings: Settings, bytes_before: bytes
) -> None:
    assert settings.REQUEST_HEAD_SECONDS <= 10
    protocol, line = server.connect()
    if bytes_before:
        protocol.data_received(bytes_before)
    for _ in range(9):
        server.clock.go_on(settings.REQUEST_HEAD_SECONDS / 10)
        protocol.data_received(b"a")
    assert not line.closed
    server.clock.go_on(settings.REQUEST_HEAD_SECONDS / 10)
    assert line.closed


def test_the_head_of_the_next_request_has_as_much_time(server: Server, settings: Settings) -> None:
    protocol, line = server.connect()
    protocol.data_received(HEAD + b"\r\n")
    server.clock.go_on(100)
    assert not line.closed, "the answer may take its time"
    protocol.conn.send(h11.Response(status_code=204, headers=[]))
    protocol.conn.send(h11.EndOfMessage())
    protocol.on_response_complete()
    protocol.data_received(b"GET /")
    server.clock.go_on(settings.REQUEST_HEAD_SECONDS - 1)
    assert not line.closed
    server.clock.go_on(1)
    assert line.closed


def test_one_address_holds_32_unfinished_heads_open_at_most(server: Server, settings: Settings) -> None:
    most = settings.MAX_UNFINISHED_HEADS_PER_IP
    assert most <= 32
    lines = [server.connect() for _ in range(100)]
    other = server.connect("198.51.100.7")
    server.clock.go_on(GRACE_SECONDS)
    assert server.open_of(lines) == most
    assert not other[1].closed
    server.clock.go_on(settings.REQUEST_HEAD_SECONDS)
    assert server.open_of(lines) == 0


def test_one_address_that_opens_ever_more_connections_is_soon_closed(server: Server, settings: Settings) -> None:
    most = CEILING * settings.MAX_UNFINISHED_HEADS_PER_IP
    lines = [server.connect() for _ in range(2 * most)]
    server.clock.go_on(TICK_SECONDS)
    assert server.open_of(lines) == BoundedHeads.unfinished["192.0.2.1"] == most
    assert all(line.closed for _, line in lines[most:])


def test_all_addresses_of_one_ipv6_line_are_one(server: Server, settings: Settings) -> None:
    lines = [server.connect(f"2001:db8:1:2::{number:x}") for number in range(1, 60)]
    server.clock.go_on(GRACE_SECONDS)
    assert server.open_of(lines) == settings.MAX_UNFINISHED_HEADS_PER_IP


def test_many_connections_at_once_that_send_their_heads_are_all_served(server: Server) -> None:
    lines = [server.connect("127.0.0.1") for _ in range(400)]
    for protocol, _ in lines:
        protocol.data_received(HEAD + b"\r\n")
    server.clock.go_on(100)
    assert server.open_of(lines) == server.clock.tasks == 400


def test_connections_that_have_ended_are_not_counted(server: Server) -> None:
    for _ in range(5):
        lines = [server.connect() for _ in range(30)]
        server.clock.go_on(GRACE_SECONDS)
        assert server.open_of(lines) == 30
        for protocol, _ in lines:
            protocol.connection_lost(None)
    assert not BoundedHeads.unfinished
