"""House bots inside this process: the same code without the pipe, for measuring how strong they are.

Never for rated games: those start every bot as a process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from typing import Protocol, cast

from bots.house.catalogue import HouseBot
from games.base import Document, Move, State
from games.registry import GAMES


class Player(Protocol):
    """A bot object as ``wire.play`` drives it."""

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """The answer to one decision."""


class Maker(Protocol):
    """The class of a bot."""

    def __call__(self, hello: Document, args: list[str]) -> Player:
        """A bot for one game."""


def load(bot: HouseBot) -> Maker:
    """The class that the ``bot.py`` of a house bot gives to ``wire.play``.

    The folder's modules are imported under their own names, as in a process of the bot's own, and forgotten
    afterwards, so that the next folder's ``wire`` is its own.
    """
    before = set(sys.modules)
    sys.path.insert(0, str(bot.path))
    try:
        module = import_module("bot")
    finally:
        sys.path.pop(0)
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(bot.path)):
                del sys.modules[name]
    return cast("Maker", getattr(module, bot.folder.capitalize()))


def play_inside(game: str, bots: Sequence[tuple[HouseBot, Maker]], seed: bytes) -> Document:
    """Play one game as :func:`played_inside` does; its outcome."""
    outcome = played_inside(game, bots, seed).outcome
    assert outcome is not None
    return outcome


def played_inside(game: str, bots: Sequence[tuple[HouseBot, Maker]], seed: bytes) -> State:
    """Play one game without clocks, strikes or processes; its finished state.

    Raises ``IllegalMove`` as soon as a bot answers something illegal: that is a fault of the house.
    """
    state = GAMES[game].new(len(bots), seed)
    hello = {"type": "hello", "protocol": 1, "game": game, "rules": GAMES[game].rules, "seats": len(bots)}
    players = [
        make({**hello, "seat": seat, "seed": sha256(seed + bytes([seat])).hexdigest()}, list(bot.args))
        for seat, (bot, make) in enumerate(bots)
    ]
    read = [0] * len(bots)
    while state.outcome is None:
        for seat in state.pending:
            log = state.entries(seat, read[seat])
            read[seat] += len(log)
            state.play(seat, players[seat].choose(state.decision(seat), state.view(seat), log))
    return state
