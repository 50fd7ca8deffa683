"""Bodies that are too large, that do not say how large they are, or that never end, sent to the real server."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import uvicorn
from django.conf import settings
from django.urls import reverse
from pytest_django import Settings

from esr_platform.asgi import application, bounded_bodies
from esr_platform.bodies import FORM_BYTES, HEARD_OUT_BYTES, UPLOADS, BoundedBodies, Message
from esr_platform.heads import BoundedHeads
from tests.services.ports import free_port, wait_until

pytestmark = pytest.mark.slow

MOST = settings.MAX_EXECUTABLE_ARCHIVE_BYTES + FORM_BYTES
MOST_ELSEWHERE = settings.MAX_ARCHIVE_BYTES + FORM_BYTES


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Where the web server of `make run` serves the site, in a thread of this process."""
    config = uvicorn.Config(application, port=free_port(), http=BoundedHeads, lifespan="off", log_level="warning")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started, "the site listens")
    yield server.config.port
    server.should_exit = True
    thread.join()


def sent(port: int, head: str, chunks: Iterator[bytes]) -> tuple[int, bytes, int]:
    """Status and body of the answer, and how many bytes were sent until it came."""
    with socket.create_connection(("127.0.0.1", port), timeout=180) as line:
        line.sendall(f"{head}\r\nHost: localhost\r\n\r\n".encode())
        total = 0
        try:
            for chunk in chunks:
                line.sendall(chunk)
                total += len(chunk)
        except OSError:  # the server has heard enough
            pass
        answer = b""
        try:
            while not whole(answer) and (piece := line.recv(65536)):
                answer += piece
        except OSError:
            pass
    first, _, rest = answer.partition(b"\r\n")
    return int(first.split()[1]), rest.partition(b"\r\n\r\n")[2], total


def whole(answer: bytes) -> bool:
    """Whether an answer is there with all the bytes that it says it has."""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return length is not None and len(body) >= int(length[1])


