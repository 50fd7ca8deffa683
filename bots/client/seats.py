"""One seat of one running game: a thread that puts its decisions to a player, one after the other."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any, Protocol, cast

from bots.client.client import Client
from bots.client.documents import Asked, Document, GameEnd, GameStart
from bots.client.errors import ClientError
from bots.client.judging import is_legal
from bots.protocol import Decide, End

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
