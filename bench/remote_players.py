"""Hundreds of remote bots in one process, started by ``bench.remote_play``: they read streams and post answers.

``python -m bench.remote_players PORT SECONDS PACE_S OUT`` reads one token per line from standard input. Requests are
written by hand, because a library would use more CPU time than the measured server. The results are written to the file
``OUT``, a JSON object: ``asked`` has a row ``[bot, game, decision, at_s, waited_ms]`` for each received ``decide``,
where ``at_s`` is the time since the start and ``waited_ms`` the time since the last answer at that table was sent
(``null`` for the first decision of a game); ``answers`` counts responses by status.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any, NamedTuple

import orjson

HASTE, PATIENCE = 0.8, 1.2
"""No two think equally long: times are spread so far around the pace."""

STREAM_BYTES = 1 << 22
KEPT_S = 3.0
"""A connection that has rested for so long is not used again: the web server closes it after 5 s."""


@dataclass
class Seen:
    """What all bots together have seen. ``sent`` has when the last answer at each table was sent."""

    asked: list[tuple[int, int, int, float, float | None]] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    sent: dict[int, float] = field(default_factory=dict)
    began: float = field(default_factory=perf_counter)


class RefusedStream(Exception):
    """The response to the request of a stream has another status than 200."""


def drawn(decision: dict[str, Any], random: Random) -> Any:
    """A move that is legal."""
    legal = decision.get("legal")
    return random.choice(legal) if legal else decision["default"]


class Response(NamedTuple):
    """A complete response; the names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Connections:
    """The HTTP/1.1 connections of one client. Each request uses an idle one, or else opens another, as browsers do.

    ``headers`` are lines that every request has.
    """

    def __init__(self, port: int, *headers: str) -> None:
        self._port, self._headers = port, "".join(f"{line}\r\n" for line in headers)
        self._idle: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def fetch(self, line: str, body: bytes = b"", *more: str) -> Response:
        """Send a request, with ``more`` headers. Raises ``OSError`` or ``EOFError`` if the connection breaks."""
        async with self._sent(line, body, *more) as (status, headers, reader):
            return Response(status, headers, await reader.readexactly(int(headers.get("content-length", 0))))

    async def parts(self, path: str, end: bytes, *more: str) -> AsyncIterator[bytes]:
        """What a stream sends for as long as it is open, cut after each ``end``, which is left out.

        Raises ``OSError`` or ``EOFError`` if the connection breaks, and ``RefusedStream``.
        """
        async with self._sent(f"GET {path}", b"", *more) as (status, _, reader):
            if status != HTTPStatus.OK:
                raise RefusedStream(f"{path}: {status}")
            rest = b""
            while size := int(await reader.readuntil(), 16):
                *whole, rest = (rest + (await reader.readexactly(size + 2))[:-2]).split(end)
                for part in filter(None, whole):
                    yield part
            await reader.readuntil()

    async def events(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """The events of a stream of JSON lines."""
        async for line in self.parts(path, b"\n"):
            yield orjson.loads(line)

    @asynccontextmanager
    async def _sent(
        self, line: str, body: bytes, *more: str
    ) -> AsyncIterator[tuple[int, dict[str, str], asyncio.StreamReader]]:
        """Status and headers of the response, whose body is to be read inside. A broken connection is closed."""
        reader, writer = await self._open()
        try:
            fields = self._headers + "".join(f"{line}\r\n" for line in more)
            head = f"{line} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
            named = (line.partition(":") for line in lines if line)
            headers = {name.lower(): value.strip() for name, _, value in named}
            yield int(status.split()[1]), headers, reader
        except BaseException:
            writer.close()
            raise
        if headers.get("connection", "").lower() == "close":
            writer.close()
        else:
            self._idle.append((perf_counter(), reader, writer))

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._idle:
            used, reader, writer = self._idle.pop()
            if perf_counter() - used < KEPT_S and not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection("127.0.0.1", self._port, limit=STREAM_BYTES)


class Bot:
    """One program: it draws its moves, and thinks about as long as the pace says since the last move at its table."""

    def __init__(self, number: int, port: int, secret: str, pace_s: float, seen: Seen) -> None:
        self._number, self._pace_s, self._seen = number, pace_s, seen
        headers = (f"Authorization: Bearer {secret}", "Accept: application/json, application/x-ndjson")
        self._connections, self._random = Connections(port, *headers), Random(number)
        self._thinking: set[asyncio.Task[None]] = set()

    async def play(self) -> None:
        """Until the stream ends, which it is not to do."""
        async for event in self._connections.events("/api/v1/bot/stream"):
            if event["type"] == "decide":
                self._asked(event, perf_counter())
            elif event["type"] == "closed":
                break
        self._seen.broken.append(f"the stream of bot {self._number} ended")

    def _asked(self, event: dict[str, Any], now: float) -> None:
        game, number = event["game"], event["decision"]
        sent = self._seen.sent.get(game)
        waited_ms = None if sent is None else 1000 * (now - sent)
        self._seen.asked.append((self._number, game, number, now - self._seen.began, waited_ms))
        move = drawn(event["message"]["decision"], self._random)
        task = asyncio.create_task(self._answer(game, number, move, sent or now))
        self._thinking.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._thinking.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._seen.broken.append(repr(task.exception()))

    async def _answer(self, game: int, number: int, move: Any, since: float) -> None:
        thought_s = self._pace_s * self._random.uniform(HASTE, PATIENCE)
        await asyncio.sleep(max(0.0, since + thought_s - perf_counter()))
        body = orjson.dumps({"move": move})
        self._seen.sent[game] = perf_counter()
        response = await self._connections.fetch(f"POST /api/v1/matches/{game}/decisions/{number}", body)
        self._seen.answers[str(response.status)] += 1


async def played(port: int, seconds: float, pace_s: float, secrets: list[str]) -> Seen:
    """Let a bot play for each of the tokens, for so long."""
    seen = Seen()
    bots = [Bot(number, port, secret, pace_s, seen) for number, secret in enumerate(secrets)]
    tasks = []
    for bot in bots:
        tasks.append(asyncio.create_task(bot.play()))
        await asyncio.sleep(0.01)
    done, _ = await asyncio.wait(tasks, timeout=seconds)
    seen.broken += [repr(task.exception()) for task in done if task.exception()]
    return seen


def main() -> None:
    port, seconds, pace_s, out = sys.argv[1:]
    secrets = sys.stdin.read().split()
    began = perf_counter()
    seen = asyncio.run(played(int(port), float(seconds), float(pace_s), secrets))
    used = {"cpu_s": process_time(), "wall_s": perf_counter() - began}
    report = {"asked": seen.asked, "answers": seen.answers, "broken": seen.broken, **used}
    Path(out).write_text(json.dumps(report))


if __name__ == "__main__":
    main()
