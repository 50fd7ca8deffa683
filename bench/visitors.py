"""Players, spectators and lobby visitors in one process, started by ``bench.people``.

``python -m bench.visitors PORT SECONDS OUT`` reads a JSON object from standard input: ``tables``, each with its first
``game``, its ``pace_s`` and the ``sessions`` of its players; ``spectators``, each with the ``table`` that it follows
and its IP ``address``; and ``lobby`` with the ``addresses`` of its visitors and the ``session`` of a user who changes
it. Players keep the stream of their seat open, as server-sent events, and post their moves with their session cookie
and CSRF token, as a browser does. When a game ends, they start a rematch. Spectators are anonymous, each with its own
IP address. They open the match page and its stream, and request what the script of the page requests after each round
(``esr/running.js``). When a game ends, they stay for up to 4 s and continue with the next game of their table. Lobby
visitors do the same as the lobby script (``esr/lobby.js``) while one user repeatedly starts and stops a search.

The results are written to the file ``OUT``, a JSON object. Rows ``[at_s, ms]``: ``moves`` (from sending a move to its
response), ``shown`` (to the event that shows it at a seat) and ``rounds`` (from the move that starts a round to the
event that shows the previous round to a spectator). ``counts``: events of spectators by type and second. ``ends``: rows
``[game, spectator, entries]`` of complete logs. ``lost`` and ``doubled``: log entries by their places. ``answers``:
responses by status. ``pages``: requests and received bytes (compressed bodies) by kind of page. ``told_rounds`` and
``told_lobby``: number of these events for all spectators and visitors. ``costs``: cost of each view in the web server
(``bench.request_costs``).
"""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio import IncompleteReadError
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, fields
from http import HTTPStatus
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any
from urllib.request import urlopen

import orjson

from bench.remote_players import HASTE, PATIENCE, Connection, drawn

TOKEN = "b" * 32
"""Against forgeries: a cookie and a header that are the same."""

APART_S = 0.01
"""Between two that come."""

ROUND_SPREAD_S = 1.5
"""A spectator's browser requests the words of a round at a random time up to this long after the event."""

LOBBY_APART_S, LOBBY_SPREAD_S = 2.0, 0.7
"""A visitor's browser requests the lobby at most this often, and a random time later."""

LOBBY_CHANGE_S = 5.0
"""Between two changes of the lobby."""

LINGER_S = 4.0
"""At most so long a spectator looks at how a game has ended, each as long as they please."""


@dataclass
class Seen:
    """What all together have seen."""

    moves: list[tuple[float, float]] = field(default_factory=list)
    shown: list[tuple[float, float]] = field(default_factory=list)
    rounds: list[tuple[float, float]] = field(default_factory=list)
    counts: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    ends: list[tuple[int, bool, int]] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    doubled: int = 0
    opened_again: int = 0
    pages: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    told_rounds: int = 0
    told_lobby: int = 0
    broken: list[str] = field(default_factory=list)
    began: float = field(default_factory=perf_counter)

    @property
    def at_s(self) -> float:
        """Since the start."""
        return perf_counter() - self.began

    def waited(self, rows: list[tuple[float, float]], since: float | None) -> None:
        """Note how long ago ``since`` was."""
        if since is not None:
            rows.append((self.at_s, 1000 * (perf_counter() - since)))


