"""Connections that ask for a stream move from a web process to a stream process, or stay without one."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pytest
import uvicorn
from django.test import override_settings

from esr_platform.handover import StreamServer, WebProtocol
from esr_platform.supervisor.sockets import stream_sockets
from tests.services.ports import free_port, wait_until

STREAM = b"GET /api/v1/matches/7/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
PAGE = b"GET /about/ HTTP/1.1\r\nHost: localhost\r\n\r\n"


def application_of(name: str) -> Any:
    """An application that answers with ``name``, the path and the port of the client."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        body = f"{name} {scope['path']} {scope['client'][1]}".encode()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return application


class Servers:
    """Web and stream servers in threads, with ``var`` as data folder. ``stops`` stops them."""

    def __init__(self, var: Path, stops: ExitStack) -> None:
        self.var, self.stops = var, stops
        self.port = free_port()
        web = uvicorn.Config(application_of("web"), port=self.port, http=WebProtocol, lifespan="off", log_config=None)
        self._run(uvicorn.Server(web))

    def _run(self, server: uvicorn.Server) -> Callable[[], None]:
        thread = Thread(target=server.run)
        thread.start()
        wait_until(lambda: server.started, "the server listens")

        def stop() -> None:
            server.should_exit = True
            thread.join()

        self.stops.callback(stop)
        return stop

    def stream_server(self, name: str) -> Callable[[], None]:
        """Start a stream server. Returns a function that stops it."""
        return self._run(StreamServer(application_of(name), self.var))

    def connect(self) -> socket.socket:
        return self.stops.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=60))


@pytest.fixture
def servers() -> Iterator[Servers]:
    with TemporaryDirectory() as folder, override_settings(VAR_DIR=Path(folder)), ExitStack() as stops:
        WebProtocol.processes = None
        yield Servers(Path(folder), stops)


def answer(connection: socket.socket, request: bytes) -> tuple[str, str, bool]:
    """Who answered, with which path, and whether the connection was closed then. The address must be the client's."""
    connection.sendall(request)
    received = b""
    while b"\r\n\r\n" not in received or not received.rstrip().split(b"\r\n\r\n")[1:]:
        piece = connection.recv(65536)
        assert piece, received
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    name, path, port = body.decode().split()
    assert int(port) == connection.getsockname()[1]
    closes = b"connection: close" in head.lower()
    if closes:
        assert connection.recv(1) == b""
    return name, path, closes


def test_a_stream_is_served_by_the_stream_process_and_everything_else_by_the_web_process(servers: Servers) -> None:
    servers.stream_server("streams")
    connection = servers.connect()
    assert answer(connection, PAGE) == ("web", "/about/", False)
    assert answer(connection, PAGE) == ("web", "/about/", False)
    assert answer(connection, STREAM) == ("streams", "/api/v1/matches/7/stream", True)


@pytest.mark.parametrize(
    "head",
    [
        b"bot/stream?x=1 HTTP/1.1",
        b"lobby/stream HTTP/1.1\r\ncontent-length: 0",
        b"matches/7/seat/stream?at=3 HTTP/1.1",
    ],
)
def test_every_stream_moves(servers: Servers, head: bytes) -> None:
    servers.stream_server("streams")
    request = b"GET /api/v1/" + head + b"\r\nHost: localhost\r\n"
    connection = servers.connect()
    connection.sendall(request)
    assert answer(connection, b"\r\n")[0] == "streams"


@pytest.mark.parametrize(
    "head",
    [
        b"POST /api/v1/bot/stream HTTP/1.1",
        b"GET /api/v1/streams HTTP/1.1",
        b"GET /stream HTTP/1.1",
        b"GET /api/v1/bot/stream/more HTTP/1.1",
        b"GET /api/v1/bot/stream HTTP/1.1\r\nContent-length: 1",
    ],
)
def test_nothing_else_moves(servers: Servers, head: bytes) -> None:
    servers.stream_server("streams")
    assert answer(servers.connect(), head + b"\r\nHost: localhost\r\n\r\n")[0] == "web"


def test_the_web_process_serves_streams_while_there_is_no_stream_process(servers: Servers) -> None:
    assert answer(servers.connect(), STREAM) == ("web", "/api/v1/matches/7/stream", False)
    stop = servers.stream_server("streams")
    assert answer(servers.connect(), STREAM)[0] == "streams"
    stop()
    assert stream_sockets(servers.var) == []
    assert answer(servers.connect(), STREAM)[0] == "web"


def test_stream_processes_share_the_streams(servers: Servers) -> None:
    stop = servers.stream_server("first")
    servers.stream_server("second")
    assert {answer(servers.connect(), STREAM)[0] for _ in range(4)} == {"first", "second"}
    stop()
    assert {answer(servers.connect(), STREAM)[0] for _ in range(4)} == {"second"}


def test_the_socket_of_a_killed_process_is_skipped_and_removed_by_the_next_one(servers: Servers) -> None:
    killed = servers.var / "streams-00000000.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as left:
        left.bind(str(killed))
    assert stream_sockets(servers.var) == [killed]
    assert answer(servers.connect(), STREAM)[0] == "web"
    servers.stream_server("streams")
    assert not killed.exists()
    assert answer(servers.connect(), STREAM)[0] == "streams"
