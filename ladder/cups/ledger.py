"""The stored ledger of a cup: appending, reading and export. ``bots.tournaments.ledger`` defines the documents."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from typing import Final

import orjson
from django.db.models import Max

from bots.tournaments.ledger import FORMAT, SALT_BYTES, START, chained, reason_hash
from esr_platform.accounts.models import User
from games.rules import Document
from ladder.models import Cup, CupEntry, CupLedgerEntry

Kind = CupLedgerEntry.Kind


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


SIGNED: Final = ("author", "reason_hash")
"""What :func:`append` adds to a document."""


def entrant_list(cup: Cup, entries: Iterable[CupEntry]) -> Document:
    """The document of a frozen entrant list, from its entries by number. Owners are numbers, since names change."""
    entrants = list[Document]()
    for entry in entries:
        assert entry.version is not None, "an entry of the list has its version"
        version = entry.version
        entrants.append(
            {"bot": entry.bot_id, "version": version.number, "digest": version.digest, "owner": entry.owner_number}
        )
    settings = ("format", "blocks", "rounds", "at_a_table", "key_hash", *(["design"] if cup.design else []))
    document = {name: getattr(cup, name) for name in settings}
    return {**document, "cup": cup.pk, "game": cup.ladder.game, "seats": cup.ladder.seats, "entrants": entrants}


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
    entries = CupLedgerEntry.objects.filter(cup=cup).order_by("number")
    last, number = entries.aggregate(last=Max("number"))["last"] or 0, 0
    while number < last:
        rows = list(entries.filter(number__gt=number, number__lte=last).values(*COLUMNS)[:ENTRIES_AT_ONCE])
        yield separator + b",".join(map(orjson.dumps, rows))
        separator, number = b",", rows[-1]["number"]
    yield b"]}\n"
