"""Play the games of a remote bot: one thread per game, which asks for a move, validates it and submits it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any, Protocol, cast

from bots.client.calls import Asked, Challenged, ClientError, Document, Event, GameEnd, GameStart
from bots.client.client import Client
from bots.protocol import Decide, End, Hello
from games.learning import Encoding
from games.registry import GAMES

# --- Legal moves -----------------------------------------------------------------------------------------------------


def is_legal(game: str, seats: int, decision: Document, move: Any) -> bool:
    """Whether ``move`` answers ``decision`` at a table of ``seats``.

    A game that this installation does not know is judged by the list of legal moves, where the decision has one.
    """
    if game in GAMES and seats in GAMES[game].seat_counts:
        return _encoding(game, seats).allows(decision, move)
    return decision.get("legal") is None or move in decision["legal"]


@cache
def _encoding(game: str, seats: int) -> Encoding:
    return GAMES[game].encoding(seats)


# --- One seat --------------------------------------------------------------------------------------------------------

GOODBYE_S = 5.0
"""How long a player may take to go after the end of its game."""


class NoAnswer(Exception):
    """The player has no move; ``reason`` is a word of the protocol. After ``late`` no other move is sent either."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class Player(Protocol):
    """Whoever thinks for one seat of one game. It is asked from one thread, one question at a time."""

    def decide(self, message: Decide) -> Any:
        """The move; ``message["log"]`` is what has happened since it was last asked. Raises ``NoAnswer``."""
        ...

    def end(self, message: End | None) -> None:
        """The game is over, or left; ``None`` where there is no result to tell."""
        ...


@dataclass(frozen=True)
class Incident:
    """Something went wrong at a decision (``None``: at none): a word of the protocol or of the API, and a sentence."""

    game: int
    decision: int | None
    reason: str
    detail: str

    def __str__(self) -> str:
        where = f"game {self.game}" if self.decision is None else f"game {self.game}, decision {self.decision}"
        return f"{where}: {self.reason}: {self.detail}"


@dataclass(frozen=True)
class _Heard:
    """An event and when it came, by ``perf_counter``."""

    event: Asked | GameEnd | GameStart | None
    at: float


class Seat:
    """Plays one game to its end. A decision that is told twice, after a reconnect, is thought over once."""

    def __init__(
        self, client: Client, start: GameStart, sit: Callable[[GameStart], Player], tell: Callable[[Incident], None]
    ) -> None:
        self.start = start
        self._client, self._sit, self._tell = client, sit, tell
        self._heard: SimpleQueue[_Heard] = SimpleQueue()
        self._read = 0
        self._answered: tuple[int, Any] | None = None
        self._thread = Thread(target=self._play, name=f"game-{start['game']}", daemon=True)
        self._thread.start()

    def hear(self, event: Asked | GameEnd | GameStart) -> None:
        """Whatever the stream says of this game, in order; it returns at once."""
        self._heard.put(_Heard(event, perf_counter()))

    def leave(self) -> None:
        """Stop playing: the player is told that it is over, and waited for a little."""
        self._heard.put(_Heard(None, perf_counter()))
        self.join()

    def join(self) -> None:
        """Wait until the player has gone, a little."""
        self._thread.join(GOODBYE_S)

    # --- in the thread of the game -------------------------------------------------------------------------------

    def _play(self) -> None:
        try:
            player = self._sit(self.start)
        except NoAnswer as failure:
            self._tell(Incident(self.start["game"], None, failure.reason, failure.detail))
            return
        end: End | None = None
        while True:
            heard = self._heard.get()
            event = heard.event
            if event is None:
                break
            if event["type"] == "game_end":
                end = event["message"]
                break
            if event["type"] == "decide":
                self._decide(player, event, heard.at)
        player.end(end)

    def _decide(self, player: Player, asked: Asked, at: float) -> None:
        message = {**asked["message"], "log": self._news(asked)}
        if self._answered is not None and self._answered[0] >= asked["decision"]:
            number, move = self._answered
            if number == asked["decision"]:  # the answer may have been lost with the connection
                self._send(asked, move, None)
            return
        try:
            move = player.decide(cast("Decide", message))
        except NoAnswer as failure:
            self._note(asked, failure.reason, failure.detail)
            if failure.reason == "late":
                return
            move = asked["message"]["decision"]["default"]
        except Exception:  # a fault of the player's costs it the decision, not the game
            self._note(asked, "error", traceback.format_exc())
            move = asked["message"]["decision"]["default"]
        hello = self.start["message"]
        if not is_legal(hello["game"], hello["seats"], asked["message"]["decision"], move):
            self._note(asked, "illegal", f"{move!r:.400} is not sent, but the default move.")
            move = asked["message"]["decision"]["default"]
        self._answered = (asked["decision"], move)
        self._send(asked, move, round(1000 * (perf_counter() - at)))

    def _send(self, asked: Asked, move: Any, thought_ms: int | None) -> None:
        try:
            verdict = self._client.answer(asked["game"], asked["decision"], move, thought_ms)
        except ClientError as error:
            self._note(asked, "not_sent", str(error))
        else:
            if not verdict.played:
                self._note(asked, str(verdict.document.get("code", verdict.status)), verdict.detail)

    def _news(self, asked: Asked) -> list[Document]:
        """What of its log is new: after a reconnect it begins earlier than it need."""
        log, start = asked["message"]["log"], asked["log_from"]
        new = log[max(0, self._read - start) :]
        self._read = start + len(log)
        return new

    def _note(self, asked: Asked, reason: str, detail: str) -> None:
        self._tell(Incident(asked["game"], asked["decision"], reason, detail))


# --- All games -------------------------------------------------------------------------------------------------------


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
