"""The API for asyncio programs: the same calls as :class:`~bots.client.client.Client`, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Self, TypeVar, cast

import httpx

from bots.client import calls
from bots.client.calls import (
    NDJSON,
    STREAMING,
    Backoff,
    Call,
    Document,
    Event,
    Lines,
    Problem,
    Tries,
    Verdict,
    arguments,
    come_again_s,
    is_answer,
    options,
    problem_of,
    read_event,
)

T = TypeVar("T")


class AsyncClient:
    """As ``Client``; one event loop's."""

    def __init__(
        self,
        site: str,
        token: str = "",
        bot: str | None = None,
        patience_s: float = 60.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """``site`` is an address such as ``https://arena.example.org``; raises ``ValueError`` for what is none."""
        self.bot, self.patience_s = bot, patience_s
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=32)
        self._http = httpx.AsyncClient(**options(site, token), limits=limits, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    # --- any call ------------------------------------------------------------------------------------------------

    async def do(self, call: Call[T]) -> T:
        """Make one call; its result."""
        tries = Tries(call, self.patience_s)
        while True:
            try:
                response = await self._http.request(**arguments(call))
            except httpx.TransportError as error:
                pause_s = tries.after_break(error)
            else:
                if is_answer(call, response):
                    return call.read(response)
                pause_s = tries.after_refusal(response)
            await asyncio.sleep(pause_s)

    async def get(self, path: str, **params: str | int) -> Any:
        """The document at ``path`` below ``/api/v1/``."""
        return await self.do(calls.get(path, **params))

    @asynccontextmanager
    async def stream(self, path: str, accept: str, **params: str | int) -> AsyncIterator[httpx.Response]:
        """A long answer, read as it comes; one try. Raises ``Problem``, and ``httpx.TransportError`` when it breaks."""
        headers = {"Accept": accept}
        async with self._http.stream("GET", path, params=params, headers=headers, timeout=STREAMING) as response:
            if not response.is_success:
                await response.aread()
                raise problem_of(response)
            yield response

    # --- what everybody may read ---------------------------------------------------------------------------------

    async def each(self, path: str, **params: str | int) -> AsyncGenerator[Document]:
        """Every row of a list, part by part, as ``Client.each`` has it."""
        wanted: dict[str, str | int] | None = params
        while wanted is not None:
            page = await self.get(path, **wanted)
            for row in page["results"]:
                yield row
            wanted = calls.next_part(page)

    @asynccontextmanager
    async def watch(self, game: int) -> AsyncIterator[AsyncIterator[Document]]:
        """What everybody may see of a live game, as ``Client.watch`` has it; the stream is closed on leaving."""
        async with aclosing(self._watch(game)) as events:
            yield events

    async def _watch(self, game: int) -> AsyncGenerator[Document]:
        backoff, known = Backoff(), 0
        while True:
            wish_s: float | None = None
            try:
                async with self.documents(f"matches/{game}/stream", log=known) as documents:
                    async for event in documents:
                        backoff.reset()
                        yield event
                        if event["type"] == "game_end":
                            return
                        known += len(event.get("log", ()))
            except httpx.TransportError:
                pass
            except Problem as problem:
                wish_s = come_again_s(problem)
            await asyncio.sleep(backoff.next_s(wish_s))

    # --- a remote bot --------------------------------------------------------------------------------------------

    async def my_bot(self) -> Document:
        """The remote bot of the token: what it declares, whether it is here, what it plays, how fast it answers."""
        return await self.do(calls.my_bot(self.bot))

    async def change_bot(self, **changes: Any) -> Document:
        """Declare ``games_at_once``, ``label``, ``games`` or ``available=True``; the remote bot as it is then."""
        return await self.do(calls.change_bot(self.bot, changes))

    async def register_bot(self, name: str, games: Mapping[str, Sequence[int]], label: str | None = None) -> Document:
        """A new remote bot of the token's owner; ``games`` are the seat counts that it plays, by game."""
        seats = {game: list(counts) for game, counts in games.items()}
        return await self.do(calls.register_bot(name, seats, label))

    async def join(self, ladder: str, bot: str) -> None:
        """Put a bot of one's own on a ladder."""
        await self.do(calls.join(ladder, bot))

    @asynccontextmanager
    async def events(self) -> AsyncIterator[AsyncIterator[Event]]:
        """What happens to the remote bot, as ``Client.events`` has it; the stream is closed on leaving."""
        async with aclosing(self._events()) as events:
            yield events

    async def _events(self) -> AsyncGenerator[Event]:
        backoff = Backoff()
        while True:
            wish_s: float | None = None
            try:
                async with self.documents("bot/stream", **calls.of(self.bot)) as documents:
                    async for document in documents:
                        backoff.reset()
                        event = read_event(document)
                        if event is not None:
                            yield event
            except httpx.TransportError:
                pass
            except Problem as problem:
                wish_s = come_again_s(problem)
            await asyncio.sleep(backoff.next_s(wish_s))

    @asynccontextmanager
    async def documents(self, path: str, **params: str | int) -> AsyncIterator[AsyncIterator[Document]]:
        """The objects of one stream until it ends."""
        async with (
            self.stream(path, NDJSON, **params) as response,
            aclosing(cast("AsyncGenerator[bytes]", response.aiter_bytes())) as pieces,
            aclosing(_objects(pieces)) as documents,
        ):
            yield documents

    async def next_decision(self, game: int | None = None, wait_s: int = 25, log: int | None = None) -> Document | None:
        """The next open decision, as ``Client.next_decision`` has it."""
        return await self.do(calls.next_decision(self.bot, game, wait_s, log))

    async def answer(self, game: int, decision: int, move: Any, thought_ms: int | None = None) -> Verdict:
        """Answer one decision, as often as need be: the same answer again is the same verdict."""
        return await self.do(calls.answer(self.bot, game, decision, move, thought_ms))

    async def answer_challenge(self, challenge: int, word: str) -> None:
        """``accept``, ``decline`` or ``withdraw`` a challenge."""
        await self.do(calls.answer_challenge(self.bot, challenge, word))

    # --- a hosted bot --------------------------------------------------------------------------------------------

    async def upload(self, filename: str, data: bytes, bot: str | None = None, name: str = "") -> Document:
        """Upload code: a new version of ``bot``, or a new bot; the version's document, not checked yet."""
        return await self.do(calls.upload(bot, filename, data, name))


async def _objects(pieces: AsyncIterator[bytes]) -> AsyncGenerator[Document]:
    lines = Lines()
    async for data in pieces:
        for document in lines.feed(data):
            yield document
