"""Starter kits: the folder that ``esr new-bot`` creates, and the same files as a zip archive."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from random import Random
from string import Template
from typing import Any, Final

from bots.archives import zip_of
from bots.house.catalogue import HOUSE
from bots.manifest import FILE
from bots.protocol import Limits, bot_seed, hello
from games.game import Game
from games.registry import GAMES
from games.rules import Document, State
from games.words import either

# --- Folders ---------------------------------------------------------------------------------------------------------

EXAMPLE_GAMES: Final = 40
"""Number of games that are searched for example questions; rare kinds do not appear in every game."""

OF_EACH_KIND: Final = 2


def bot_files(name: str, game: Game) -> dict[str, str]:
    """Return the files of a new bot by file name, as ``esr new-bot`` creates them."""
    here = files("bots.cli").joinpath("starter")
    same = {file: here.joinpath(file).read_text(encoding="utf-8") for file in ("bot.py", "test_bot.py", "README.md")}
    return {
        **same,
        "README.md": Template(same["README.md"]).substitute(_words(name, game)),
        "strategy.py": game.presentation.starter,
        "examples.json": _json_lines(examples(game)),
        FILE: _manifest(name, game),
    }


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


def _words(name: str, game: Game) -> dict[str, str]:
    seats = game.seat_counts[0]
    suited = [f"house:{name}" for name, bot in HOUSE.items() if bot.plays(game.slug, seats)]
    opponents = [suited[i % len(suited)] if suited else "." for i in range(seats - 1)]
    counts = either(game.seat_counts)
    return {"name": name, "title": game.name, "game": game.slug, "seats": counts, "table": " ".join([".", *opponents])}


def _manifest(name: str, game: Game) -> str:
    return f"""\
# The name of the bot, its start command and the formats that it supports. `esr check` plays every format.
name = {json.dumps(name, ensure_ascii=False)}
language = "python"
command = ["bot.py"]

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
def starting_kit(game: str) -> bytes:
    """Return the zip archive for a game slug; the bytes are always the same. Raises ``KeyError`` for unknown games.

    The kit can be uploaded unchanged and passes validation.
    """
    return zip_of({f"{NAME}/{path}": text for path, text in bot_files(NAME, GAMES[game]).items()})
