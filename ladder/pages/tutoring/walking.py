"""A way through a tutorial: the newcomer's moves, by their numbers, played on the engine from the deal on.

Nothing is kept: the address of a page holds the moves, so every step of the way can be linked and gone back to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from games.base import Document, Move, State
from games.registry import GAMES
from games.tutoring import Tutorial

LONGEST_NUMBER: Final = 7
SEPARATOR: Final = "-"


class Lost(ValueError):
    """Moves that lead nowhere in this tutorial."""


@dataclass(frozen=True)
class Walk:
    """Where the moves have led: the newcomer is asked, or the part is over.

    ``met`` are the kinds of the decisions made, ``before`` is the log at the last of them, and ``scenes`` are the
    table from then on, step by step, as ``docs/boards.md`` has them.
    """

    state: State
    moves: tuple[int, ...]
    met: tuple[str, ...]
    before: Document
    scenes: list[Document]


def numbers(text: str, tutorial: Tutorial) -> tuple[int, ...]:
    """``"2-0-13"`` as numbers. Raises ``Lost`` for anything else, and for more than there can be."""
    parts = text.split(SEPARATOR) if text else []
    if len(parts) > tutorial.most_moves or not all(_is_number(part) for part in parts):
        raise Lost(text)
    return tuple(map(int, parts))


def _is_number(part: str) -> bool:
    return part.isascii() and part.isdigit() and len(part) <= LONGEST_NUMBER


def written(moves: tuple[int, ...]) -> str:
    """The numbers of moves as an address has them."""
    return SEPARATOR.join(map(str, moves))


def walk(tutorial: Tutorial, moves: tuple[int, ...]) -> Walk:
    """Play ``moves`` and the opponents' answers. Raises ``Lost`` when one cannot be played."""
    state = GAMES[tutorial.game].new(tutorial.seats, tutorial.seed)
    scenes = [_scene(tutorial, state, 0)]
    before = tutorial.log(state)
    met: list[str] = []
    _settle(tutorial, state, scenes)
    for number in moves:
        if tutorial.is_over(state) or not state.decision_kind:
            raise Lost(written(moves))
        met.append(state.decision_kind)
        before = tutorial.log(state)
        move = _numbered(tutorial, state, number)
        scenes = [_scene(tutorial, state, len(before["entries"]))]
        _play(tutorial, state, tutorial.seat, move, scenes)
        _settle(tutorial, state, scenes)
    return Walk(state, moves, tuple(met), before, scenes)


def number_of(tutorial: Tutorial, state: State, move: Move) -> int:
    """The place of a legal move of the newcomer."""
    return state.numbered_moves(tutorial.seat).index(move)


def _numbered(tutorial: Tutorial, state: State, number: int) -> Move:
    try:
        return state.numbered_moves(tutorial.seat)[number]
    except IndexError:
        raise Lost(str(number)) from None


def _settle(tutorial: Tutorial, state: State, scenes: list[Document]) -> None:
    """Let the opponents decide until only the newcomer is asked, or the part is over."""
    while not tutorial.is_over(state):
        asked = [seat for seat in state.pending if seat != tutorial.seat]
        if not asked:
            return
        _play(tutorial, state, asked[0], tutorial.answer(state, asked[0]), scenes)


def _play(tutorial: Tutorial, state: State, seat: int, move: Move, scenes: list[Document]) -> None:
    known = len(state.entries(tutorial.seat))
    state.play(seat, move)
    if not tutorial.is_over(state):
        scenes.append(_scene(tutorial, state, known))


def _scene(tutorial: Tutorial, state: State, known: int) -> Document:
    """The table as the newcomer sees it now; ``entries`` are those of the log from ``known`` on."""
    view = state.view(tutorial.seat)
    yous: list[Any] = [None] * tutorial.seats
    yous[tutorial.seat] = view["you"]
    entries = state.entries(tutorial.seat)
    return {
        "view": view,
        "yous": yous,
        "seat": tutorial.seat,
        "ply": entries[-1]["ply"] if entries else 0,
        "entries": entries[known:],
        "standing": None,
    }
