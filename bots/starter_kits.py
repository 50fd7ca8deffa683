"""Starter kits: the folder that ``esr new-bot`` creates, and the same files as a zip archive."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from random import Random
from string import Template
from types import MappingProxyType
from typing import Any, Final

from bots.archives import zip_of
from bots.house.catalogue import HOUSE
from bots.languages import LANGUAGES
from bots.manifest import FILE
from bots.protocol import Limits, bot_seed, hello
from games.game import Game
from games.registry import GAMES
from games.rules import Document, State
from games.words import either, listing

# --- Kits ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kit:
    """A starter kit for one programming language, whose files are in ``bots/cli/starter`` under its name.

    ``language`` is the one in ``bot.toml``, ``strategy`` the file to change first, ``about`` describes all files.
    ``needs`` is what builds the bot, empty if nothing has to be built. ``test`` is the command that tests it.
    """

    name: str
    title: str
    language: str
    strategy: str
    about: tuple[tuple[str, str], ...]
    needs: str
    test: str

    @property
    def build(self) -> str:
        """The command that builds the bot; empty if nothing has to be built."""
        return "make" if self.needs else ""

    @property
    def entry(self) -> str:
        """The file that is started."""
        return LANGUAGES[self.language].entry


_MAKE: Final = ("Makefile", "the commands that build and test the bot")
_READER: Final = "a reader of JSON, which the language does not have"

KITS: Final[Mapping[str, Kit]] = MappingProxyType(
    {
        kit.name: kit
        for kit in (
            Kit(
                "python", "Python", "python", "strategy.py",
                (("bot.py", "the input and output"), ("test_bot.py", "fast tests")),
                "", "python test_bot.py",
            ),
            Kit(
                "javascript", "JavaScript", "javascript", "strategy.js",
                (
                    ("bot.js", "the input and output"), ("bot.test.js", "fast tests"),
                    ("package.json", "the kind of its modules"),
                ),
                "", "node --test",
            ),
            Kit(
                "java", "Java", "java", "Strategy.java",
                (
                    ("Bot.java", "the input and output"), ("Json.java", _READER), ("BotTest.java", "fast tests"),
                    _MAKE,
                ),
                "a JDK, version 17 or later", "make test",
            ),
            Kit(
                "c", "C", "executable", "strategy.c",
                (
                    ("strategy.h", "its interface"), ("bot.c", "the program"), ("play.c", "the input and output"),
                    ("play.h", "its interface"), ("json.c", _READER), ("json.h", "its interface"),
                    ("test.c", "fast tests"), _MAKE,
                ),
                "GCC or Clang", "make test",
            ),
            Kit(
                "cpp", "C++", "executable", "strategy.hpp",
                (
                    ("bot.cpp", "the program"), ("bot.hpp", "the input and output"), ("json.hpp", _READER),
                    ("test.cpp", "fast tests"), _MAKE,
                ),
                "GCC or Clang", "make test",
            ),
            Kit(
                "rust", "Rust", "executable", "strategy.rs",
                (
                    ("main.rs", "the input and output, and fast tests"), ("json.rs", _READER),
                    ("Cargo.toml", "the package"), _MAKE,
                ),
                "Rust with Cargo, version 1.62 or later", "make test",
            ),
            Kit(
                "go", "Go", "executable", "strategy.go",
                (
                    ("bot.go", "the input and output"), ("bot_test.go", "fast tests"), ("go.mod", "the module"),
                    _MAKE,
                ),
                "Go, version 1.19 or later", "make test",
            ),
        )
    }
)  # fmt: skip
"""All starter kits by name; the first is the default."""

# --- Folders ---------------------------------------------------------------------------------------------------------

EXAMPLE_GAMES: Final = 40
"""Number of games that are searched for example questions; rare kinds do not appear in every game."""

OF_EACH_KIND: Final = 2


def bot_files(name: str, game: Game, language: str = "python") -> dict[str, str]:
    """Return the files of a new bot by file name, as ``esr new-bot`` creates them. Raises ``KeyError``."""
    kit = KITS[language]
    here = files("bots.cli").joinpath("starter")
    words = _words(name, game, kit)
    own = (file for file, _ in kit.about)
    return {
        kit.strategy: game.presentation.starter if kit.name == "python" else _text(here, kit, kit.strategy),
        **{file: _text(here, kit, file) for file in own},
        **{page: Template(here.joinpath(page).read_text(encoding="utf-8")).substitute(words) for page in _PAGES},
        "examples.json": _json_lines(examples(game)),
        FILE: _manifest(name, game, kit),
    }


_PAGES: Final = ("README.md", "AGENTS.md")
"""What people read, and what coding agents read (https://agents.md/)."""


def _text(here: Traversable, kit: Kit, file: str) -> str:
    return here.joinpath(kit.name, file).read_text(encoding="utf-8")


def examples(game: Game) -> Document:
    """Return a ``hello`` and questions to seat 0 from random games, up to two of each kind."""
    seats = game.seat_counts[0]
    examples: dict[str, list[Document]] = {}
    for number in range(EXAMPLE_GAMES):
        state = game.new(seats, sha256(f"example/{number}".encode()).digest())
        for question in _questions(state, Random(number)):
            of_its_kind = examples.setdefault(question["decision"]["kind"], [])
            if len(of_its_kind) < OF_EACH_KIND:
                of_its_kind.append(question)
    questions = [question for of_its_kind in examples.values() for question in of_its_kind]
    numbered = [{**question, "id": number} for number, question in enumerate(questions, 1)]
    return {"hello": hello(game.rules, seats, 0, Limits(), bot_seed(b"", "example", 0, 1)), "questions": numbered}


def _questions(state: State, random: Random) -> Iterator[Document]:
    """Yield the questions to seat 0 in one random game."""
    read = 0
    limits = Limits()
    clock = {"move_ms": limits.move_ms, "bank_ms": limits.bank_ms, "game_ms": limits.game_ms}
    while pending := state.pending:
        if 0 in pending:
            log = state.entries(0, read)
            read += len(log)
            asked = {"decision": state.decision(0), "view": state.view(0), "log": log}
            yield {"type": "decide", "id": 0, "strikes": 0, **asked, "clock": clock}
        for seat in pending:
            state.play(seat, state.random_move(seat, random))


def _words(name: str, game: Game, kit: Kit) -> dict[str, str]:
    seats = game.seat_counts[0]
    suited = [f"house:{name}" for name, bot in HOUSE.items() if bot.plays(game.slug, seats)]
    opponents = [suited[i % len(suited)] if suited else "." for i in range(seats - 1)]
    play = f"esr play {game.slug} {' '.join(['.', *opponents])} --games 20"
    comments = {
        kit.build: "build the bot",
        kit.test: "run the tests",
        "esr check .": "play one game in every format of bot.toml",
        play: "",
        f"esr rules {game.slug}": "read the rules",
    }
    commands = [f"{command:40} # {comment}" if comment else command for command, comment in comments.items() if command]
    debugger = " --pdb" if kit.name == "python" else ""
    return {
        "name": name,
        "title": game.name,
        "seats": either(game.seat_counts),
        "works": f"Build it with `make`, which needs {kit.needs}." if kit.needs else "It works without changes.",
        "strategy": kit.strategy,
        "files": "\n".join(f"| `{file}` | {about} |" for file, about in kit.about),
        "commands": "\n".join(commands),
        "debugger": debugger,
        "opponents": listing([f"`{opponent}`" for opponent in opponents if opponent != "."]) or "itself",
        "measure": play.replace("--games 20", "--games 200 --rotate --parallel"),
        "game": game.slug,
        "test": kit.test,
        "print": _PRINT[kit.language],
        "can_use": _CAN_USE[kit.language],
    }


_PRINT: Final = {
    "python": "`print(…, file=sys.stderr)`",
    "javascript": "`console.error`",
    "java": "`System.err`",
    "executable": "stderr",
}

_CAN_USE: Final = {
    "python": (
        "Bots can use the Python standard library, the package `games`, and NumPy if the site offers it.\n"
        "They cannot write files."
    ),
    "javascript": "Bots can only use the modules of Node.js and cannot write files.",
    "java": "Bots can only use the Java class library and cannot write files.",
    "executable": "Bots cannot write files. The program is linked statically, so it needs no libraries on the site.",
}


def _manifest(name: str, game: Game, kit: Kit) -> str:
    return f"""\
# The name of the bot, its start command and the formats that it supports. `esr check` plays every format.
name = {json.dumps(name, ensure_ascii=False)}
language = "{kit.language}"
command = ["{kit.entry}"]

[games]
{game.slug} = {list(game.seat_counts)}
"""


def _json_lines(document: dict[str, Any]) -> str:
    """Format a document as readable JSON, with one line per key of a message."""
    hello, questions = document["hello"], document["questions"]
    shown = ",\n".join(_message(question) for question in questions)
    return f'{{"hello": {_message(hello)},\n"questions": [\n{shown}\n]}}\n'


def _message(message: Document) -> str:
    keys = ",\n  ".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in message.items())
    return f"{{\n  {keys}\n}}"


# --- Archives --------------------------------------------------------------------------------------------------------

NAME: Final = "my-bot"
"""The default bot name and the folder name in the archive."""


@cache
def starting_kit(game: str, language: str = "python") -> bytes:
    """Return the zip archive for a game slug and a kit; the bytes are always the same.

    Unless it must be built first, it can be uploaded unchanged and passes validation. Raises ``KeyError`` for unknown
    names.
    """
    return zip_of({f"{NAME}/{path}": text for path, text in bot_files(NAME, GAMES[game], language).items()})
