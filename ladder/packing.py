"""Records as they are stored: a byte that names the form, then the record. Nothing here knows a database."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from hashlib import sha256

from bots.tournaments.ledger import canonical
from games import compact
from games.compact import Unpacked
from games.record import from_json, require_valid, to_json
from games.rules import Document, Forfeit

_DEFLATED_JSON = b"\x01"
_COMPACT = b"\x02"


def pack(record: Document) -> bytes:
    """The stored form: a byte that names the form, then the record as ``games.compact`` has it."""
    return _COMPACT + compact.pack(record)


def unpack(packed: bytes) -> Document:
    """The record of a stored form, of the older one, deflated JSON, too.

    Raises ``ValueError`` for a form that this version does not know, and for bytes that do not give what was stored.
    """
    if packed[:1] == _COMPACT:
        return compact.unpack(packed[1:])
    if packed[:1] == _DEFLATED_JSON:
        try:
            return from_json(zlib.decompress(packed[1:]))
        except zlib.error as error:
            raise ValueError(f"the stored bytes are damaged: {error}") from error
    raise ValueError(f"a record is stored in the form {packed[:1].hex()!r}, which this version cannot read")


def digest(packed: bytes) -> str:
    """The hash of a stored record, as the ledger has it. For bytes that are no record, a sentence about them."""
    try:
        return sha256(canonical(unpack(packed))).hexdigest()
    except ValueError as error:
        return f"not a record: {error}"


def re_executed(packed: bytes, forfeits: Mapping[int, Forfeit]) -> Unpacked:
    """The record that the rules give for the seed and the moves of a stored form, each judged again.

    The compact form is nothing but a seed, choices and forfeits, so reading it is re-executing it; the forfeits of the
    older one are ``forfeits``, by seat. Raises ``ValueError`` where the rules give anything else.
    """
    if packed[:1] == _COMPACT:
        return compact.read(packed[1:])
    record = unpack(packed)
    require_valid(record, forfeits)
    seed, text = bytes.fromhex(record["seed"]), to_json(record).encode()
    return Unpacked(record["game"], record["seats"], seed, record["outcome"], text)
