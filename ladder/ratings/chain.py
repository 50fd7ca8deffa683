"""How the entries of a ledger are chained by hashes. No database.

The hash of an entry is the SHA-256 of the canonical JSON (keys sorted, no spaces, UTF-8) of ``ladder`` (its slug),
``number``, ``kind``, ``document`` and ``previous``, the hash before it. So whoever has kept one hash can prove that
nothing before it was changed since.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import orjson

GENESIS = "0" * 64
"""What the first entry has for the hash before it."""


def canonical(document: Any) -> bytes:
    """The one form of a JSON document that is hashed."""
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def chained(ladder: str, number: int, kind: str, document: Any, previous: str) -> str:
    """The hash of an entry, 64 hex digits."""
    entry = {"ladder": ladder, "number": number, "kind": kind, "document": document, "previous": previous}
    return sha256(canonical(entry)).hexdigest()


def line(ladder: str, number: int, kind: str, document: Any, previous: str, hashed: str) -> bytes:
    """An entry as a line of the ledger's file: what is hashed, and the hash."""
    entry = {"ladder": ladder, "number": number, "kind": kind, "document": document, "previous": previous}
    return canonical(entry | {"hash": hashed}) + b"\n"
