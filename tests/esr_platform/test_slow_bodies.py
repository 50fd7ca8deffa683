from __future__ import annotations

import asyncio
from typing import Any

import pytest

from esr_platform.bodies import BoundedBodies, Message


async def reads_all(scope: Message, receive: Any, send: Any) -> None:
    """An application that answers with the length of what it was sent, and then waits for the end of the connection."""
    length, more = 0, True
    while more:
        message = await receive()
        length, more = length + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(length).encode()})
    await receive()


def answer(pieces: list[bytes], *, pause_s: float = 0.0, length: int | None = None, path: str = "/api/v1/bots") -> Any:
    """Status and body for a request that comes in ``pieces``, each after a pause, and then only silence."""
    left, said = list(pieces), []

    async def receive() -> Message:
        await asyncio.sleep(pause_s)
        if not left:
            await asyncio.sleep(1.0)
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Message) -> None:
        said.append(message)

    headers = [] if length is None else [(b"content-length", str(length).encode())]
    scope = {"type": "http", "path": path, "headers": headers}
    asyncio.run(BoundedBodies(reads_all, most_bytes=100, seconds=0.5)(scope, receive, send))
    return said[0]["status"], said[1]["body"]


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


def test_a_length_that_is_none_is_counted() -> None:
    assert answer([b"x"], length=-5) == (200, b"1")