class Log:
    """How far one reader was told a log."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self.place: int | None = None

    def read(self, start: int, entries: int) -> None:
        """``entries`` from ``start`` on; the first has nothing to be compared with."""
        known = start if self.place is None else self.place
        self._seen.lost += max(0, start - known)
        self._seen.doubled += max(0, known - start)
        self.place = start + entries


@dataclass
class Table:
    """Where the same people play one game after the other. ``sent`` is when the last move was sent.

    ``rounds`` has by round when the move that began it was sent.
    """

    game: int
    pace_s: float
    sent: float | None = None
    rounds: dict[int, float | None] = field(default_factory=dict)
    asked_again: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def next_after(self, game: int) -> int:
        """The game after this one."""
        async with self.changed:
            await self.changed.wait_for(lambda: self.game != game)
            return self.game

    async def begins(self, game: int) -> None:
        """The next game is this one."""
        async with self.changed:
            self.game, self.sent = game, None
            self.rounds.clear()
            self.changed.notify_all()


class Reader:
    """One that holds streams open, one after the other, and goes on where it was when one breaks."""

    def __init__(self, stream: Connection, seen: Seen) -> None:
        self._stream, self._seen = stream, seen

    async def events(self, path: str) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
        """The id and the data of every event, until the stream ends by itself."""
        last: tuple[str, ...] = ()
        while True:
            try:
                async for place, event in self._opened(path, *last):
                    last = (f"Last-Event-ID: {place}",) if place else last
                    yield place, event
            except (ConnectionError, IncompleteReadError, IndexError, ValueError):  # cut in a head, or in a chunk
                self._seen.opened_again += 1
                await asyncio.sleep(1)
                continue
            return

    async def _opened(self, path: str, *headers: str) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
        async for part in self._stream.parts(path, b"\n\n", *headers):
            event_fields = dict(line.split(b": ", 1) for line in part.split(b"\n") if b": " in line)
            if b"data" in event_fields:
                yield event_fields.get(b"id", b"").decode(), orjson.loads(event_fields[b"data"])


class Person(Reader):
    """Somebody at a table: they draw their moves, and think about as long as its pace says since the last one."""

    def __init__(self, number: int, port: int, table: Table, session: str, seen: Seen) -> None:
        cookies = f"Cookie: sessionid={session}; csrftoken={TOKEN}"
        super().__init__(Connection(port, cookies, "Accept: text/event-stream"), seen)
        own = (cookies, f"X-CSRFToken: {TOKEN}", "Origin: http://localhost")
        self._answers = Connection(port, *own, "Content-Type: application/json", "Accept: application/json")
        self._forms = Connection(port, *own, "Content-Type: application/x-www-form-urlencoded")
        self._table, self._random = table, Random(number)
        self._sending: asyncio.Task[None] | None = None
        self._answered = 0

    async def play(self) -> None:
        """One game after the other."""
        while True:
            game = self._table.game
            await self._sit(game)
            await self._again(game)

    async def _sit(self, game: int) -> None:
        log, self._answered = Log(self._seen), 0
        async with aclosing(self.events(f"/api/v1/matches/{game}/seat/stream")) as events:
            async for place, event in events:
                if event["type"] == "moments":
                    self._shown(log, event)
                    if place.partition(".")[0] != str(log.place):
                        self._seen.broken.append(f"the event has id {place}, but the log ends at {log.place}")
                if "present" in event:
                    self._asked(game, event["present"])
                if event["type"] == "closed":
                    raise RuntimeError(f"the stream of a seat was closed: {event['reason']}")
                if event["type"] == "end":  # what is said after it is nobody's business here
                    break
        self._seen.ends.append((game, False, log.place or 0))

    def _shown(self, log: Log, event: dict[str, Any]) -> None:
        log.read(event["log_from"], sum(len(moment["entries"]) for moment in event["moments"]))
        begun = event["present"]["round"]
        if begun not in self._table.rounds:
            self._table.rounds[begun] = self._table.sent
        if not event.get("reset"):
            self._seen.waited(self._seen.shown, self._table.sent)

    def _asked(self, game: int, present: dict[str, Any]) -> None:
        number = present["decision"]
        if number is None or number <= self._answered:
            return
        self._answered = number
        move = drawn(present["question"], self._random)
        self._sending = asyncio.create_task(self._answer(game, number, move, self._table.sent or perf_counter()))
        self._sending.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._seen.broken.append(repr(task.exception()))

    async def _answer(self, game: int, number: int, move: Any, since: float) -> None:
        thought_s = self._table.pace_s * self._random.uniform(HASTE, PATIENCE)
        await asyncio.sleep(max(0.0, since + thought_s - perf_counter()))
        sent = self._table.sent = perf_counter()
        status = await self._answers.post(f"/api/v1/matches/{game}/decisions/{number}", orjson.dumps({"move": move}))
        self._seen.waited(self._seen.moves, sent)
        self._seen.answers[str(status)] += 1

    async def _again(self, game: int) -> None:
        """Play once more: all of a table ask for it, one after the other, and the last begins it."""
        async with self._table.asked_again:
            status, headers, reader = await self._forms.send(f"POST /play/tables/{game}/rematch/")
            await reader.readexactly(int(headers.get("content-length", 0)))
            words = headers.get("location", "").split("/")
            if status != HTTPStatus.FOUND or words[1] not in ("play", "matches"):
                raise RuntimeError(f"no rematch after game {game}: {status} {headers.get('location')}")
            if words[1:3] == ["play", "tables"]:
                await self._table.begins(int(words[3]))
        await self._table.next_after(game)


class Stranger(Reader):
    """Somebody without an account, whose browser opens pages and streams."""

    def __init__(self, port: int, address: str, seen: Seen) -> None:
        super().__init__(Connection(port, f"X-Forwarded-For: {address}", "Accept: text/event-stream"), seen)
        own = (f"X-Forwarded-For: {address}", "Accept: text/html", "Accept-Encoding: gzip")
        self._pages, self._random = Connection(port, *own), Random(address)
        self._opening = asyncio.Lock()

    async def open(self, kind: str, path: str, *more: str) -> None:
        """Request a page or a part of one, and count it."""
        async with self._opening:
            try:
                status, headers, reader = await self._pages.send(f"GET {path}", b"", *more)
                body = await reader.readexactly(int(headers.get("content-length", 0)))
            except (ConnectionError, IncompleteReadError, IndexError, ValueError) as error:
                self._seen.broken.append(f"{path}: {error!r}")
                self._pages.drop()
                return
        self._seen.pages[kind].update({"requests": 1, "bytes": len(body), str(status): 1})


class Spectator(Stranger):
    """A stranger who follows a table."""

    def __init__(self, port: int, table: Table, address: str, seen: Seen) -> None:
        super().__init__(port, address, seen)
        self._table = table
        self._reading: asyncio.Task[None] | None = None

    async def watch(self) -> None:
        """One game after the other."""
        while True:
            game = self._table.game
            await self._look_on(game)
            await asyncio.sleep(self._random.uniform(0, LINGER_S))
            await self._table.next_after(game)

    async def _look_on(self, game: int) -> None:
        log = Log(self._seen)
        await self.open("match", f"/matches/{game}/")
        async for _, event in self.events(f"/api/v1/matches/{game}/stream"):
            self._seen.counts[event["type"]][int(self._seen.at_s)] += 1
            if "log_from" in event:
                log.read(event["log_from"], len(event["log"]))
            if event["type"] == "round":
                began = self._table.rounds.get(event["round"] + 1, self._table.sent)
                if event["log_from"] or event["round"] == 1:  # all that there was, for who has just come
                    self._seen.waited(self._seen.rounds, began)
                self._seen.told_rounds += 1
                if self._reading is not None:
                    self._reading.cancel()
                self._reading = asyncio.create_task(self._read_round(game, event["round"]))
            elif event["type"] == "game_end":
                self._seen.ends.append((game, True, log.place or 0))

    async def _read_round(self, game: int, number: int) -> None:
        """Request what the page says about a round in words."""
        await asyncio.sleep(self._random.uniform(0, ROUND_SPREAD_S))
        self._reading = None
        await self.open("round", f"/matches/{game}/rounds/{number}/")


class LobbyVisitor(Stranger):
    """A stranger who looks at the lobby."""

    def __init__(self, port: int, address: str, seen: Seen) -> None:
        super().__init__(port, address, seen)
        self._waiting: asyncio.Task[None] | None = None
        self._requested, self._offers = 0.0, 0

    async def stay(self) -> None:
        """Look at the lobby until the stream ends."""
        await self.open("lobby", "/play/")
        async for _, event in self.events("/api/v1/lobby/stream"):
            if event["type"] == "lobby":
                self._seen.told_lobby += 1
                self._offers = len(event["offers"])
                self._waiting = self._waiting or asyncio.create_task(self._read_soon())

    async def _read_soon(self) -> None:
        pause_s = max(0.0, self._requested + LOBBY_APART_S - perf_counter())
        await asyncio.sleep(pause_s + self._random.uniform(0, LOBBY_SPREAD_S))
        self._waiting, self._requested = None, perf_counter()
        await self.open("lobby change", f"/play/parts/?open={self._offers}")


async def search_and_stop(port: int, session: str, ladder: str, seen: Seen) -> None:
    """Begin and end a search for an opponent in turn: each changes the lobby for all who look at it."""
    cookies = f"Cookie: sessionid={session}; csrftoken={TOKEN}"
    own = (cookies, f"X-CSRFToken: {TOKEN}", "Origin: http://localhost")
    forms = Connection(port, *own, "Content-Type: application/x-www-form-urlencoded")
    while True:
        for path, body in (("/play/look/", f"ladder={ladder}"), ("/play/stop/", "")):
            await asyncio.sleep(LOBBY_CHANGE_S)
            status = await forms.post(path, body.encode())
            if status != HTTPStatus.FOUND:
                seen.broken.append(f"{path}: {status}")


async def visited(port: int, seconds: float, who: dict[str, Any]) -> Seen:
    """Let everybody come, and stay for so long."""
    seen, tasks = Seen(), []
    tables = [Table(table["game"], table["pace_s"]) for table in who["tables"]]
    people = [
        (table, session) for table, played in zip(tables, who["tables"], strict=True) for session in played["sessions"]
    ]
    for number, (table, session) in enumerate(people):
        tasks.append(asyncio.create_task(Person(number, port, table, session, seen).play()))
        await asyncio.sleep(APART_S)
    for spectator in who["spectators"]:
        tasks.append(
            asyncio.create_task(Spectator(port, tables[spectator["table"]], spectator["address"], seen).watch())
        )
        await asyncio.sleep(APART_S)
    lobby = who["lobby"]
    for address in lobby["addresses"]:
        tasks.append(asyncio.create_task(LobbyVisitor(port, address, seen).stay()))
        await asyncio.sleep(APART_S)
    tasks.append(asyncio.create_task(search_and_stop(port, lobby["session"], lobby["ladder"], seen)))
    done, _ = await asyncio.wait(tasks, timeout=seconds - seen.at_s)
    seen.broken += [repr(task.exception()) for task in done]
    return seen


def main() -> None:
    port, seconds, out = sys.argv[1:]
    who, began = json.load(sys.stdin), perf_counter()
    seen = asyncio.run(visited(int(port), float(seconds), who))
    used = {"cpu_s": process_time(), "wall_s": perf_counter() - began}
    with urlopen(f"http://localhost:{port}/costs") as response:
        costs = json.load(response)
    everything = {column.name: getattr(seen, column.name) for column in fields(seen)}
    Path(out).write_text(json.dumps({**everything, **used, "costs": costs}))


if __name__ == "__main__":
    main()
