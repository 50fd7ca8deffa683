"""JSON Schema (2020-12) of every document a game produces or reads, one file a document and game.

The files lie in the games' folders and stand alone: anybody may take ``edel-stein-reich.view.json`` and
validate with it. They are written by ``python -m games.schemas.build``. What JSON Schema cannot say is said
in ``docs/``: it takes ``1.0`` for an integer, and it does not know whether a move is legal.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from typing import Any, Final

from games.describing.documents import MEANINGS
from games.registry import GAMES

DOCUMENTS: Final[tuple[str, ...]] = tuple(MEANINGS)
"""What has a schema: the three stored documents, what a seat is told, and the messages of the bot protocol."""


def file_name(slug: str, document: str) -> str:
    """What the file of one schema is called; it lies in ``schemas/`` of the game's folder."""
    return f"{slug}.{document}.json"


def schema(slug: str, document: str) -> dict[str, Any]:
    """The schema of ``document`` (one of ``DOCUMENTS``) for the game ``slug``, as a fresh ``dict``.

    Raises ``LookupError`` when there is none.
    """
    return deepcopy(_load(slug, document))


@cache
def _load(slug: str, document: str) -> dict[str, Any]:
    if slug not in GAMES or document not in DOCUMENTS:
        known = f"games are {', '.join(GAMES)}, documents {', '.join(DOCUMENTS)}"
        raise LookupError(f"no schema of {document!r} for {slug!r}; {known}")
    path = GAMES[slug].folder.joinpath("schemas", file_name(slug, document))
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