def documented_limit(what: str) -> str:
    """A size in ``docs/reference/limits.md``."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")
    return page.partition(f"| {what} | ")[2].partition(" |")[0]


def chunked(mebibytes: int) -> Iterator[bytes]:
    piece = b"x" * (1 << 16)
    for _ in range(mebibytes * 16):
        yield b"%x\r\n%s\r\n" % (len(piece), piece)


@pytest.mark.parametrize(
    ("path", "most", "what"),
    [
        ("/api/v1/bots", MOST, "size of an upload with an executable"),
        ("/account/login/", MOST_ELSEWHERE, "size of an upload"),
    ],
)
def test_a_length_that_is_too_great_is_refused_before_a_byte_is_read(
    port: int, path: str, most: int, what: str
) -> None:
    status, body, _ = sent(port, f"POST {path} HTTP/1.1\r\nContent-Length: {most + 1}", iter(()))
    assert status == 413
    assert f"The limit is {documented_limit(what)}.".encode() in body
    if path.startswith("/api/"):
        assert json.loads(body)["code"] == "too_large"
    else:
        assert b'data-refused="too_large"' in body
        assert body.lstrip().startswith(b"<!doctype html>")


def test_a_browser_that_sends_all_of_a_large_form_first_is_told_why_it_was_refused(port: int) -> None:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=180)
    line.request("POST", "/bots/new/", body=bytes(MOST + HEARD_OUT_BYTES // 8))
    answer = line.getresponse()
    assert answer.status == 413
    assert b'data-refused="too_large"' in answer.read()
    line.close()


def test_chunks_are_counted_and_an_endless_body_ends_early(port: int) -> None:
    head = "POST /api/v1/bots HTTP/1.1\r\nTransfer-Encoding: chunked"
    status, body, total = sent(port, head, chunked(400))
    assert status == 413
    assert json.loads(body)["code"] == "too_large"
    assert total < 2 * HEARD_OUT_BYTES + MOST, "the rest of the 400 MiB was not waited for, whatever lay in buffers"


def test_headers_without_an_end_are_refused_before_they_fill_the_memory(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=180) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
        try:
            for _ in range(64):
                line.sendall(b"a" * (1 << 20))
        except OSError:  # the server has closed the connection
            return
    raise AssertionError("64 MiB of one header were read")


def test_what_is_small_enough_arrives(port: int) -> None:
    head = "POST /api/v1/bots HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close"
    status, body, _ = sent(port, head, iter([*chunked(1), b"0\r\n\r\n"]))
    assert status == 401
    assert json.loads(body)["code"] == "not_authenticated"


def test_a_websocket_is_refused_without_an_error_of_ours(port: int) -> None:
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"
    head = f"GET /api/v1/bot/stream HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}"
    with socket.create_connection(("127.0.0.1", port), timeout=180) as line:
        line.sendall(f"{head}\r\nHost: localhost\r\n\r\n".encode())
        assert line.recv(65536).startswith(b"HTTP/1.1 403 ")


def answered(line: socket.socket) -> tuple[bytes, bool]:
    """The status line that a server sends, and whether it names a time to wait."""
    head = b""
    while b"\r\n\r\n" not in head:
        head += line.recv(65536)
    return head.split(b"\r\n")[0], b"retry-after: 60" in head.lower()


def test_an_address_holds_so_many_bodies_open_and_further_ones_end_soon(port: int, settings: Settings) -> None:
    """Without the limit, each of them stays for two minutes."""
    settings.MAX_UNFINISHED_BODIES_PER_IP = 4
    head = b"POST /api/v1/bots HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\nx"
    counted = bounded_bodies.unfinished
    with ExitStack() as stack:
        for number in range(1, 7):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=180))
            line.sendall(head)
            if number <= 4:
                wait_until(lambda number=number: counted["127.0.0.1"] == number, "the body is counted")
            else:
                assert answered(line) == (b"HTTP/1.1 429 Too Many Requests", True)
        assert counted["127.0.0.1"] == 4, "those that came first are still open"
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=180)
        connection.request("POST", "/api/v1/bots", body=b"{}")
        assert connection.getresponse().status == 401, "a body that arrives with its head is read"
        connection.close()
    wait_until(lambda: not counted, "closed connections do not count")


def test_far_above_the_limit_bodies_end_at_once(settings: Settings) -> None:
    settings.MAX_UNFINISHED_BODIES_PER_IP = 1
    bounded = BoundedBodies(reads_all, most_bytes=100, upload_bytes=200, seconds=3600)
    bounded.unfinished["192.0.2.1"] = 8

    async def silence() -> Message:
        await asyncio.sleep(3600)
        raise AssertionError

    messages: list[Message] = []

    async def send(message: Message) -> None:
        messages.append(message)

    scope = {"type": "http", "path": "/", "headers": [(b"transfer-encoding", b"chunked")], "client": ("192.0.2.1", 1)}
    asyncio.run(bounded(scope, silence, send))
    assert (messages[0]["status"], bounded.unfinished) == (429, {"192.0.2.1": 8})


async def reads_all(scope: Message, receive: Any, send: Any) -> None:
    """An application that answers with the length of what it was sent, and then waits for the end of the connection."""
    length, more = 0, True
    while more:
        message = await receive()
        length, more = length + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(length).encode()})
    await receive()


def answer(
    pieces: list[bytes], *, pause_s: float = 0.0, length: int | None = None, path: str = "/account/login/"
) -> Any:
    """Status and body for a request that comes in ``pieces``, each after a pause, and then only silence."""
    left, messages = list(pieces), []

    async def receive() -> Message:
        await asyncio.sleep(pause_s)
        if not left:
            await asyncio.sleep(1.0)
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Message) -> None:
        messages.append(message)

    headers = [] if length is None else [(b"content-length", str(length).encode())]
    scope = {"type": "http", "path": path, "headers": headers}
    asyncio.run(BoundedBodies(reads_all, most_bytes=100, upload_bytes=200, seconds=0.5)(scope, receive, send))
    return messages[0]["status"], messages[1]["body"]


def test_a_body_that_drips_is_ended() -> None:
    status, body = answer([b"x"] * 50, pause_s=0.05)
    assert status == 408
    assert b"too_slow" in body


def test_a_page_may_wait_for_its_reader_as_long_as_it_likes() -> None:
    assert answer([b"x" * 60, b"y" * 40]) == (200, b"100")


@pytest.mark.parametrize("pieces", [[b"x" * 101], [b"x" * 60, b"y" * 41]])
def test_a_byte_too_many_is_one_too_many_however_it_comes(pieces: list[bytes]) -> None:
    assert answer(pieces)[0] == 413
    assert answer(pieces, length=3)[0] == 413, "whatever length was said"


def test_only_paths_of_uploads_take_larger_bodies() -> None:
    uploads = [
        reverse("pages:upload"),
        reverse("pages:new_version", args=["a-bot"]),
        reverse("api:bots"),
        reverse("api:versions", args=["a-bot"]),
    ]
    for path in uploads:
        assert answer([b"x" * 200], path=path) == (200, b"200")
        assert answer([b"x" * 201], path=path)[0] == 413
    assert not any(map(UPLOADS.fullmatch, ["/", "/bots/a-bot/", "/api/v1/matches/1/seat/move", "/api/v1/remote-bots"]))


def test_a_length_that_is_none_is_counted() -> None:
    assert answer([b"x"], length=-5) == (200, b"1")
