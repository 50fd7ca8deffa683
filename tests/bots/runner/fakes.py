"""Fake bots and short ways to let them play."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

import orjson

from bots.protocol import Decide, Limits, bot_seeds, hello
from bots.runner import Consultation, FakeProgram, MatchReport, MatchSpec, Observer, SeatSpec, play_match
from bots.runner.channel import OpenChannel, open_channel
from bots.runner.questions import Core
from bots.sandbox import InProcessLauncher
from games.registry import GAMES
from games.rules import Document, State

Play = Callable[[Document], Any]
SEED = bytes(range(32))
DUEL = "edel-stein-reich-duel"
TABLE = "edel-stein-reich"
HASTY = Limits(startup_ms=1500, move_ms=400, bank_ms=0, game_ms=60_000)
"""Limits under which a bot that says nothing is late at once."""
CHANNEL: ContextVar[OpenChannel] = ContextVar("CHANNEL", default=open_channel)
"""What reads the pipes in :func:`play`; the fixture ``each_channel`` sets it."""


def default(message: Document) -> Any:
    """Answer everything with the default move."""
    return message["decision"]["default"] if message["type"] == "decide" else None


def later_legal(message: Document) -> Any:
    """Answer with some legal move that depends on the id alone."""
    if message["type"] != "decide":
        return None
    legal = message["decision"]["legal"] or [message["decision"]["default"]]
    return legal[message["id"] % len(legal)]


def at(number: int, say: Any, otherwise: Play = default) -> Play:
    """Say ``say`` at the decision ``number`` (a function of the message, or a move, or raw bytes)."""

    def play(message: Document) -> Any:
        if message["type"] == "decide" and message["id"] == number:
            return say(message) if callable(say) else say
        return otherwise(message)

    return play


def raw(number: int, move: Any) -> bytes:
    """An answer as it goes over the pipe."""
    return orjson.dumps({"id": number, "move": move}) + b"\n"


def leave(message: Document) -> Any:
    """End the process."""
    raise SystemExit(3)


class Watcher:
    """Keeps every line of a game, both ways."""

    def __init__(self) -> None:
        self.to: list[tuple[int, Document]] = []
        self.came: list[tuple[int, bytes]] = []
        self.positions = 0

    def moved(self, _: State) -> None:
        self.positions += 1

    def sent(self, seat: int, line: bytes) -> None:
        self.to.append((seat, orjson.loads(line)))

    def heard(self, seat: int, line: bytes) -> None:
        self.came.append((seat, line))

    def messages(self, seat: int, kind: str) -> list[Document]:
        """The messages of one type to one seat."""
        return [message for to, message in self.to if to == seat and message["type"] == kind]


def play(
    *bots: Play | FakeProgram,
    limits: Limits | None = None,
    observer: Observer | None = None,
    core: Core | None = None,
    **more: Any,
) -> MatchReport:
    """Play one game: the duel for two, the big game for more."""
    programs = [bot if isinstance(bot, FakeProgram) else FakeProgram(bot) for bot in bots]
    seats = tuple(SeatSpec(f"bot {seat}", program) for seat, program in enumerate(programs))
    game = DUEL if len(bots) == 2 else TABLE
    spec = MatchSpec(
        game, seats, SEED, limits or Limits(), match="m1", bot_seeds=bot_seeds(b"secret", "m1", len(bots)), **more
    )
    return play_match(spec, InProcessLauncher(), observer, CHANNEL.get(), core)


P = TypeVar("P")


def middle(seats: int = 3, moves: int = 40) -> State:
    """A game in which so many default moves have been played."""
    state = GAMES[TABLE].new(seats, SEED)
    for _ in range(moves):
        seat = state.pending[0]
        state.play(seat, state.default_move(seat))
    return state


def consultation(
    program: P, state: State | None = None, limits: Limits | None = None, *, asked: int = 17, left: int | None = None
) -> Consultation[P]:
    """The first seat that owes a decision is asked for it, under the id ``asked``, with ``left`` ms for the game."""
    state, limits = state or middle(), limits or Limits()
    seat = state.pending[0]
    game_ms = limits.game_ms if left is None else left
    decide: Decide = {
        "type": "decide",
        "id": asked,
        "strikes": 1,
        "decision": state.decision(seat),
        "view": state.view(seat),
        "log": state.entries(seat),
        "clock": {"move_ms": limits.move_ms, "bank_ms": limits.bank_ms, "game_ms": game_ms},
    }
    return Consultation("bot", program, hello(state.rules, state.seats, seat, limits, "ab" * 32, resumed=True), decide)
