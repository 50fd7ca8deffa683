"""Players, spectators and lobby visitors in one process, started by ``bench.people``.

``python -m bench.visitors SECONDS OUT`` reads a JSON object from standard input: ``ports`` of the web servers, which
the visitors use in turn; ``tables``, each with its first ``game``, its ``pace_s`` and the ``sessions`` of its players;
``spectators``, each with the ``table`` that it follows and its IP ``address``; and ``lobby`` with the ``addresses`` of
its visitors and the ``session`` of a user who changes it. Players open the page of their table, keep the stream of
their seat open, and post their moves with their session cookie and CSRF token, as a browser does. When a game ends,
they start a rematch. When all have come, the watched games end by resignation, so that each run has ends of games.
Spectators are anonymous, each with its own IP address. They open the match page and its stream, which brings all that
the page shows of a round (``esr/running.js``). When a game ends, they open its page, stay for up to 4 s and continue
with the next game of their table. Lobby visitors open the lobby and its stream (``esr/lobby.js``) while one user
repeatedly starts and stops a search.

The results are written to the file ``OUT``, a JSON object. Rows ``[at_s, ms]``: ``moves`` (from sending a move to its
response), ``shown`` (to the event that shows it at a seat) and ``rounds`` (from the move that starts a round to the
event that shows the previous round to a spectator). ``events``: events of all streams by second; ``counts``: those of
spectators by type and second. ``ends``: rows ``[game, spectator, entries]`` of complete logs. ``lost`` and ``doubled``:
log entries by their places. ``answers``: responses by status, 0 for none. ``pages``: requests and received bytes
(compressed bodies) by kind of page. ``told_rounds`` and ``told_lobby``: number of these events for all spectators and
visitors, with ``parts`` characters of HTML. ``costs``: what views and threads of the web server had used
(``bench.request_costs``) when all had come and ``SECONDS`` later, each with ``at_s``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, fields
from http import HTTPStatus
from itertools import cycle
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any

import orjson

from bench.remote_players import HASTE, PATIENCE, Connections, RefusedStream, drawn

TOKEN = "b" * 32
"""Against forgeries: a cookie and a header that are the same."""

APART_S = 0.01
"""Between two that come."""

OPENING_S = 120.0
"""At most so long until all have come, and again until all are at the second game of their table."""

AGAIN_S = 1.0
"""Between two attempts to open a stream."""

ANSWER_S, FIRST_PAUSE_S, LONGEST_PAUSE_S = 8.0, 0.5, 5.0
"""A browser waits so long for a response to a move, and between its attempts (``esr/table/post.js``)."""

PASSING = (0, 404, 429, 500, 502, 503, 504)
"""Statuses after which a browser sends a move again; 0 is no response."""

JSON = ("Content-Type: application/json", "Accept: application/json")

LOBBY_CHANGE_S = 5.0
"""Between two changes of the lobby."""

END_SPREAD_S = 1.5
"""A spectator's browser requests the page of a game that has ended at a random time up to this long after its end."""

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
    opened: int = 0
    opened_again: Counter[str] = field(default_factory=Counter)
    events: Counter[int] = field(default_factory=Counter)
    pages: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    told_rounds: int = 0
    told_lobby: int = 0
    parts: int = 0
    broken: list[str] = field(default_factory=list)
    began: float = field(default_factory=perf_counter)

    @property
    def at_s(self) -> float:
        """Since the start."""
        return perf_counter() - self.began

    async def all_open(self, streams: int) -> None:
        """Wait until so many streams have brought an event, and at most ``OPENING_S``."""
        deadline = perf_counter() + OPENING_S
        while self.opened < streams and perf_counter() < deadline:
            await asyncio.sleep(APART_S)

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


@dataclass(eq=False)
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


