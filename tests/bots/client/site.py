"""A site of one remote bot, small enough for the tests of clients: real HTTP, a real game, and faults on demand."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from bots.protocol import Limits, bot_seed, hello
from games import strict
from games.registry import GAMES
from games.rules import IllegalMove, State

TOKEN = "esr_" + "x" * 43
BOT = {"slug": "afar", "name": "Afar", "available": True, "games": {}, "games_at_once": 1, "running": []}
LADDER = {"slug": "duel-remote", "name": "Duel", "game": "edel-stein-reich-duel", "seats": 2, "players": "remote"}
LIMITS = {"archive_bytes": 8 << 20, "unpacked_bytes": 16 << 20, "file_bytes": 8 << 20, "files": 200, "bots": 10}
NOT_FOUND = "There is nothing at this address."
CUT = -1
"""A status: the connection breaks before an answer is sent."""


@dataclass
class Game:
    """One game of the remote bot at seat 0 against default moves."""

    number: int
    state: State
    limits: Limits = field(default_factory=Limits)
    read: int = 0
    asked: int = 0
    answers: dict[int, Any] = field(default_factory=dict)
    strikes: int = 0

    def start(self, resumed: bool) -> dict[str, Any]:
        players = [{"seat": seat, "name": name} for seat, name in enumerate(("Afar", "Default"))]
        message = hello(self.state.rules, 2, 0, self.limits, bot_seed(b"", "x", 0, 1), resumed=resumed)
        return {"type": "game_start", "game": self.number, "rated": True, "ladder": LADDER["slug"], "players": players,
                "message": message}  # fmt: skip

    def advance(self) -> None:
        """Play for seat 1 until seat 0 is asked."""
        while self.state.pending and 0 not in self.state.pending:
            self.state.play(1, self.state.default_move(1))
        while 1 in self.state.pending:
            self.state.play(1, self.state.default_move(1))
        self.asked += 0 in self.state.pending

    def open(self, whole: bool) -> dict[str, Any]:
        """What seat 0 is to be told now: its decision, or the end."""
        start = 0 if whole else self.read
        log = self.state.entries(0, start)
        self.read = len(self.state.entries(0))
        if not self.state.pending:
            message = {"type": "end", "outcome": self.state.outcome, "log": log}
            return {"type": "game_end", "game": self.number, "status": "finished", "reason": None, "message": message}
        clock = {"move_ms": self.limits.move_ms, "bank_ms": self.limits.bank_ms, "game_ms": self.limits.game_ms}
        message = {"type": "decide", "id": self.asked, "strikes": self.strikes, "decision": self.state.decision(0),
                   "view": self.state.view(0), "log": log, "clock": clock}  # fmt: skip
        about = {"type": "decide", "game": self.number, "decision": self.asked, "log_from": start}
        return {**about, "message": message}

    def answer(self, number: int, move: Any) -> tuple[int, dict[str, Any]]:
        if number in self.answers:
            same = strict.same(self.answers[number], move)
            return (200, {"played": move}) if same else (409, {"code": "answered", "detail": "Answered otherwise."})
        if number != self.asked or not self.state.pending:
            return 404, {"code": "not_asked", "detail": "Not asked."}
        try:
            self.state.play(0, move)
        except IllegalMove as error:
            self.strikes += 1
            self.state.play(0, self.state.default_move(0))
            self.advance()
            return 422, {"code": "illegal", "detail": str(error)}
        self.answers[number] = move
        self.advance()
        return 200, {"played": move}


@dataclass
class TinySite:
    """What it was sent is in ``heard``; ``faults`` are taken first: by method and path, statuses with headers.

    ``raw`` are the bytes of answers that break off, one a request.
    """

    games: list[Game]
    url: str = ""
    lock: threading.RLock = field(default_factory=threading.RLock)
    changed: threading.Condition = field(init=False)
    heard: list[tuple[str, str, Any]] = field(default_factory=list)
    faults: dict[tuple[str, str], list[tuple[int, dict[str, str]]]] = field(default_factory=lambda: defaultdict(list))
    documents: dict[str, Any] = field(
        default_factory=lambda: {
            "bot": {**BOT},
            "ladders/duel-remote": LADDER,
            "uploads/limits": {"limits": {**LIMITS}, "libraries": ["libc.so.6"], "languages": [{"name": "python"}]},
        }
    )
    cut_stream_after: list[int] = field(default_factory=list)
    extra: list[dict[str, Any]] = field(default_factory=list)
    raw: dict[str, list[bytes]] = field(default_factory=dict)
    streams: int = 0
    listening: int = 0
    several_bots: bool = False

    def __post_init__(self) -> None:
        self.changed = threading.Condition(self.lock)

    def bodies_of(self, method: str, path: str) -> list[Any]:
        """The bodies that were sent there."""
        return [body for verb, where, body in self.heard if (verb, where) == (method, path)]


def duel(number: int = 1, **limits: int) -> Game:
    """A fresh game of the duel."""
    game = Game(number, GAMES["edel-stein-reich-duel"].new(2, bytes([number]) * 32), Limits(**limits))
    game.advance()
    return game


@contextmanager
def tiny_site(*games: Game) -> Iterator[TinySite]:
    """Serve ``games`` on a port of its own."""
    site = TinySite(list(games))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": site}))
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: TinySite

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PUT(self) -> None:
        self._serve("PUT")

    def do_PATCH(self) -> None:
        self._serve("PATCH")

    def _serve(self, method: str) -> None:
        parts = urlsplit(self.path)
        path = parts.path.removeprefix("/api/v1/")
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_json = self.headers.get("Content-Type") == "application/json"
        body = json.loads(data) if is_json else data or dict(parse_qsl(parts.query))
        with self.site.lock:
            self.site.heard.append((method, path, body))
            fault = self.site.faults[method, path].pop(0) if self.site.faults[method, path] else None
        if fault is not None:
            self._fail(*fault)
        elif self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._send(401, {"code": "authentication_failed", "detail": "This token is unknown."})
        elif path in self.site.raw:
            self._send_raw(self.site.raw[path].pop(0))
        elif path == "bot/stream":
            self.site.listening += 1
            try:
                self._stream()
            finally:
                self.site.listening -= 1
        else:
            self._send(*self._answer(method, path, body))

    def _answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        with self.site.changed:
            if path.startswith("matches/") and method == "POST":
                _, number, _, decision = path.split("/")
                game = next(game for game in self.site.games if game.number == int(number))
                answered = game.answer(int(decision), body["move"])
                self.site.changed.notify_all()
                return answered
            if method == "PUT":
                return 200, {}
            if (method, path) == ("POST", "remote-bots"):
                return 422, {"code": "name_taken", "detail": "You already have a bot with this name."}
            if (path, body) == ("bot", {}) and self.site.several_bots:
                return 400, {"code": "bot_missing", "detail": "Add the query parameter 'bot'."}
            if path == "bot" and path in self.site.documents:
                self.site.documents[path] |= {**(body if method == "PATCH" else {}), "here": self.site.listening > 0}
            if path in self.site.documents:
                return 200, self.site.documents[path]
            what = "Ladder not found. " if path.startswith("ladders/") else ""
            return 404, {"code": "not_found", "detail": what + NOT_FOUND}

    def _fail(self, status: int, headers: dict[str, str]) -> None:
        if status == CUT:
            self.close_connection = True
            self.connection.close()
        else:
            self._send(status, {"code": "fault", "detail": "A fault."}, headers)

    def _send(self, status: int, document: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _send_raw(self, data: bytes) -> None:
        """A long answer that breaks off: its end is never said."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.close_connection = True

    def _stream(self) -> None:
        """Everything that is pending, then what comes; cut off after so many lines where a test wants it."""
        site = self.site
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()
        with site.changed:
            site.streams += 1
            left = site.cut_stream_after.pop(0) if site.cut_stream_after else 10**9
            lines: list[dict[str, Any]] = [{"type": "of a later version"}, *site.extra]
            reported: dict[int, int] = {}
            for game in site.games:
                if game.state.pending or game.read == 0:
                    lines += [game.start(site.streams > 1), game.open(whole=True)]
                    reported[game.number] = game.asked
            while left:
                while lines and left:
                    if not self._line(lines.pop(0)):
                        return
                    left -= 1
                lines += self._news(reported)
                if not lines:
                    site.changed.wait(0.05)
                    if not self._line(None):
                        return

    def _news(self, reported: dict[int, int]) -> Iterator[dict[str, Any]]:
        """What has happened in games beyond the decisions that were ``reported``."""
        for game in self.site.games:
            if game.number not in reported:
                continue
            if not game.state.pending:
                del reported[game.number]
                yield game.open(whole=False)
            elif reported[game.number] < game.asked:
                reported[game.number] = game.asked
                yield game.open(whole=False)

    def _line(self, document: dict[str, Any] | None) -> bool:
        """Send a line, or a keep-alive; whether anybody listens."""
        try:
            self.wfile.write((json.dumps(document) if document else "").encode() + b"\n")
        except OSError:
            return False
        return True
