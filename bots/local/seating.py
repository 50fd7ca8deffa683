"""Who sits at a table that was described on a command line: ``house:greedy``, or a folder with a ``bot.py``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from bots.house.catalogue import HOUSE
from bots.local.faults import UsageError
from bots.runner import HouseProgram, Limits, LocalProgram, SeatSpec
from games.base import Game
from games.registry import GAMES

HOUSE_PREFIX = "house:"
LocalSeat = SeatSpec[HouseProgram | LocalProgram]


def find_game(slug: str, seats: int) -> Game:
    """The game called ``slug`` if ``seats`` can play it. Raises ``UsageError`` otherwise."""
    game = GAMES.get(slug)
    if game is None:
        raise UsageError(f"There is no game {slug!r}. There are {', '.join(GAMES)}.")
    if seats not in game.seat_counts:
        suited = [other.slug for other in GAMES.values() if seats in other.seat_counts]
        instead = f" With {seats} there is {' or '.join(suited)}." if suited else ""
        raise UsageError(f"{slug} is for {in_words(game.seat_counts)} bots, and {seats} were named.{instead}")
    return game


def seat_bots(words: Sequence[str]) -> tuple[LocalSeat, ...]:
    """A seat for every word, in order; a bot that sits twice is told apart by its label: ``greedy``, ``greedy#2``.

    Raises ``UsageError`` for an unknown house bot and for a path without a bot.
    """
    programs = [find_program(word) for word in words]
    names = [_name(program) for program in programs]
    seen: Counter[str] = Counter()
    seats = []
    for name, program in zip(names, programs, strict=True):
        seen[name] += 1
        seats.append(SeatSpec(name if seen[name] == 1 else f"{name}#{seen[name]}", program))
    return tuple(seats)


def find_program(word: str) -> HouseProgram | LocalProgram:
    """The program that ``word`` names: a house bot, a folder with a ``bot.py``, or one Python file."""
    if word.startswith(HOUSE_PREFIX):
        name = word.removeprefix(HOUSE_PREFIX)
        if name not in HOUSE:
            raise UsageError(f"There is no house bot {name!r}. There are {', '.join(HOUSE)}.")
        return HouseProgram(name)
    path = Path(word).expanduser()
    if path.is_file() and path.suffix == ".py":
        return LocalProgram(path.parent.resolve(), entry=path.name)
    if path.is_dir():
        if not (path / "bot.py").is_file():
            raise UsageError(f"The folder {word} has no bot.py.")
        return LocalProgram(path.resolve())
    hint = f" Did you mean {HOUSE_PREFIX}{word}?" if word in HOUSE else ""
    raise UsageError(f"{word!r} is neither a folder with a bot.py nor a house bot such as house:greedy.{hint}")


def read_limits(text: str) -> Limits:
    """The limits of ``move_ms=500,bank_ms=0``; what is not named keeps its default. Raises ``UsageError``."""
    defaults = Limits()
    names = [field.name for field in fields(defaults)]
    chosen: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.strip().partition("=")
        if name not in names:
            raise UsageError(f"There is no limit {name!r}. There are {', '.join(names)}.")
        if not value.isdecimal() or (int(value) == 0 and name != "bank_ms"):
            raise UsageError(f"{name} needs a whole number greater than 0, not {value!r}.")
        chosen[name] = int(value)
    return replace(defaults, **chosen)


def in_words(numbers: Sequence[int]) -> str:
    """``3, 4 or 5``."""
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}" if first else last


def _name(program: HouseProgram | LocalProgram) -> str:
    if isinstance(program, HouseProgram):
        return program.name
    return program.folder.name if program.entry == "bot.py" else Path(program.entry).stem
