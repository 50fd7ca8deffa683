"""JSON Schema (2020-12) of every document a game produces or reads, one file a document and game.

The files stand alone: anybody may take ``edel-stein-reich.view.json`` and validate with it. They are
written by ``python -m games.schemas.build``. What JSON Schema cannot say is said in ``docs/``: it
takes ``1.0`` for an integer, and it does not know whether a move is legal.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import Any, Final

DOCUMENTS: Final[tuple[str, ...]] = (
    "record",
    "match-log",
    "log",
    "view",
    "decision",
    "hello",
    "decide",
    "end",
    "ready",
    "answer",
)
"""What has a schema: the three stored documents, what a seat is told, and the messages of the bot protocol."""


def schema(slug: str, document: str) -> dict[str, Any]:
    """The schema of ``document`` (one of ``DOCUMENTS``) for the game ``slug``, as a fresh ``dict``.

    Raises ``LookupError`` when there is none.
    """
    return deepcopy(_load(slug, document))


@cache
def _load(slug: str, document: str) -> dict[str, Any]:
    path = files(__name__).joinpath(f"{slug}.{document}.json")
    if document not in DOCUMENTS or not path.is_file():
        raise LookupError(f"no schema of {document!r} for {slug!r}; documents are {', '.join(DOCUMENTS)}")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
