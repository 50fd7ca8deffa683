"""House bots in this process: the same code without pipes, to learn against them and to measure how strong they are.

Rated matches between bots never use this module: they start each bot as a separate process.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from bots.house.catalogue import SHARED, HouseBot
from games.registry import GAMES
from games.rules import Document, Move, State


class HousePlayer(Protocol):
    """What ``wire.play`` asks for moves."""

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move: ...


class Maker(Protocol):
    """The class of a bot: makes one player per game."""

    def __call__(self, hello: Document, args: list[str]) -> HousePlayer: ...


def load(bot: HouseBot) -> Maker:
    """Return the class that the ``bot.py`` of a house bot passes to ``wire.play``.

    Its modules are imported under their own names, as in its own process, and then removed from ``sys.modules``, so
    that the ``worth`` of the next bot is a different module.
    """
    before = set(sys.modules)
    folders = [bot.path, SHARED]
    sys.path[:0] = map(str, folders)
    try:
        module = import_module("bot")
    finally:
        del sys.path[: len(folders)]
        for name in set(sys.modules) - before:
            if Path(getattr(sys.modules[name], "__file__", None) or "").parent in folders:
                del sys.modules[name]
    return cast("Maker", getattr(module, bot.folder.capitalize()))


def player(game: str, bot: tuple[HouseBot, Maker], seats: int, seat: int, seed: bytes) -> HousePlayer:
    """Return the player of one game in ``seat``. Its random numbers follow from ``seed`` and the seat."""
    entry, make = bot
    hello = {"type": "hello", "protocol": 1, "game": game, "rules": GAMES[game].rules.version, "seats": seats}
    return make({**hello, "seat": seat, "seed": sha256(seed + bytes([seat])).hexdigest()}, list(entry.args))


def play_inside(game: str, bots: Sequence[tuple[HouseBot, Maker]], seed: bytes) -> Document:
    """Play one game as :func:`played_inside` does. Return its outcome."""
    outcome = played_inside(game, bots, seed).outcome
    assert outcome is not None
    return outcome


def played_inside(game: str, bots: Sequence[tuple[HouseBot, Maker]], seed: bytes) -> State:
    """Play one game without clocks, strikes or processes. Return its finished state.

    Raises ``IllegalMove`` as soon as a bot answers with an illegal move.
    """
    state = GAMES[game].new(len(bots), seed)
    players = [player(game, bot, len(bots), seat, seed) for seat, bot in enumerate(bots)]
    read = [0] * len(bots)
    while state.outcome is None:
        for seat in state.pending:
            log = state.entries(seat, read[seat])
            read[seat] += len(log)
            state.play(seat, players[seat].choose(state.decision(seat), state.view(seat), log))
    return state
