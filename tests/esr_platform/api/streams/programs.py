"""Programs of strangers that talk to a real web server: they stream, poll, answer, and go away."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from bots.models import Bot
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope
from tests.services.ports import wait_until

NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
LONG = httpx2.Timeout(30)


class Stream:
    """An open stream, read line by line on a thread of its own; everything it has said is in ``lines``."""

    def __init__(self, client: httpx2.Client, path: str, accept: str, headers: dict[str, str]) -> None:
        self.lines: list[str] = []
        self.ended = False
        self._exit = ExitStack()
        self._response = self._exit.enter_context(client.stream("GET", path, headers={**headers, "Accept": accept}))
        self.status, self.headers = self._response.status_code, self._response.headers
        if self.status != 200:
            self._response.read()
        else:
            threading.Thread(target=self._read, daemon=True).start()

    @property
    def problem(self) -> dict[str, Any]:
        """What was answered instead of a stream."""
        content: dict[str, Any] = self._response.json()
        return content

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events so far; of server-sent ones the data."""
        texts = [line.removeprefix("data: ") for line in list(self.lines)]
        return [json.loads(text) for text in texts if text.startswith("{")]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]

    def wait_for(self, kind: str, count: int = 1, seconds: float = 180) -> dict[str, Any]:
        """The event of this kind that is the ``count``-th, once it is there."""
        wait_until(lambda: len(self.of(kind)) >= count, f"{count} × {kind} in {self.lines}", seconds)
        return self.of(kind)[count - 1]

    def close(self) -> None:
        """Vanish, without a word."""
        self._response.close()

    def _read(self) -> None:
        try:
            self.lines.extend(line for line in self._lines())
        except (httpx2.HTTPError, httpx2.StreamError):
            pass
        finally:
            self.ended = True

    def _lines(self) -> Iterator[str]:
        for line in self._response.iter_lines():
            self.lines.append(line)
        yield from ()


@dataclass
class Program:
    """One client with one token; without one it is a stranger."""

    http: httpx2.Client
    secret: str = ""
    streams: list[Stream] = field(default_factory=list)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return self.http.get(path, headers={**self.headers, **headers})

    def answer(self, game: int, decision: int, move: Any, **more: Any) -> httpx2.Response:
        return self.post(game, decision, json.dumps({"move": move, **more}).encode())

    def post(self, game: int, decision: int, body: bytes) -> httpx2.Response:
        return self.http.post(f"matches/{game}/decisions/{decision}", content=body, headers=self.headers)

    def stream(self, path: str = "bot/stream", accept: str = NDJSON) -> Stream:
        opened = Stream(self.http, path, accept, self.headers)
        self.streams.append(opened)
        return opened


@dataclass
class Site:
    """A web server, and clients of it."""

    url: str
    process: subprocess.Popen[bytes]
    clients: ExitStack

    def stranger(self) -> Program:
        limits = httpx2.Limits(max_connections=None)
        return Program(self.clients.enter_context(httpx2.Client(base_url=self.url, timeout=LONG, limits=limits)))

    def program(self, bot: Bot) -> Program:
        """A program with a token of this bot alone."""
        return self.with_token(self.token_of(bot))

    def with_token(self, secret: str) -> Program:
        return Program(self.stranger().http, secret)

    @staticmethod
    def token_of(bot: Bot) -> str:
        assert bot.owner is not None
        return tokens.issue(bot.owner, "program", [Scope.PLAY], None, bot)[1]  # type: ignore[arg-type]

    def threads(self) -> int:
        """How many threads the server's process has now."""
        with Path(f"/proc/{self.process.pid}/status").open(encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))
