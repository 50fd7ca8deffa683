"""What a bot says of itself: ``bot.toml`` in its folder. Read strictly, and everything in it may be left out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Final

from bots.languages import LANGUAGES, language_of
from games.registry import GAMES

FILE: Final = "bot.toml"
MAX_BYTES: Final = 4 * 1024
"""Enough for every honest one; what TOML asks of a reader can grow with the square of the length."""

MAX_NAME: Final = 40

_KEYS: Final = ("name", "language", "command", "games")
_SHORT: Final = 100


class ManifestError(ValueError):
    """A ``bot.toml`` that cannot be used; the message says what to write instead."""


def every_table() -> Mapping[str, tuple[int, ...]]:
    """Every game with all its seat counts: what a bot claims that says nothing."""
    return MappingProxyType({game.slug: game.seat_counts for game in GAMES.values()})


@dataclass(frozen=True)
class Manifest:
    """A bot's name, how it is started, and the tables it wants to sit at: seat counts by the game's slug.

    ``command`` is a file in the bot's folder and its arguments.
    """

    name: str
    language: str = "python"
    command: tuple[str, ...] = ("bot.py",)
    games: Mapping[str, tuple[int, ...]] = field(default_factory=every_table)

    @property
    def entry(self) -> str:
        """The file that is started, relative to the folder, with slashes."""
        return self.command[0]

    @property
    def args(self) -> tuple[str, ...]:
        """What it gets on its command line."""
        return self.command[1:]

    @property
    def tables(self) -> tuple[tuple[str, int], ...]:
        """Every game with every seat count that it claims, in order."""
        return tuple((slug, seats) for slug, counts in self.games.items() for seats in counts)


def read_folder(folder: Path, *, start: bool = True) -> Manifest:
    """The manifest of the bot in ``folder``. Without a ``bot.toml`` it is that of a ``bot.py`` for all formats.

    Raises ``ManifestError``, also if the file to start is missing, unless ``start`` is false.
    """
    path = folder / FILE
    name = folder.resolve().name[:MAX_NAME] or "bot"
    try:
        manifest = parse(path.read_bytes(), name) if path.is_file() else Manifest(name)
    except OSError as error:
        raise ManifestError(f"{path} cannot be read: {error.strerror}.") from error
    if start and not (folder / manifest.entry).is_file():
        raise ManifestError(f"The folder {folder} has no {manifest.entry}: that is the file that would be started.")
    return manifest


def parse(data: bytes, name: str = "bot") -> Manifest:
    """The manifest that ``data`` is; ``name`` is the bot's where it says none. Raises ``ManifestError``."""
    document = _document(data)
    for key in document:
        if key not in _KEYS:
            raise ManifestError(f"{FILE} has the key {_short(key)}, which means nothing: {_meant(key, _KEYS)}.")
    language = _language(document.get("language", "python"))
    return Manifest(
        name=_name(document.get("name", name)),
        language=language,
        command=_command(document.get("command", ["bot.py"]), language),
        games=_games(document["games"]) if "games" in document else every_table(),
    )


def _document(data: bytes) -> dict[str, Any]:
    """The TOML that ``data`` is."""
    if len(data) > MAX_BYTES:
        raise ManifestError(f"{FILE} is longer than {MAX_BYTES // 1024} KiB.")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ManifestError(f"{FILE} is not UTF-8: {error.reason} at byte {error.start}.") from error
    except RecursionError as error:
        raise ManifestError(f"{FILE} is nested too deeply.") from error
    except ValueError as error:  # also what Python says of numbers with thousands of digits
        raise ManifestError(f"{FILE} is not TOML: {_cut(str(error))}.") from error


def _name(value: Any) -> str:
    if type(value) is not str or not value.strip() or len(value) > MAX_NAME or not value.isprintable():
        raise ManifestError(
            f"The name in {FILE} is a text of 1 to {MAX_NAME} printable characters, not {_short(value)}."
        )
    return value.strip()


def _language(value: Any) -> str:
    if type(value) is not str or value not in LANGUAGES:
        raise ManifestError(f"The language in {FILE} is {' or '.join(map(repr, LANGUAGES))}, not {_short(value)}.")
    return value


def _command(value: Any, language: str) -> tuple[str, ...]:
    words = value if type(value) is list else []
    if not words or not all(type(word) is str and "\0" not in word for word in words):
        raise ManifestError(f'The command in {FILE} is a list of texts such as ["bot.py"], not {_short(value)}.')
    entry = PurePosixPath(words[0])
    odd = entry.is_absolute() or ".." in entry.parts or any(char in words[0] for char in "\\:")
    if not entry.parts or odd or str(entry).startswith("-"):
        raise ManifestError(
            f"The command in {FILE} starts with a file in the bot's folder, not with {_short(words[0])}."
        )
    right = language_of(str(entry)).name
    if right != language:
        raise ManifestError(f'{FILE} starts {_short(words[0])}: that is language = "{right}", not "{language}".')
    return (str(entry), *words[1:])


def _games(value: Any) -> Mapping[str, tuple[int, ...]]:
    if type(value) is not dict or not value:
        first = next(iter(GAMES.values()))
        raise ManifestError(
            f"games in {FILE} names at least one game with its seats, such as {first.slug} = {list(first.seat_counts)}."
        )
    return MappingProxyType({slug: _seats(slug, counts) for slug, counts in value.items()})


def _seats(slug: str, counts: Any) -> tuple[int, ...]:
    game = GAMES.get(slug)
    if game is None:
        raise ManifestError(f"{FILE} names the game {_short(slug)}, which is not there: {_meant(slug, tuple(GAMES))}.")
    whole = type(counts) is list and counts and all(type(count) is int for count in counts)
    if not whole or not set(counts) <= set(game.seat_counts) or len(set(counts)) != len(counts):
        raise ManifestError(
            f"{slug} in {FILE} has the seats {list(game.seat_counts)} or some of these, not {_short(counts)}."
        )
    return tuple(sorted(counts))


def _meant(word: str, words: Sequence[str]) -> str:
    """Which of ``words`` was probably meant, or all of them."""
    close = get_close_matches(word[:_SHORT], words, n=1)
    return f"{close[0]} was probably meant" if close else f"there are {', '.join(words)}"


def _short(value: Any) -> str:
    try:
        return _cut(ascii(value))
    except (RecursionError, ValueError):  # deep tables, and hexadecimal numbers too long for Python to write
        return "what stands there"


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
