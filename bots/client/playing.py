"""Plays the games of a remote bot: a thread a game, which asks for a move, checks it and sends it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from bots.client.client import Client
from bots.client.documents import Challenged, Document, Event, GameEnd, GameStart
from bots.client.seats import Incident, Player, Seat
from bots.protocol import Decide, End, Hello


class Strategy(Protocol):
    """A bot that is an object of this process, made anew for every game. The first bot of ``esr new-bot`` is one."""

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
        """The move for one decision; ``log`` is what has happened since the last one."""
        ...


@dataclass(frozen=True)
class _Thinking:
    """A :class:`Strategy` as a player."""

    strategy: Strategy

    def decide(self, message: Decide) -> Any:
        return self.strategy.choose(message["decision"], message["view"], message["log"])

    def end(self, message: End | None) -> None:
        """A strategy is not told."""


class Session:
    """The games of one remote bot from its stream. ``sit`` makes a player for every game that begins.

    ``tell`` hears of whatever goes wrong, also from the threads of the games; ``ended`` of every game that is over.
    """

    def __init__(
        self,
        client: Client,
        sit: Callable[[GameStart], Player],
        tell: Callable[[Incident], None],
        ended: Callable[[GameStart, GameEnd], None],
        accept_challenges: bool = False,
    ) -> None:
        self._client, self._sit, self._tell, self._ended = client, sit, tell, ended
        self._accept_challenges = accept_challenges
        self._seats: dict[int, Seat] = {}

    @property
    def running(self) -> int:
        """How many games there are now."""
        return len(self._seats)

    def run(self, enough: Callable[[], bool]) -> None:
        """Listen and play until ``enough`` holds after an event. Raises what ``Client.events`` raises."""
        try:
            for event in self._client.events():
                self._take(event)
                if enough():
                    return
        finally:
            for seat in self._seats.values():
                seat.leave()

    def _take(self, event: Event) -> None:
        if event["type"] == "challenge":
            self._answer(event)
        elif event["type"] == "game_start":
            seat = self._seats.get(event["game"])
            if seat is None:
                self._seats[event["game"]] = Seat(self._client, event, self._sit, self._tell)
            else:
                seat.hear(event)
        elif event["game"] in self._seats:
            self._seats[event["game"]].hear(event)
            if event["type"] == "game_end":
                seat = self._seats.pop(event["game"])
                seat.join()
                self._ended(seat.start, event)

    def _answer(self, event: Challenged) -> None:
        if self._accept_challenges:
            self._client.answer_challenge(event["challenge"]["id"], "accept")


def play(client: Client, make: Callable[[Hello], Strategy], games: int | None = None) -> None:
    """Play ``games`` games, or without end, with a strategy a game; what goes wrong is written to stderr."""
    over = 0

    def count(_start: GameStart, _end: GameEnd) -> None:
        nonlocal over
        over += 1

    def tell(incident: Incident) -> None:
        print(incident, file=sys.stderr)

    session = Session(client, lambda start: _Thinking(make(start["message"])), tell, count)
    session.run(lambda: games is not None and over >= games and not session.running)
