"""The bot protocol: read a line, write a line. Every house bot gets a copy of this file.

In your own bot, use ``import json`` and ``import random`` instead. Their import takes longer than the start of Python,
and a house bot starts for every game that it plays.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing is not imported either, except by a type checker
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from json import dumps, loads
    from typing import Any, Protocol, TypeVar

    Item = TypeVar("Item")
    Document = dict[str, Any]
    Move = str | dict[str, Any]

    class Bot(Protocol):
        """What :func:`play` asks for moves."""

        def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
            """The answer to one decision; ``log`` is what happened since the last one."""
else:
    Document = dict
    try:  # the two functions in C that do the work of json
        from _json import encode_basestring_ascii, make_encoder, make_scanner
    except ImportError:
        from json import dumps, loads
    else:

        class _Grammar:
            strict, memo = True, {}
            object_hook = object_pairs_hook = parse_constant = None
            parse_float, parse_int = float, int

        _scan = make_scanner(_Grammar)
        _encode = make_encoder(None, None, encode_basestring_ascii, None, ":", ",", False, False, True)

        def loads(text: str) -> object:
            """The value of one JSON document."""
            return _scan(text, 0)[0]

        def dumps(value: object) -> str:
            """``value`` as one line of JSON."""
            return "".join(_encode(value, 0))


class Dice:
    """Random numbers from the seed in ``hello`` (splitmix64). They are the same in every version of Python."""

    def __init__(self, seed: str) -> None:
        self._state = int(seed, 16)

    def below(self, n: int) -> int:
        """Return an integer from 0 to ``n`` - 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (self._state ^ self._state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        return (mixed ^ mixed >> 31) * n >> 64

    def fraction(self) -> float:
        """Return a number from 0 up to, but not including, 1."""
        return self.below(2**53) / 2**53

    def pick(self, items: Sequence[Item]) -> Item:
        """Return a random item; all have the same probability."""
        return items[self.below(len(items))]


def settings(args: Sequence[str], **defaults: float) -> dict[str, float]:
    """Return ``defaults`` changed by the command line: ``["gems=2"]`` sets ``gems`` to 2.

    Raises ``ValueError`` for an unknown name.
    """
    chosen = dict(defaults)
    for arg in args:
        name, _, value = arg.partition("=")
        if name not in defaults:
            raise ValueError(f"unknown setting {name!r}: this bot has {', '.join(defaults) or 'none'}")
        chosen[name] = float(value)
    return chosen


def play(start: Callable[[Document, list[str]], Bot]) -> None:
    """Play one game on stdin and stdout. ``start`` creates the bot from ``hello`` and the command line."""
    for line in sys.stdin:
        message = loads(line)
        if message["type"] == "hello":
            bot = start(message, sys.argv[1:])
            answer: Document = {"type": "ready"}
        elif message["type"] == "decide":
            move = bot.choose(message["decision"], message["view"], message["log"])
            answer = {"id": message["id"], "move": move}
        else:  # end
            return
        print(dumps(answer), flush=True)
