"""What makes a cup verifiable: its ledger, and everything that follows from its key.

Deals, pairings and lots are HMAC-SHA256 (RFC 2104) values of the cup's key. The message contains the SHA-256 of the
frozen entrant list, so that someone who knows the key cannot choose entrants to suit the deals.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any, Final

from esr_platform.accounts.models import User
from games.rules import Document
from ladder.models import Cup, CupLedgerEntry

Kind = CupLedgerEntry.Kind

START: Final = "0" * 64
"""The hash before the first entry."""


def canonical(document: Any) -> bytes:
    """A JSON value in one form: keys sorted, no spaces, ASCII."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def entrants_hash(entrants: Sequence[Document]) -> str:
    """The SHA-256 of the frozen entrant list in canonical JSON, in hex."""
    return sha256(canonical(list(entrants))).hexdigest()


def derived(key: bytes, entrants: str, purpose: str, number: int) -> bytes:
    """32 bytes: HMAC-SHA256 of ``ENTRANTS/PURPOSE/NUMBER`` with the key of the cup.

    ``entrants`` is the hash of the entrant list. The purposes are ``deal``, ``round`` and ``lots``.
    """
    return hmac.digest(key, f"{entrants}/{purpose}/{number}".encode("ascii"), "sha256")


def random_of(key: bytes, entrants: str, purpose: str, number: int) -> Random:
    """A generator with :func:`derived` bytes as its seed (a big-endian integer)."""
    return Random(int.from_bytes(derived(key, entrants, purpose, number), "big"))


def lots(key: bytes, entrants: str, count: int) -> tuple[int, ...]:
    """The permutation of ``count`` entrants that decides the last ties."""
    return tuple(random_of(key, entrants, "lots", 0).sample(range(count), count))


# --- The ledger ------------------------------------------------------------------------------------------------------


def chained(previous: str, kind: str, number: int, document: Mapping[str, Any]) -> str:
    """The hash of an entry: SHA-256 of the hash before, and of kind, number and document in canonical JSON."""
    return sha256(previous.encode("ascii") + canonical([kind, number, document])).hexdigest()


def append(cup: Cup, kind: CupLedgerEntry.Kind, document: Document, author: User | None = None) -> CupLedgerEntry:
    """Append an entry. Call it in a transaction that holds the row of the cup."""
    last = CupLedgerEntry.objects.filter(cup=cup).order_by("-number").first()
    number, previous = (last.number + 1, last.hash) if last else (1, START)
    return CupLedgerEntry.objects.create(
        cup=cup,
        number=number,
        kind=kind,
        document=document,
        hash=chained(previous, kind, number, document),
        author=author,
    )
