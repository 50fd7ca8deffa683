"""One seat's messages at some moment of a game, for tests that ask a bot for one decision."""

from __future__ import annotations

from typing import TypeVar

from bots.protocol import Decide, Hello, Limits
from bots.protocol.messages import limits_document
from bots.runner import Consultation
from games.registry import GAMES
from games.rules import State
from tests.bots.runner.fakes import SEED, TABLE

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
    hello: Hello = {
        "type": "hello",
        "protocol": 1,
        "game": state.rules.slug,
        "rules": state.rules.version,
        "seats": state.seats,
        "seat": seat,
        "resumed": True,
        "limits": limits_document(limits),
        "seed": "ab" * 32,
    }
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
    return Consultation("bot", program, hello, decide)
