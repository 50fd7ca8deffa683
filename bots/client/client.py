"""The API for programs that do one thing after the other. Safe to share between threads."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import httpx

from bots.client import calls
from bots.client.calls import (
    ANYTHING,
    NDJSON,
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
    come_again_s,
    is_answer,
    options,
    problem_of,
    read_event,
)

T = TypeVar("T")


class Client:
    """Calls of one site with one token. ``bot`` is the remote bot that plays, where the token could play several.

    A call that finds nobody, or is told to come again, is sent again for ``patience_s`` seconds. Every call raises
    ``Problem`` for what the site refuses and ``Unreachable`` for a site that does not answer.
    """

    def __init__(
        self,
        site: str,
        token: str = "",
        bot: str | None = None,
        patience_s: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """``site`` is an address such as ``https://arena.example.org``; raises ``ValueError`` for what is none."""
        self.bot, self.patience_s = bot, patience_s
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=32)
        self._http = httpx.Client(**options(site, token), limits=limits, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    # --- any call ------------------------------------------------------------------------------------------------

    def do(self, call: Call[T]) -> T:
        """Make one call; its result."""
        tries = Tries(call, self.patience_s)
        while True:
            try:
                response = self._http.request(**arguments(call))
            except httpx.TransportError as error:
                pause_s = tries.after_break(error)
            else:
                if is_answer(call, response):
                    return call.read(response)
                pause_s = tries.after_refusal(response)
            time.sleep(pause_s)

    def get(self, path: str, **params: str | int) -> Any:
        """The document at ``path`` below ``/api/v1/``."""
        return self.do(calls.get(path, **params))

    @contextmanager
    def stream(self, path: str, accept: str, **params: str | int) -> Iterator[httpx.Response]:
        """A long answer, read as it comes; one try. Raises ``Problem``, and ``httpx.TransportError`` when it breaks."""
        headers = {"Accept": accept}
        with self._http.stream("GET", path, params=params, headers=headers, timeout=STREAMING) as response:
            if not response.is_success:
                response.read()
                raise problem_of(response)
            yield response

    # --- what everybody may read ---------------------------------------------------------------------------------

    def each(self, path: str, **params: str | int) -> Iterator[Document]:
        """Every row of a list, part by part: ``each("ladders/die-weinhaendler-3/matches", limit=200)``."""
        wanted: dict[str, str | int] | None = params
        while wanted is not None:
            page = self.get(path, **wanted)
            yield from page["results"]
            wanted = calls.next_part(page)

    def records(self, ladder: str, after: int | None = None) -> Iterator[Document]:
        """Every game of a ladder whose deal is open, with its record; on after match ``after``, over all breaks."""
        backoff = Backoff()
        while True:
            wish_s, before = None, after
            try:
                for line in self._part_of_records(ladder, after):
                    after = line["match"]
                    yield line
                if after == before:
                    return
                backoff.reset()
                continue
            except httpx.TransportError:
                if after != before:
                    backoff.reset()
            except Problem as problem:
                wish_s = come_again_s(problem)
            time.sleep(backoff.next_s(wish_s))

    def _part_of_records(self, ladder: str, after: int | None) -> Iterator[Document]:
        lines = PackedLines()
        with self.stream(
            f"ladders/{ladder}/records", ANYTHING, **({} if after is None else {"after": after})
        ) as answer:
            for data in answer.iter_raw():
                yield from lines.feed(data)

    def watch(self, game: int) -> Iterator[Document]:
        """What everybody may see of a live game: ``game``, a ``round`` whenever one is open, at last ``game_end``.

        The log of an event goes on where the one before ended. Opened again whenever the connection breaks.
        """
        backoff, known = Backoff(), 0
        while True:
            wish_s: float | None = None
            try:
                for event in self.documents(f"matches/{game}/stream", log=known):
                    backoff.reset()
                    yield event
                    if event["type"] == "game_end":
                        return
                    known += len(event.get("log", ()))
            except httpx.TransportError:
                pass
            except Problem as problem:
                wish_s = come_again_s(problem)
            time.sleep(backoff.next_s(wish_s))

    # --- a remote bot --------------------------------------------------------------------------------------------

    def my_bot(self) -> Document:
        """The remote bot of the token: what it declares, whether it is here, what it plays, how fast it answers."""
        return self.do(calls.my_bot(self.bot))

    def change_bot(self, **changes: Any) -> Document:
        """Declare ``games_at_once``, ``label``, ``games`` or ``available=True``; the remote bot as it is then."""
        return self.do(calls.change_bot(self.bot, changes))

    def register_bot(self, name: str, games: Mapping[str, Sequence[int]], label: str | None = None) -> Document:
        """A new remote bot of the token's owner; ``games`` are the seat counts that it plays, by game."""
        seats = {game: list(counts) for game, counts in games.items()}
        return self.do(calls.register_bot(name, seats, label))

    def join(self, ladder: str, bot: str) -> None:
        """Put a bot of one's own on a ladder."""
        self.do(calls.join(ladder, bot))

    def events(self) -> Iterator[Event]:
        """What happens to the remote bot, for as long as one listens; opened again whenever the connection breaks.

        Each time it begins with everything that is pending: a ``game_start`` for each running game, the decisions that
        are owed, with the whole log, open challenges. Raises ``Closed`` when a newer stream takes over.
        """
        backoff = Backoff()
        while True:
            wish_s: float | None = None
            try:
                for document in self.documents("bot/stream", **calls.of(self.bot)):
                    backoff.reset()
                    event = read_event(document)
                    if event is not None:
                        yield event
            except httpx.TransportError:
                pass
            except Problem as problem:
                wish_s = come_again_s(problem)
            time.sleep(backoff.next_s(wish_s))

    def documents(self, path: str, **params: str | int) -> Iterator[Document]:
        """The objects of one stream until it ends."""
        lines = Lines()
        with self.stream(path, NDJSON, **params) as response:
            for data in response.iter_bytes():
                yield from lines.feed(data)

    def next_decision(self, game: int | None = None, wait_s: int = 25, log: int | None = None) -> Document | None:
        """For those who cannot stream: wait for the next open decision, as an event; ``None`` if there was none.

        ``log`` is how many entries of the game's log are known already; without it the log comes whole.
        """
        return self.do(calls.next_decision(self.bot, game, wait_s, log))

    def answer(self, game: int, decision: int, move: Any, thought_ms: int | None = None) -> Verdict:
        """Answer one decision, as often as need be: the same answer again is the same verdict."""
        return self.do(calls.answer(self.bot, game, decision, move, thought_ms))

    def answer_challenge(self, challenge: int, word: str) -> None:
        """``accept``, ``decline`` or ``withdraw`` a challenge."""
        self.do(calls.answer_challenge(self.bot, challenge, word))

    # --- a hosted bot --------------------------------------------------------------------------------------------

    def upload(self, filename: str, data: bytes, bot: str | None = None, name: str = "") -> Document:
        """Upload code: a new version of ``bot``, or a new bot; the version's document, not checked yet."""
        return self.do(calls.upload(bot, filename, data, name))
