"""The hash chain of a ledger. It needs no database.

The hash of an entry is the SHA-256 of the canonical JSON (sorted keys, no spaces, UTF-8) of ``ladder`` (its slug),
``number``, ``kind``, ``document`` and ``previous``, the hash of the previous entry. So a single stored hash proves that
no earlier entry has changed since.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from bots.tournaments.ledger import canonical

GENESIS = "0" * 64
"""The previous hash of the first entry."""


def chained(ladder: str, number: int, kind: str, document: Any, previous: str) -> str:
    """Return the hash of an entry, 64 hex digits."""
    entry = {"ladder": ladder, "number": number, "kind": kind, "document": document, "previous": previous}
    return sha256(canonical(entry)).hexdigest()


def line(ladder: str, number: int, kind: str, document: Any, previous: str, hashed: str) -> bytes:
    """Return an entry as a line of the ledger file: the hashed keys, and the hash."""
    entry = {"ladder": ladder, "number": number, "kind": kind, "document": document, "previous": previous}
    return canonical(entry | {"hash": hashed}) + b"\n"
