"""The moves of a decision as a form without a script lists them: what is sent, and what it means in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils.translation import gettext

from games.base import Document, Game, Move


@dataclass(frozen=True)
class Question:
    """What a seat is asked: ``moves`` as they are sent, with their words; empty where there are too many to list."""

    number: int
    asked: str
    moves: Sequence[tuple[str, str]]
    default: str
    bounds: str


def question(game: Game, number: int, decision: Mapping[str, Any]) -> Question:
    """The decision ``number`` of a seat, as the game gives it out."""
    legal = decision.get("legal") or []
    return Question(
        number=number,
        asked=gettext("Your decision: %(kind)s") % {"kind": _word(game, str(decision["kind"]))},
        moves=[(sent(move), said(game, move)) for move in legal],
        default=sent(decision["default"]),
        bounds=_bounds(game, decision),
    )


def sent(move: Move) -> str:
    """A move as JSON."""
    return orjson.dumps(move).decode()


def said(game: Game, move: Move) -> str:
    """A move in words: ``money``; ``offer: 2 green``; ``cards: O8, B9``."""
    if isinstance(move, str):
        return _word(game, move)
    return "; ".join(f"{_word(game, key)}: {_value(game, value)}" for key, value in move.items())


def _value(game: Game, value: object) -> str:
    if isinstance(value, str):
        return _word(game, value)
    if not isinstance(value, list):
        return str(value)
    if value and all(isinstance(count, int) for count in value) and len(value) > 2:
        return _piles(game, value)
    return ", ".join(_value(game, part) for part in value)


def _piles(game: Game, counts: Sequence[int]) -> str:
    """Counts by token, in the order in which a game names its tokens."""
    named = [f"{count} {gettext(word)}" for count, word in zip(counts, game.tokens.values(), strict=False) if count]
    return ", ".join(named) or "0"


def _word(game: Game, code: str) -> str:
    known = game.tokens.get(code)
    return gettext(known) if known else code.replace("_", " ")


def _bounds(game: Game, decision: Document | Mapping[str, Any]) -> str:
    """What there is to give, where the question says it."""
    held = decision.get("holdings")
    return gettext("You have: %(piles)s.") % {"piles": _piles(game, held)} if held else ""
