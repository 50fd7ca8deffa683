"""Writes the schema files beside this module: ``python -m games.schemas.build``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from games.schemas.documents import DIALECT, MEANINGS, REASONS, GameShapes, common, documents
from games.schemas.edel_stein_reich import DUEL, EDEL_STEIN_REICH
from games.schemas.shapes import Schema, Shapes

SOURCES = (EDEL_STEIN_REICH, DUEL)
"""The games that have schemas."""


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


def build(game: GameShapes) -> dict[str, Schema]:
    """The schemas of one game by file name."""
    defs = {**common(game), **REASONS, **game.defs}
    built: dict[str, Schema] = {}
    for document, shape in documents(game).items():
        head = {"$schema": DIALECT, "title": f"{game.slug}: {document}", "description": MEANINGS[document]}
        parts = needed(shape, defs)
        built[f"{game.slug}.{document}.json"] = {**head, **shape, **({"$defs": parts} if parts else {})}
    return built


def build_all() -> dict[str, str]:
    """The text of every schema file by file name."""
    return {
        name: json.dumps(shape, indent=1, ensure_ascii=False) + "\n"
        for game in SOURCES
        for name, shape in build(game).items()
    }


def main() -> None:
    """Write all files."""
    here = Path(__file__).parent
    for name, text in build_all().items():
        (here / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