class Browser:
    """Somebody's browser, which opens pages and streams; ``headers`` are lines that all its requests have."""

    def __init__(self, port: int, seen: Seen, *headers: str) -> None:
        self._seen, self._connections = seen, Connections(port, *headers, "Accept-Encoding: gzip")
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, kind: str, path: str) -> None:
        """Request a page or a part of one, and count it."""
        try:
            response = await self._connections.fetch(f"GET {path}", b"", "Accept: text/html")
        except (OSError, EOFError) as error:
            self._seen.broken.append(f"{path}: {error!r}")
            return
        counted = {"requests": 1, "bytes": len(response.body), str(response.status): 1}
        self._seen.pages[kind].update(counted)

    async def events(self, path: str) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
        """The id and the data of every event, also after a broken connection, until the stream ends by itself."""
        last: tuple[str, ...] = ()
        first = True
        while True:
            try:
                async for part in self._connections.parts(path, b"\n\n", "Accept: text/event-stream", *last):
                    event_fields = dict(line.split(b": ", 1) for line in part.split(b"\n") if b": " in line)
                    if b"data" in event_fields:
                        place, event = event_fields.get(b"id", b"").decode(), orjson.loads(event_fields[b"data"])
                        last = (f"Last-Event-ID: {place}",) if place else last
                        self._seen.events[int(self._seen.at_s)] += 1
                        self._seen.opened += first
                        first = False
                        yield place, event
            except (OSError, EOFError, RefusedStream) as error:
                self._seen.opened_again[type(error).__name__] += 1
                await asyncio.sleep(AGAIN_S)
                continue
            return

    def do(self, action: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something while the browser goes on with its streams."""
        task = asyncio.create_task(action)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._seen.broken.append(repr(task.exception()))


class Person(Browser):
    """Somebody at a table: they draw their moves, and think about as long as its pace says since the last one."""

    def __init__(self, number: int, port: int, table: Table, session: str, seen: Seen) -> None:
        cookies = f"Cookie: sessionid={session}; csrftoken={TOKEN}"
        super().__init__(port, seen, cookies, f"X-CSRFToken: {TOKEN}", "Origin: http://localhost")
        self.table, self._random = table, Random(number)
        self._asked = 0

    async def play(self) -> None:
        """One game after the other."""
        while True:
            game = self.table.game
            await self.open("table", f"/play/tables/{game}/")
            await self._sit(game)
            await self._again(game)

    async def resign(self) -> None:
        """End the game of the table."""
        await self._act(self.table.game, "resign")

    async def _sit(self, game: int) -> None:
        log, self._asked = Log(self._seen), 0
        async with aclosing(self.events(f"/api/v1/matches/{game}/seat/stream")) as events:
            async for place, event in events:
                if event["type"] == "moments":
                    self._shown(log, event)
                    if place.partition(".")[0] != str(log.place):
                        self._seen.broken.append(f"the event has id {place}, but the log ends at {log.place}")
                if "present" in event:
                    self._decides(game, event["present"])
                if event["type"] == "closed":
                    raise RuntimeError(f"the stream of a seat was closed: {event['reason']}")
                if event["type"] == "end":  # what is said after it is nobody's business here
                    break
        self._seen.ends.append((game, False, log.place or 0))

    def _shown(self, log: Log, event: dict[str, Any]) -> None:
        log.read(event["log_from"], sum(len(moment["entries"]) for moment in event["moments"]))
        begun = event["present"]["round"]
        if begun not in self.table.rounds:
            self.table.rounds[begun] = self.table.sent
        if not event.get("reset"):
            self._seen.waited(self._seen.shown, self.table.sent)

    def _decides(self, game: int, present: dict[str, Any]) -> None:
        number = present["decision"]
        if number is not None and number > self._asked:
            self._asked = number
            move = drawn(present["question"], self._random)
            self.do(self._answer(game, number, move, self.table.sent or perf_counter()))

    async def _answer(self, game: int, number: int, move: Any, since: float) -> None:
        """Send a move, again after errors that pass, until another decision is open (``esr/table/post.js``)."""
        thought_s = self.table.pace_s * self._random.uniform(HASTE, PATIENCE)
        await asyncio.sleep(max(0.0, since + thought_s - perf_counter()))
        sent = self.table.sent = perf_counter()
        pause_s = FIRST_PAUSE_S
        while self._asked == number and self.table.game == game:
            status = await self._post(f"/api/v1/matches/{game}/decisions/{number}", {"id": number, "move": move})
            self._seen.answers[str(status)] += 1
            if status not in PASSING:
                self._seen.waited(self._seen.moves, sent)
                return
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _post(self, path: str, document: dict[str, Any]) -> int:
        """Send a document as JSON; the status of the response, or 0 if there is none."""
        try:
            async with asyncio.timeout(ANSWER_S):
                response = await self._connections.fetch(f"POST {path}", orjson.dumps(document), *JSON)
        except (OSError, EOFError, TimeoutError):
            return 0
        return response.status

    async def _act(self, game: int, act: str) -> dict[str, Any]:
        response = await self._connections.fetch(f"POST /api/v1/matches/{game}/seat/{act}", b"{}", *JSON)
        document: dict[str, Any] = orjson.loads(response.body)
        if response.status != HTTPStatus.OK:
            raise RuntimeError(f"{act} at {game}: {response.status} {document}")
        return document

    async def _again(self, game: int) -> None:
        """Play once more: all of a table ask for it, one after the other, and the last begins it."""
        async with self.table.asked_again:
            begun = (await self._act(game, "rematch"))["rematch"]["match"]
            if begun is not None:
                await self.table.begins(begun)
        await self.table.next_after(game)


class Stranger(Browser):
    """Somebody without an account."""

    def __init__(self, port: int, address: str, seen: Seen) -> None:
        super().__init__(port, seen, f"X-Forwarded-For: {address}")
        self._random = Random(address)


class Spectator(Stranger):
    """A stranger who follows a table."""

    def __init__(self, port: int, table: Table, address: str, seen: Seen) -> None:
        super().__init__(port, address, seen)
        self.table = table

    async def watch(self) -> None:
        """One game after the other."""
        while True:
            game = self.table.game
            await self._look_on(game)
            await asyncio.sleep(self._random.uniform(0, END_SPREAD_S))
            await self.open("match over", f"/matches/{game}/")
            await asyncio.sleep(self._random.uniform(0, LINGER_S))
            await self.table.next_after(game)

    async def _look_on(self, game: int) -> None:
        log = Log(self._seen)
        await self.open("match", f"/matches/{game}/")
        async for _, event in self.events(f"/api/v1/matches/{game}/stream?words=en"):
            self._seen.counts[event["type"]][int(self._seen.at_s)] += 1
            if "log_from" in event:
                log.read(event["log_from"], len(event["log"]))
            if event["type"] == "round":
                began = self.table.rounds.get(event["round"] + 1, self.table.sent)
                if event["log_from"] or event["round"] == 1:  # all that there was, for who has just come
                    self._seen.waited(self._seen.rounds, began)
                self._seen.told_rounds += 1
                self._seen.parts += len(event["parts"])
            elif event["type"] == "game_end":
                self._seen.ends.append((game, True, log.place or 0))


class LobbyVisitor(Stranger):
    """A stranger who looks at the lobby."""

    async def stay(self) -> None:
        """Look at the lobby until the stream ends."""
        await self.open("lobby", "/play/")
        async for _, event in self.events("/api/v1/lobby/stream?words=en"):
            if event["type"] == "lobby":
                self._seen.told_lobby += 1
                self._seen.parts += len(event["parts"])


async def search_and_stop(port: int, session: str, ladder: str, seen: Seen) -> None:
    """Begin and end a search for an opponent in turn: each changes the lobby for all who look at it."""
    cookies = f"Cookie: sessionid={session}; csrftoken={TOKEN}"
    own = (cookies, f"X-CSRFToken: {TOKEN}", "Origin: http://localhost")
    forms = Connections(port, *own, "Content-Type: application/x-www-form-urlencoded")
    while True:
        for path, body in (("/play/look/", f"ladder={ladder}"), ("/play/stop/", "")):
            await asyncio.sleep(LOBBY_CHANGE_S)
            response = await forms.fetch(f"POST {path}", body.encode())
            if response.status != HTTPStatus.FOUND:
                seen.broken.append(f"{path}: {response.status}")


async def costs(ports: Sequence[int]) -> dict[str, Any]:
    """What views and threads of all web servers have used so far (``bench.request_costs``)."""
    views: defaultdict[str, Counter[str]] = defaultdict(Counter)
    threads = Counter[str]()
    for port in ports:
        while (response := await Connections(port).fetch("GET /costs")).status != HTTPStatus.OK:
            await asyncio.sleep(0.1)  # the server has refused a page
        document = orjson.loads(response.body)
        threads.update(document["threads"])
        for view, cost in document["views"].items():
            views[view].update(cost)
    return {"views": views, "threads": threads}


async def visited(seconds: float, who: dict[str, Any], opened: Path) -> dict[str, Any]:
    """Let everybody come, let the watched games end once, and look on for so long; the report."""
    seen, ports = Seen(), cycle(who["ports"])
    tables = [Table(table["game"], table["pace_s"]) for table in who["tables"]]
    seats = [
        (table, session) for table, seated in zip(tables, who["tables"], strict=True) for session in seated["sessions"]
    ]
    people = [Person(number, next(ports), table, session, seen) for number, (table, session) in enumerate(seats)]
    spectators = [
        Spectator(next(ports), tables[spectator["table"]], spectator["address"], seen)
        for spectator in who["spectators"]
    ]
    lobby = who["lobby"]
    visitors = [LobbyVisitor(next(ports), address, seen) for address in lobby["addresses"]]
    stays = [person.play() for person in people]
    stays += [spectator.watch() for spectator in spectators]
    stays += [visitor.stay() for visitor in visitors]
    tasks = []
    for stay in stays:
        tasks.append(asyncio.create_task(stay))
        await asyncio.sleep(APART_S)
    await seen.all_open(len(tasks))
    watched = {
        spectator.table: [person for person in people if person.table is spectator.table] for spectator in spectators
    }
    for players in watched.values():
        await players[0].resign()
    await seen.all_open(len(tasks) + len(spectators) + sum(map(len, watched.values())))
    tasks.append(asyncio.create_task(search_and_stop(next(ports), lobby["session"], lobby["ladder"], seen)))
    opening = {"at_s": seen.at_s, **await costs(who["ports"])}
    opened.touch()
    await asyncio.sleep(seconds)
    closing = {"at_s": seen.at_s, **await costs(who["ports"])}
    seen.broken += [repr(error) for task in tasks if task.done() and (error := task.exception()) is not None]
    return {**{column.name: getattr(seen, column.name) for column in fields(seen)}, "costs": [opening, closing]}


def main() -> None:
    seconds, out = sys.argv[1:]
    who, began = json.load(sys.stdin), perf_counter()
    report = asyncio.run(visited(float(seconds), who, Path(out).with_suffix(".opened")))
    used = {"cpu_s": process_time(), "wall_s": perf_counter() - began}
    Path(out).write_text(json.dumps({**report, **used}))


if __name__ == "__main__":
    main()
