"""API client for asyncio programs.

``tools/sync_client.py`` generates ``client.py`` from this file (``make format``).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Generic, Self, TypeVar, cast
from urllib.parse import parse_qsl, quote, urlsplit

import httpx2

from bots.client.calls import (
    ANSWER_S,
    ANYTHING,
    NDJSON,
    PATIENCE_S,
    STREAMING,
    Backoff,
    Call,
    Document,
    Event,
    Lines,
    PackedLines,
    Problem,
    Tries,
    Verdict,
    arguments,
    as_bot,
    is_answer,
    json_or_nothing,
    options,
    problem_of,
    read_event,
    read_verdict,
    retry_pause_s,
)

T = TypeVar("T")


class AsyncStream(Generic[T]):
    """An iterator over an open stream, and a context manager that closes its connection."""

    def __init__(self, items: AsyncGenerator[T]) -> None:
        self._items = items

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        return await self._items.__anext__()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._items.aclose()


class AsyncClient:
    """A client for one site and one token, for use in one event loop.

    ``bot`` is the slug of the remote bot, if the token can play several. Calls are retried for up to ``patience_s``
    seconds while the site is unreachable or asks to retry. Every call raises ``Problem`` if the site returns an error,
    and ``Unreachable`` if it does not respond.
    """

    def __init__(
        self,
        site: str,
        token: str = "",
        bot: str | None = None,
        patience_s: float = PATIENCE_S,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """``site`` is a URL such as ``https://arena.example.org``. Raises ``ValueError`` if it is invalid."""
        self.bot, self.patience_s = bot, patience_s
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=32)
        self._http = httpx2.AsyncClient(**options(site, token), limits=limits, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    # --- Any call ------------------------------------------------------------------------------------------------

    async def do(self, call: Call[T]) -> T:
        """Make a call, with retries, and return its result."""
        tries = Tries(call, self.patience_s)
        while True:
            try:
                response = await self._http.request(**arguments(call))
            except httpx2.TransportError as error:
                pause_s = tries.after_break(error)
            else:
                if is_answer(call, response):
                    return call.read(response)
                pause_s = tries.after_refusal(response)
            await asyncio.sleep(pause_s)

    async def get(self, path: str, **params: str | int) -> Any:
        """Return the document at ``path`` below ``/api/v1/``."""
        return await self.do(Call("GET", path, params=params))

    @asynccontextmanager
    async def stream(self, path: str, accept: str, **params: str | int) -> AsyncIterator[httpx2.Response]:
        """Open a response to read it while it arrives, without retries.

        Raises ``Problem``, and ``httpx2.TransportError`` if the connection breaks.
        """
        headers = {"Accept": accept}
        async with self._http.stream("GET", path, params=params, headers=headers, timeout=STREAMING) as response:
            if not response.is_success:
                await response.aread()
                raise problem_of(response)
            yield response

    def documents(self, path: str, **params: str | int) -> AsyncStream[Document]:
        """Iterate over the objects of one stream until it ends, without retries."""
        return AsyncStream(self._documents(path, params))

    async def _documents(self, path: str, params: Mapping[str, str | int]) -> AsyncGenerator[Document]:
        lines = Lines()
        async with (
            self.stream(path, NDJSON, **params) as response,
            aclosing(cast("AsyncGenerator[bytes, Any]", response.aiter_bytes())) as pieces,
        ):
            async for data in pieces:
                for document in lines.feed(data):
                    yield document

    async def _reopened(self, path: str, params: Callable[[], Mapping[str, str | int]]) -> AsyncGenerator[Document]:
        """Iterate over the objects of a stream. Reopen it whenever it ends, with the current result of ``params``."""
        backoff = Backoff()
        while True:
            wish_s: float | None = None
            try:
                async with self.documents(path, **params()) as documents:
                    async for document in documents:
                        backoff.reset()
                        yield document
            except httpx2.TransportError:
                pass
            except Problem as problem:
                wish_s = retry_pause_s(problem)
            await asyncio.sleep(backoff.next_s(wish_s))

    # --- Public data ---------------------------------------------------------------------------------------------

    async def each(self, path: str, **params: str | int) -> AsyncGenerator[Document]:
        """Iterate over all items of a list, for example ``each("ladders/die-weinhaendler-3/matches", limit=200)``."""
        wanted: dict[str, str | int] | None = params
        while wanted is not None:
            page = await self.get(path, **wanted)
            for row in page["results"]:
                yield row
            wanted = dict(parse_qsl(urlsplit(page["next"]).query)) if page["next"] else None

    async def records(self, ladder: str, after: int | None = None) -> AsyncGenerator[Document]:
        """Iterate over the public game records of a ladder that follow the match with the id ``after``.

        Resumes after the last complete line if the connection breaks.
        """
        backoff = Backoff()
        while True:
            wish_s, before = None, after
            try:
                async with aclosing(self._part_of_records(ladder, after)) as lines:
                    async for line in lines:
                        after = line["match"]
                        yield line
                if after == before:
                    return
                backoff.reset()
                continue
            except httpx2.TransportError:
                if after != before:
                    backoff.reset()
            except Problem as problem:
                wish_s = retry_pause_s(problem)
            await asyncio.sleep(backoff.next_s(wish_s))

    async def _part_of_records(self, ladder: str, after: int | None) -> AsyncGenerator[Document]:
        lines = PackedLines()
        params = {} if after is None else {"after": after}
        async with (
            self.stream(f"ladders/{ladder}/records", ANYTHING, **params) as response,
            aclosing(cast("AsyncGenerator[bytes, Any]", response.aiter_raw())) as pieces,
        ):
            async for data in pieces:
                for line in lines.feed(data):
                    yield line

    def watch(self, game: int) -> AsyncStream[Document]:
        """Iterate over the public events of a live game: ``game``, a ``round`` for each new round, ``game_end``.

        The log of each event continues the log of the previous event. Reopens the stream if the connection breaks.
        """
        return AsyncStream(self._watch(game))

    async def _watch(self, game: int) -> AsyncGenerator[Document]:
        known = 0
        async with aclosing(self._reopened(f"matches/{game}/stream", lambda: {"log": known})) as events:
            async for event in events:
                yield event
                if event["type"] == "game_end":
                    return
                known += len(event.get("log", ()))

    # --- A remote bot --------------------------------------------------------------------------------------------

    async def my_bot(self) -> Document:
        """Return the state of the remote bot: formats, running games, response times, whether it is online."""
        return await self.do(Call("GET", "bot", params=as_bot(self.bot)))

    async def change_bot(self, **changes: Any) -> Document:
        """Change ``games_at_once``, ``label``, ``games`` or ``available=True``. Return the new state."""
        return await self.do(Call("PATCH", "bot", params=as_bot(self.bot), json=changes))

    async def register_bot(self, name: str, games: Mapping[str, Sequence[int]], label: str | None = None) -> Document:
        """Register a remote bot for the owner of the token. ``games`` contains the supported seat counts by game."""
        seats = {game: list(counts) for game, counts in games.items()}
        body = {"name": name, "games": seats, **({"label": label} if label else {})}
        return await self.do(Call("POST", "remote-bots", json=body, repeatable=False))

    async def join(self, ladder: str, bot: str) -> None:
        """Join a ladder with your own bot. Nothing changes if the bot is already a member."""
        await self.do(Call("PUT", f"ladders/{quote(ladder)}/members/{quote(bot)}", json_or_nothing))

    def events(self) -> AsyncStream[Event]:
        """Iterate over the events of the remote bot. Reopens the stream if the connection breaks.

        Each stream begins with all pending events: a ``game_start`` for each running game, open decisions with the
        complete log, and open challenges. Raises ``Closed`` if a newer stream replaces this one.
        """
        return AsyncStream(self._events())

    async def _events(self) -> AsyncGenerator[Event]:
        async with aclosing(self._reopened("bot/stream", lambda: as_bot(self.bot))) as documents:
            async for document in documents:
                event = read_event(document)
                if event is not None:
                    yield event

    async def next_decision(self, game: int | None = None, wait_s: int = 25, log: int | None = None) -> Document | None:
        """Wait up to ``wait_s`` seconds for the next event, for programs that cannot read a stream.

        Return the event or ``None``. ``log`` is the number of known log entries of the game; by default, the event
        contains the complete log.
        """
        path = "bot/decision" if game is None else f"matches/{game}/decision"
        params = {**as_bot(self.bot), "wait": wait_s, **({} if log is None else {"log": log})}
        call: Call[Document | None] = Call("GET", path, json_or_nothing, params, timeout_s=ANSWER_S + wait_s)
        return await self.do(call)

    async def answer(self, game: int, decision: int, move: Any, thought_ms: int | None = None) -> Verdict:
        """Submit the answer to a decision. The call is idempotent."""
        body = {"id": decision, "move": move, **({} if thought_ms is None else {"thought_ms": thought_ms})}
        path, understood = f"matches/{game}/decisions/{decision}", frozenset({404, 409, 422})
        return await self.do(Call("POST", path, read_verdict, as_bot(self.bot), body, understood=understood))

    async def answer_challenge(self, challenge: int, word: str) -> None:
        """Answer a challenge. ``word`` is ``accept``, ``decline`` or ``withdraw``."""
        path = f"challenges/{challenge}/{word}"
        await self.do(Call("POST", path, json_or_nothing, as_bot(self.bot), repeatable=False))

    # --- A hosted bot --------------------------------------------------------------------------------------------

    async def upload(self, filename: str, data: bytes, bot: str | None = None, name: str = "") -> Document:
        """Upload code as a new version of ``bot``, or as a new bot with this ``name``.

        Return the version, which is not validated yet. If the code was uploaded before, return the existing version.
        """
        path = "bots" if bot is None else f"bots/{quote(bot)}/versions"
        form = {"name": name} if bot is None and name else {}
        files, repeatable = {"file": (filename, data)}, bot is not None
        return await self.do(Call("POST", path, data=form, files=files, repeatable=repeatable, timeout_s=120))

    async def enter_cup(self, cup: str, bot: str) -> Document:
        """Enter your bot in a cup and return the entry. Nothing changes if it is already entered."""
        return await self.do(Call("PUT", f"cups/{quote(cup)}/entries/{quote(bot)}"))

    async def withdraw_from_cup(self, cup: str, bot: str) -> Document:
        """Withdraw your bot from a cup and return the entry. Nothing changes if it is already withdrawn."""
        return await self.do(Call("DELETE", f"cups/{quote(cup)}/entries/{quote(bot)}"))
