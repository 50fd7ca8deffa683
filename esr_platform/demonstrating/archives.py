"""A demo bot's version as the zip that its owner would send: a house bot's program with settings, or a starter kit."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Final

from bots.cli.starter_kits import bot_files
from bots.house.catalogue import HERE
from bots.manifest import FILE
from esr_platform.demonstrating.cast import DemoBot
from games.registry import GAMES

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)


def archive(bot: DemoBot, number: int) -> bytes:
    """The zip of version ``number`` (from 1), the same bytes every time. Raises ``IndexError``."""
    args = bot.versions[number - 1]
    files = _of_the_house(bot, args) if bot.house else _starter(bot)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        for name, text in sorted(files.items()):
            zipped.writestr(zipfile.ZipInfo(name, _LONG_AGO), text)
    return buffer.getvalue()


def _of_the_house(bot: DemoBot, args: tuple[str, ...]) -> dict[str, str]:
    sources = {file.name: file.read_text(encoding="utf-8") for file in sorted((HERE / bot.house).glob("*.py"))}
    return {**sources, FILE: _manifest(bot.name, ("bot.py", *args), bot.games)}


def _starter(bot: DemoBot) -> dict[str, str]:
    kit = bot_files(bot.name, GAMES[next(iter(bot.games))])
    return {**kit, FILE: _manifest(bot.name, ("bot.py",), bot.games)}


def _manifest(name: str, command: tuple[str, ...], games: Mapping[str, tuple[int, ...]]) -> str:
    tables = "\n".join(f"{slug} = {list(seats)}" for slug, seats in games.items())
    return (
        f'name = {json.dumps(name)}\nlanguage = "python"\ncommand = {json.dumps(list(command))}\n\n[games]\n{tables}\n'
    )
