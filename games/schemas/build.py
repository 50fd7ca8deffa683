"""Writes the schema files into the games' folders: ``python -m games.schemas.build``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from games.base import Game
from games.describing.documents import DIALECT, MEANINGS, REASONS, common, documents
from games.describing.shapes import Schema, Shapes
from games.registry import GAMES
from games.schemas import file_name


def names_in(shape: Any) -> Iterator[str]:
    """The names of all definitions that ``shape`` refers to directly."""
    if isinstance(shape, dict):
        if "$ref" in shape:
            yield shape["$ref"].removeprefix("#/$defs/")
        for inner in shape.values():
            yield from names_in(inner)
    elif isinstance(shape, list):
        for inner in shape:
            yield from names_in(inner)


def needed(shape: Schema, defs: Shapes) -> Shapes:
    """Those of ``defs`` that ``shape`` needs, in the order of ``defs``; a stranger gets nothing idle."""
    found: set[str] = set()
    waiting = list(names_in(shape))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(names_in(defs[name]))
    return {name: part for name, part in defs.items() if name in found}


def build(game: Game) -> dict[str, str]:
    """The text of every schema file of ``game``, by file name."""
    brought = game.shapes()
    defs = {**common(brought), **REASONS, **brought.defs}
    built: dict[str, str] = {}
    for document, shape in documents(brought).items():
        head = {"$schema": DIALECT, "title": f"{game.slug}: {document}", "description": MEANINGS[document]}
        parts = needed(shape, defs)
        whole = {**head, **shape, **({"$defs": parts} if parts else {})}
        built[file_name(game.slug, document)] = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
    return built


def main() -> None:
    """Write all files; run it where the folders of the games can be written to."""
    for game in GAMES.values():
        folder = Path(str(game.folder)) / "schemas"
        for name, text in build(game).items():
            (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
