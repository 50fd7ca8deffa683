"""Play the games of a remote bot. One thread per game asks for a move, validates it and submits it."""

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

from bots.client.calls import Challenged, ClientError, Document, Event, GameEnd, GameStart, OpenDecision
from bots.client.client import Client
from bots.protocol import Decide, End, Hello
from games.learning import Encoding
from games.registry import GAMES

# --- Legal moves -----------------------------------------------------------------------------------------------------


def is_legal(game: str, seats: int, decision: Document, move: Any) -> bool:
    """Return whether ``move`` is legal for ``decision`` in a game with ``seats`` seats.

    For a game that is not installed here, uses the list of legal moves if the decision has one.
    """
    if game in GAMES and seats in GAMES[game].seat_counts:
        return _encoding(game, seats).allows(decision, move)
    return decision.get("legal") is None or move in decision["legal"]


@cache
def _encoding(game: str, seats: int) -> Encoding:
    return GAMES[game].encoding(seats)


# --- One seat --------------------------------------------------------------------------------------------------------

GOODBYE_S = 5.0
"""Maximum seconds for a player to exit after the end of its game."""


class NoAnswer(Exception):
    """The player returned no move. ``reason`` is a reason of the protocol. After ``late``, no move is sent."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class Player(Protocol):
    """A player at one seat of one game. It is called from one thread, for one decision at a time."""

    def decide(self, message: Decide) -> Any:
        """Return the move. ``message["log"]`` contains the entries since the last call. Raises ``NoAnswer``."""
        ...

    def end(self, message: End | None) -> None:
        """Handle the end of the game. ``message`` is ``None`` without a result."""
        ...


@dataclass(frozen=True)
class Incident:
    """A failure in a game, at a decision unless it is ``None``. ``reason`` is a protocol reason or an API code."""

    game: int
    decision: int | None
    reason: str
    detail: str

    def __str__(self) -> str:
        where = f"game {self.game}" if self.decision is None else f"game {self.game}, decision {self.decision}"
        return f"{where}: {self.reason}: {self.detail}"


@dataclass(frozen=True)
class _Heard:
    """An event and its time of arrival by ``perf_counter``."""

    event: OpenDecision | GameEnd | GameStart | None
    at: float


class SeatPlayer:
    """Plays one game to its end. A decision that is sent again after a reconnect is computed only once."""

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

    def hear(self, event: OpenDecision | GameEnd | GameStart) -> None:
        """Queue an event of this game. Events must arrive in order."""
        self._heard.put(_Heard(event, perf_counter()))

    def leave(self) -> None:
        """Stop playing: end the player and wait up to ``GOODBYE_S`` seconds for it."""
        self._heard.put(_Heard(None, perf_counter()))
        self.join()

    def join(self) -> None:
        """Wait up to ``GOODBYE_S`` seconds until the player has exited."""
        self._thread.join(GOODBYE_S)

    # --- In the thread of the game -------------------------------------------------------------------------------

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

    def _decide(self, player: Player, asked: OpenDecision, at: float) -> None:
        message = {**asked["message"], "log": self._news(asked)}
        if self._answered is not None and self._answered[0] >= asked["decision"]:
            number, move = self._answered
            if number == asked["decision"]:  # the connection may have lost the answer
                self._send(asked, move, None)
            return
        try:
            move = player.decide(cast("Decide", message))
        except NoAnswer as failure:
            self._note(asked, failure.reason, failure.detail)
            if failure.reason == "late":
                return
            move = asked["message"]["decision"]["default"]
        except Exception:  # an error of the player costs the decision, not the game
            self._note(asked, "error", traceback.format_exc())
            move = asked["message"]["decision"]["default"]
        hello = self.start["message"]
        if not is_legal(hello["game"], hello["seats"], asked["message"]["decision"], move):
            self._note(asked, "illegal", f"{move!r:.400} is not a legal move. The default move is sent instead.")
            move = asked["message"]["decision"]["default"]
        self._answered = (asked["decision"], move)
        self._send(asked, move, round(1000 * (perf_counter() - at)))

    def _send(self, asked: OpenDecision, move: Any, thought_ms: int | None) -> None:
        try:
            verdict = self._client.answer(asked["game"], asked["decision"], move, thought_ms)
        except ClientError as error:
            self._note(asked, "not_sent", str(error))
        else:
            if not verdict.played:
                self._note(asked, str(verdict.document.get("code", verdict.status)), verdict.detail)

    def _news(self, asked: OpenDecision) -> list[Document]:
        """Return the new entries of the log, which begins earlier after a reconnect."""
        log, start = asked["message"]["log"], asked["log_from"]
        new = log[max(0, self._read - start) :]
        self._read = start + len(log)
        return new

    def _note(self, asked: OpenDecision, reason: str, detail: str) -> None:
        self._tell(Incident(asked["game"], asked["decision"], reason, detail))


# --- All games -------------------------------------------------------------------------------------------------------


class Strategy(Protocol):
    """A bot as an object in this process, one per game, such as the starter bot of ``esr new-bot``."""

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
        """Return the move for a decision. ``log`` contains the entries since the last call."""
        ...


@dataclass(frozen=True)
class _StrategyPlayer:
    """Adapts a :class:`Strategy` to :class:`Player`."""

    strategy: Strategy

    def decide(self, message: Decide) -> Any:
        return self.strategy.choose(message["decision"], message["view"], message["log"])

    def end(self, message: End | None) -> None:
        """Do nothing: a strategy has no end."""


class Session:
    """Plays all games in the stream of one remote bot. ``sit`` creates a player for each game.

    ``tell`` is called with each failure, also from the threads of the games, and ``ended`` with each finished game.
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
        self._seats: dict[int, SeatPlayer] = {}

    @property
    def running(self) -> int:
        """Number of running games."""
        return len(self._seats)

    def run(self, enough: Callable[[], bool]) -> None:
        """Play until ``enough`` returns true after an event. Raises the errors of ``Client.events``."""
        try:
            with self._client.events() as events:  # closed also after an error, so that the site starts no new game
                for event in events:
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
                self._seats[event["game"]] = SeatPlayer(self._client, event, self._sit, self._tell)
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
    """Play ``games`` games, or forever, with one strategy per game. Failures are printed to stderr."""
    if client.my_bot()["games_at_once"] == 0:
        print("This bot gets no new games: its games_at_once is 0. Change it on the bot page.", file=sys.stderr)
    over = 0

    def count(_start: GameStart, _end: GameEnd) -> None:
        nonlocal over
        over += 1

    def tell(incident: Incident) -> None:
        print(incident, file=sys.stderr)

    session = Session(client, lambda start: _StrategyPlayer(make(start["message"])), tell, count)
    session.run(lambda: games is not None and over >= games and not session.running)
