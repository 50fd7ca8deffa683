"""Folders of bots that do one thing wrong, or nothing, and what a typed command says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HONEST = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        move = message["decision"]["default"]
        CHANGE
        print(json.dumps({"id": message["id"], "move": move}), flush=True)
"""
DUEL = "[games]\nedel-stein-reich-duel = [2]\n"


def bot(where: Path, change: str = "pass", manifest: str = DUEL, name: str = "mine") -> Path:
    """A bot that plays defaults, with one line of code before each answer."""
    folder = where / name
    folder.mkdir()
    (folder / "bot.py").write_text(HONEST.replace("CHANGE", change), encoding="utf-8")
    (folder / "bot.toml").write_text(manifest, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Said:
    """The exit status of a command, and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Its answer to a machine: one line, nothing else."""
        (line,) = self.out.splitlines()
        document: dict[str, Any] = json.loads(line)
        return document


Esr = Callable[..., Said]
