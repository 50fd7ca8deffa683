"""Folders of bots that do one thing wrong, or nothing."""

from __future__ import annotations

from pathlib import Path

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
