"""What makes a cup verifiable: its ledger, and everything that follows from its key.

Deals, lots and the draw of a round robin are HMAC-SHA256 (RFC 2104) values of the cup's key. The message contains the
SHA-256 of the frozen entrant list, so that someone who knows the key cannot choose entrants to suit the deals.
``docs/reference/cup-ledger.md`` specifies all of it.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

import orjson
from django.db.models import Max

from esr_platform.accounts.models import User
from games.rules import Document
from ladder.models import Cup, CupLedgerEntry
from ladder.ratings.chain import GENESIS, canonical

Kind = CupLedgerEntry.Kind

COURSE: Final = (Kind.ENTRANTS, Kind.ROUND, Kind.RESULTS, Kind.RULING)
"""The entries that pairings and standings follow from, together with the entrants who have left."""

START: Final = GENESIS
"""The hash before the first entry."""
SALT_BYTES: Final = 16


def entrants_hash(entrants: Sequence[Document]) -> str:
    """The SHA-256 of the frozen entrant list in canonical JSON, in hex."""
    return sha256(canonical(list(entrants))).hexdigest()


def derived(key: bytes, entrants: str, purpose: str, *numbers: int) -> bytes:
    """32 bytes: HMAC-SHA256 of ``ENTRANTS/PURPOSE/NUMBER`` with the key of the cup; several numbers have slashes.

    ``entrants`` is the hash of the entrant list. The purposes are ``deal``, ``lot`` and ``place``.
    """
    return hmac.digest(key, "/".join([entrants, purpose, *map(str, numbers)]).encode("ascii"), "sha256")


def seed_of(key: bytes, entrants: str, round_: int, table: int, block: int) -> bytes:
    """The seed of a deal. Rounds, tables and the blocks of a table are counted from 1."""
    return derived(key, entrants, "deal", round_, table, block)


def permutation(key: bytes, entrants: str, purpose: str, count: int) -> tuple[int, ...]:
    """The numbers below ``count`` in the order of their :func:`derived` bytes.

    ``lot`` decides the last ties of the standings, ``place`` the places of the entrants in a round robin.
    """
    return tuple(sorted(range(count), key=lambda number: derived(key, entrants, purpose, number)))


# --- The ledger ------------------------------------------------------------------------------------------------------


def chained(previous: str, cup: int, number: int, kind: str, document: Any) -> str:
    """The hash of an entry: SHA-256 of the canonical JSON of its fields and the hash of the previous entry."""
    entry = {"cup": cup, "number": number, "kind": kind, "document": document, "previous": previous}
    return sha256(canonical(entry)).hexdigest()


def reason_hash(reason: str, salt: str) -> str:
    """The SHA-256 of the 16 bytes of ``salt``, which is in hex, and of ``reason``. Raises ``ValueError``."""
    if len(raw := bytes.fromhex(salt)) != SALT_BYTES:
        raise ValueError(f"a salt has {len(raw)} bytes instead of {SALT_BYTES}")
    return sha256(raw + reason.encode()).hexdigest()


def append(
    cup: Cup, kind: CupLedgerEntry.Kind, document: Document, author: User | None = None, reason: str = ""
) -> CupLedgerEntry:
    """Append an entry. Call it in a transaction that holds the row of the cup.

    The id of ``author`` and the hash of ``reason`` join the document. The text does not, so that moderators can remove
    it.
    """
    salt = secrets.token_hex(SALT_BYTES) if reason else None
    signed = {"author": author and author.pk, "reason_hash": salt and reason_hash(reason, salt)}
    document = {**document, **signed}
    last = CupLedgerEntry.objects.filter(cup=cup).order_by("-number").first()
    number, previous = (last.number + 1, last.hash) if last else (1, START)
    return CupLedgerEntry.objects.create(
        cup=cup,
        number=number,
        kind=kind,
        document=document,
        hash=chained(previous, cup.pk, number, kind, document),
        reason=reason or None,
        salt=salt,
        author=author,
    )


def course(cup: Cup) -> list[tuple[str, Document]]:
    """The kinds and documents of the ``COURSE`` entries of ``cup``, oldest first. One query."""
    entries = CupLedgerEntry.objects.filter(cup=cup, kind__in=COURSE).order_by("number")
    return list(entries.values_list("kind", "document"))


def entrant_list(entries: Iterable[tuple[str, Document]]) -> Document | None:
    """The document of the frozen entrant list among kinds and documents; ``None`` before the deadline."""
    return next((document for kind, document in entries if kind == Kind.ENTRANTS), None)


FORMAT: Final = "cup-ledger/2"
COLUMNS: Final = ("number", "kind", "document", "hash", "reason", "salt", "created")
ENTRIES_AT_ONCE: Final = 20
"""Number of entries that are read at once; the results of a large round are long."""


def ledger_pieces(cup: Cup) -> Iterator[bytes]:
    """Yield the ledger of ``cup`` as a JSON document in pieces, with the key once it is public.

    Makes one query per piece. ``docs/reference/cup-ledger.md`` describes the document.
    """
    head = {
        "format": FORMAT,
        "cup": cup.pk,
        "slug": cup.slug,
        "key_hash": cup.key_hash,
        "entrants_hash": cup.entrants_hash,
        "key": cup.public_key,
    }
    yield orjson.dumps(head)[:-1] + b',"entries":['
    separator = b""
    for rows in batches(cup):
        yield separator + b",".join(map(orjson.dumps, rows))
        separator = b","
    yield b"]}\n"


def batches(cup: Cup, kinds: Sequence[CupLedgerEntry.Kind] = tuple(Kind)) -> Iterator[list[dict[str, Any]]]:
    """Yield the entries of now in batches, oldest first, with ``COLUMNS``. One query each."""
    entries = CupLedgerEntry.objects.filter(cup=cup, kind__in=kinds).order_by("number")
    last, number = entries.aggregate(last=Max("number"))["last"] or 0, 0
    while number < last:
        part = entries.filter(number__gt=number, number__lte=last)
        rows = [dict(row) for row in part.values(*COLUMNS)[:ENTRIES_AT_ONCE]]
        if not rows:
            return
        yield rows
        number = rows[-1]["number"]
