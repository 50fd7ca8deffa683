"""Who sits at a table that was described on a command line: ``house:greedy``, or the folder of a bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from bots.house.catalogue import HOUSE
from bots.local.faults import UsageError
from bots.local.launching import Local, command_of, under_python
from bots.manifest import FILE, ManifestError, read_folder
from bots.runner import HouseProgram, Limits, LocalProgram, SeatSpec
from games.base import Game
from games.registry import GAMES
from games.words import either

HOUSE_PREFIX = "house:"
LocalSeat = SeatSpec[Local]


def game_of(slug: str) -> Game:
    """The game called ``slug``. Raises ``UsageError`` where there is none."""
    if slug not in GAMES:
        raise UsageError(f"There is no game {slug!r}. There are {', '.join(GAMES)}.")
    return GAMES[slug]


def find_game(slug: str, seats: int) -> Game:
    """The game called ``slug`` if ``seats`` can play it. Raises ``UsageError`` otherwise."""
    game = game_of(slug)
    if seats not in game.seat_counts:
        suited = [other.slug for other in GAMES.values() if seats in other.seat_counts]
        instead = f" With {seats} there is {' or '.join(suited)}." if suited else ""
        raise UsageError(f"{slug} is for {either(game.seat_counts)} bots, and {seats} were named.{instead}")
    return game


def seat_bots(
    words: Sequence[str], game: Game, commands: Sequence[str] = (), python: Path | None = None
) -> tuple[LocalSeat, ...]:
    """A seat at ``game`` for every word, then for every command line. A bot that sits twice gets ``greedy#2``.

    ``python`` runs your own Python bots. Raises ``UsageError`` for an unknown house bot, a path without a bot, a bot
    that does not support the format, and a command that is not found.
    """
    found: list[tuple[str, Local]] = []
    for word in words:
        name, program = find_program(word, game, len(words) + len(commands))
        found.append((name, under_python(program, python) if isinstance(program, LocalProgram) else program))
    found += [(command.label, command) for command in map(command_of, commands)]
    seats: list[LocalSeat] = []
    seen: Counter[str] = Counter()
    for name, seated in found:
        seen[name] += 1
        seats.append(SeatSpec(name if seen[name] == 1 else f"{name}#{seen[name]}", seated))
    return tuple(seats)


def find_program(word: str, game: Game, seats: int) -> tuple[str, HouseProgram | LocalProgram]:
    """The name and the program of a house bot, a bot's folder, or one Python file. Raises ``UsageError``."""
    if word.startswith(HOUSE_PREFIX):
        name = word.removeprefix(HOUSE_PREFIX)
        return name, _house_bot(name, game, seats)
    path = Path(word).expanduser()
    if path.is_file() and path.suffix == ".py":
        return path.stem, LocalProgram(path.parent.resolve(), entry=path.name)
    if path.is_dir():
        return _own_bot(path, game, seats)
    hint = f" Did you mean {HOUSE_PREFIX}{word}?" if word in HOUSE else ""
    raise UsageError(f"{word!r} is neither the folder of a bot nor a house bot such as house:random.{hint}")


def house_bots(game: Game, seats: int) -> list[str]:
    """The names of the house bots that play ``game`` with ``seats``."""
    return [name for name, bot in HOUSE.items() if bot.plays(game.slug, seats)]


def _house_bot(name: str, game: Game, seats: int) -> HouseProgram:
    suited = house_bots(game, seats)
    if name in suited:
        return HouseProgram(name)
    if name in HOUSE:
        instead = f"Those that do are {', '.join(suited)}." if suited else "No house bot does."
        raise UsageError(f"house:{name} does not play {game.slug} with {seats} seats. {instead}")
    raise UsageError(f"There is no house bot {name!r}. For {game.slug} there are {', '.join(suited) or 'none'}.")


def _own_bot(folder: Path, game: Game, seats: int) -> tuple[str, LocalProgram]:
    try:
        manifest = read_folder(folder)
    except ManifestError as error:
        raise UsageError(str(error)) from error
    if (game.slug, seats) not in manifest.tables:
        raise UsageError(
            f"{manifest.name} does not play {game.slug} with {seats} seats, says its {FILE}."
            f" Write that it does under [games], if it can."
        )
    return manifest.name, LocalProgram(folder.resolve(), manifest.args, manifest.entry)


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
