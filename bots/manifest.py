"""Read ``bot.toml``, the manifest in the folder of a bot. All keys are optional; unknown keys are errors."""

from __future__ import annotations

import tomllib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
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
"""A limit, because the time to parse TOML can grow with the square of the length."""

MAX_NAME: Final = 40

_KEYS: Final = ("name", "language", "command", "games")
_SHORT: Final = 100


class ManifestError(ValueError):
    """An invalid ``bot.toml``; the message contains the remedy, ``code`` identifies the reason."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def every_format() -> Mapping[str, tuple[int, ...]]:
    """Return all games with all seat counts: the default of a bot."""
    return MappingProxyType({game.slug: game.seat_counts for game in GAMES.values()})


@dataclass(frozen=True)
class Manifest:
    """A bot's name, start command and supported formats (seat counts by game slug).

    ``command`` is a file in the bot folder and its arguments.
    """

    name: str
    language: str = "python"
    command: tuple[str, ...] = ("bot.py",)
    games: Mapping[str, tuple[int, ...]] = field(default_factory=every_format)

    @property
    def entry(self) -> str:
        """The file to start, relative to the bot folder, with slashes."""
        return self.command[0]

    @property
    def args(self) -> tuple[str, ...]:
        """The command line arguments."""
        return self.command[1:]

    @property
    def formats(self) -> tuple[tuple[str, int], ...]:
        """All supported formats in order, as pairs of game and seat count."""
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
        raise ManifestError(f"Cannot read {path}: {error.strerror}.", "unreadable") from error
    if start and not (folder / manifest.entry).is_file():
        raise ManifestError(
            f"{folder} does not contain {manifest.entry}, the file to start. Add it, or name another file in {FILE}.",
            "entry_missing",
        )
    return manifest


def parse(data: bytes, name: str = "bot") -> Manifest:
    """Parse a manifest; ``name`` is the default name. Raises ``ManifestError``."""
    document = _document(data)
    for key in document:
        if key not in _KEYS:
            raise ManifestError(f"{FILE} contains the unknown key {_short(key)}. {_meant(key, _KEYS)}.", "unknown_key")
    language = _language(document.get("language", "python"))
    return Manifest(
        name=_name(document.get("name", name)),
        language=language,
        command=_command(document.get("command", [LANGUAGES[language].entry]), language),
        games=_games(document["games"]) if "games" in document else every_format(),
    )


def _document(data: bytes) -> dict[str, Any]:
    """Parse TOML, with or without a byte order mark."""
    if len(data) > MAX_BYTES:
        raise ManifestError(f"{FILE} is larger than {MAX_BYTES // 1024} KiB. Shorten it.", "too_large")
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise ManifestError(f"{FILE} is UTF-16 text. Save it as UTF-8.", "not_utf8")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"{FILE} is not valid UTF-8 ({error.reason} at byte {error.start}). Save it as UTF-8."
        raise ManifestError(message, "not_utf8") from error
    except RecursionError as error:
        raise ManifestError(f"{FILE} is nested too deeply. Use only documented keys.", "nested") from error
    except ValueError as error:  # also what Python says of numbers with thousands of digits
        raise ManifestError(f"{FILE} is not valid TOML: {_cut(str(error))}. Put text in quotes.", "not_toml") from error


def _name(value: Any) -> str:
    if type(value) is not str or not value.strip() or len(value) > MAX_NAME or not value.isprintable():
        raise ManifestError(
            f"name in {FILE} must be a string of 1 to {MAX_NAME} printable characters, not {_short(value)}.", "name"
        )
    return value.strip()


def _language(value: Any) -> str:
    if type(value) is not str or value not in LANGUAGES:
        known = " or ".join(map(repr, LANGUAGES))
        raise ManifestError(f"language in {FILE} must be {known}, not {_short(value)}.", "language")
    return value


def _command(value: Any, language: str) -> tuple[str, ...]:
    words = value if type(value) is list else []
    if not words or not all(type(word) is str and "\0" not in word for word in words):
        message = f'command in {FILE} must be a list of strings such as ["bot.py"], not {_short(value)}.'
        raise ManifestError(message, "command")
    entry = PurePosixPath(words[0])
    odd = entry.is_absolute() or ".." in entry.parts or any(char in words[0] for char in "\\:")
    if not entry.parts or odd or str(entry).startswith("-"):
        raise ManifestError(
            f"command in {FILE} must start with a file in the bot folder, not with {_short(words[0])}.", "command_file"
        )
    right = language_of(str(entry)).name
    if right != language:
        message = f'{FILE} starts {_short(words[0])}, which needs language = "{right}", not "{language}".'
        if suffixes := LANGUAGES[language].suffixes * (not LANGUAGES[right].suffixes):
            message = f'{FILE} starts {_short(words[0])}, but language = "{language}" needs {" or ".join(suffixes)}.'
        raise ManifestError(message, "command_language")
    return (str(entry), *words[1:])


def _games(value: Any) -> Mapping[str, tuple[int, ...]]:
    if type(value) is not dict or not value:
        first = next(iter(GAMES.values()))
        raise ManifestError(
            f"games in {FILE} must list at least one game with its seat counts, such as"
            f" {first.slug} = {list(first.seat_counts)}.",
            "games",
        )
    return MappingProxyType({slug: _seats(slug, counts) for slug, counts in value.items()})


def _seats(slug: str, counts: Any) -> tuple[int, ...]:
    game = GAMES.get(slug)
    if game is None:
        message = f"{FILE} contains the unknown game {_short(slug)}. {_meant(slug, tuple(GAMES))}."
        raise ManifestError(message, "unknown_game")
    whole = type(counts) is list and counts and all(type(count) is int for count in counts)
    if not whole or not set(counts) <= set(game.seat_counts) or len(set(counts)) != len(counts):
        raise ManifestError(
            f"{slug} in {FILE} must be a list of seat counts from {list(game.seat_counts)}, not {_short(counts)}.",
            "seats",
        )
    return tuple(sorted(counts))


def _meant(word: str, words: Sequence[str]) -> str:
    """Suggest the closest of ``words``, or list all of them."""
    close = get_close_matches(word[:_SHORT], words, n=1)
    return f"The closest match is {close[0]}" if close else f"Use one of {', '.join(words)}"


def _short(value: Any) -> str:
    try:
        return _cut(ascii(value))
    except (RecursionError, ValueError):  # deep tables, and hexadecimal numbers too long for Python to write
        return "this value"


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
