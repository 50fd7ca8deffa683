"""Wording that all games share, and tokens such as ``{R}`` for a red gem in a guide or a score column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

DEFAULTS: Final = {
    "late": "no answer in time",
    "malformed": "malformed answer",
    "too_long": "answer too long",
    "wrong_id": "wrong decision id",
    "illegal": "illegal move",
    "forfeit": "forfeited",
    "absent": "player absent",
}
"""The reasons for a default move, in words."""

FORFEITS: Final = {
    "strikes": "third strike",
    "exit": "process exited",
    "not_ready": "not ready in time",
    "memory": "memory limit exceeded",
    "time": "time limit exceeded",
    "resign": "resigned",
    "abandoned": "left the game",
}
"""The reasons for a forfeit, in words."""

_NUMBERS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")
IN_BRACES: Final = r"\{([A-Za-z][A-Za-z0-9_-]*)\}"
"""Pattern of a token; group 1 is its name."""

_RUN: Final = re.compile(rf"{IN_BRACES}(?:[ \u00a0]{IN_BRACES})*")


def listing(words: Sequence[str]) -> str:
    """Join words: ``a``, ``a and b`` or ``a, b and c``."""
    return _joined(words, " and ")


def either(words: Sequence[object]) -> str:
    """Join alternatives: ``3``, ``3 or 4`` or ``3, 4 or 5``."""
    return _joined([str(word) for word in words], " or ")


def _joined(words: Sequence[str], before_last: str) -> str:
    return before_last.join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def number(count: int) -> str:
    """Return a number from 2 up in words if it is at most twelve, else in digits."""
    return _NUMBERS[count - 2] if count <= len(_NUMBERS) + 1 else str(count)


def ordinal(rank: int) -> str:
    """Return a rank in words: ``second`` for 2. It must be from 1 to 5."""
    return _ORDINALS[rank - 1]


def in_words(text: str, tokens: Mapping[str, str]) -> str:
    """Replace tokens by words: ``4 {R}`` becomes ``4 red``, and ``{G} {B}`` becomes ``green and blue``.

    ``tokens`` maps the tokens of a game to words (``Presentation.tokens``). A token before its own words is removed:
    ``{R} red`` becomes ``red``. Unknown names in braces do not change.
    """
    for name, words in tokens.items():
        text = text.replace(f"{{{name}}} {words}", words)
    return _RUN.sub(lambda run: _words_of(run[0], tokens), text)


def _words_of(run: str, tokens: Mapping[str, str]) -> str:
    """Return the words of adjacent tokens."""
    names = re.findall(IN_BRACES, run)
    return listing([tokens[name] for name in names]) if all(name in tokens for name in names) else run
