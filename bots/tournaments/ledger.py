"""The ledger of a cup as documents: its hash chain, and the plan and the rounds that it contains.

``docs/reference/cup-ledger.md`` specifies the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import orjson

from bots.tournaments.formats import Plan
from bots.tournaments.rounds import Entrants, PlayedRound, Points, Round
from games import strict
from games.rules import Document

FORMAT: Final = "cup-ledger/2"

START: Final = "0" * 64
"""The hash before the first entry."""

SALT_BYTES: Final = 16

MAX_LEDGER_BYTES: Final = 16 * 2**20
"""Longer files are not ledgers. The ledger of a cup with 20,000 games has less than half of it."""

_HEX: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Entry:
    """An entry of a ledger. The reason and its salt are ``None`` without a reason, and if a moderator removed it."""

    number: int
    kind: str
    document: Document
    hash: str
    reason: str | None
    salt: str | None


@dataclass(frozen=True)
class Ledger:
    """The ledger of a cup. ``key`` is ``None`` while it is secret, ``entrants_hash`` empty before the deadline."""

    cup: int
    key_hash: str
    entrants_hash: str
    key: bytes | None
    entries: tuple[Entry, ...]

    @property
    def entrants(self) -> Document | None:
        """The document of the frozen entrant list; ``None`` before the deadline."""
        return next((entry.document for entry in self.entries if entry.kind == "entrants"), None)


_LEDGER: Final = {
    "cup": int,
    "key_hash": str,
    "entrants_hash": str,
    "key": (str, None),
    "entries": [
        {"number": int, "kind": str, "document": dict, "hash": str, "reason": (str, None), "salt": (str, None)}
    ],
}


def read_ledger(text: bytes) -> Ledger:
    """Parse a ledger. Raises ``ValueError`` for other files, and for a file of more than ``MAX_LEDGER_BYTES``."""
    if len(text) > MAX_LEDGER_BYTES:
        raise ValueError(f"it is longer than {MAX_LEDGER_BYTES // 2**20} MiB")
    document = strict.parse(text)
    if type(document) is not dict or document.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    if not fits(document, _LEDGER) or not _HEX.fullmatch(document["key"] or START):
        raise ValueError(f"it does not have the keys and types of {FORMAT}")
    entries = (Entry(*(entry[name] for name in Entry.__match_args__)) for entry in document["entries"])
    key = None if document["key"] is None else bytes.fromhex(document["key"])
    return Ledger(document["cup"], document["key_hash"], document["entrants_hash"], key, tuple(entries))


def fits(value: Any, shape: Any) -> bool:
    """Whether a JSON value has a shape: a type, ``None``, a tuple of possible shapes, a list with the shape of its
    items, or a dict with the shapes of required keys.
    """
    if isinstance(shape, dict):
        return type(value) is dict and all(key in value and fits(value[key], inner) for key, inner in shape.items())
    if isinstance(shape, list):
        return type(value) is list and all(fits(item, shape[0]) for item in value)
    if isinstance(shape, tuple):
        return any(fits(value, option) for option in shape)
    return value is None if shape is None else type(value) is shape


# --- Hashes ----------------------------------------------------------------------------------------------------------


def canonical(document: Any) -> bytes:
    """Return a JSON document in the form that is hashed: UTF-8, sorted keys, no spaces.

    Raises ``TypeError`` for values that the form does not have, for example integers of more than 64 bits.
    """
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def entrants_hash(entrants: Sequence[Document]) -> str:
    """The SHA-256 of the frozen entrant list in canonical JSON, in hex."""
    return sha256(canonical(list(entrants))).hexdigest()


def chained(previous: str, cup: int, number: int, kind: str, document: Any) -> str:
    """The hash of an entry: SHA-256 of the canonical JSON of its fields and the hash of the previous entry."""
    entry = {"cup": cup, "number": number, "kind": kind, "document": document, "previous": previous}
    return sha256(canonical(entry)).hexdigest()


def reason_hash(reason: str, salt: str) -> str:
    """The SHA-256 of the 16 bytes of ``salt``, which is in hex, and of ``reason``. Raises ``ValueError``."""
    if len(raw := bytes.fromhex(salt)) != SALT_BYTES:
        raise ValueError(f"a salt has {len(raw)} bytes instead of {SALT_BYTES}")
    return sha256(raw + reason.encode()).hexdigest()


# --- Plan and rounds -------------------------------------------------------------------------------------------------


def plan_from(document: Document, key: bytes) -> Plan:
    """The plan in the document of the frozen entrant list."""
    entrants = Entrants(tuple(entrant["owner"] for entrant in document["entrants"]), document["at_a_table"])
    hash_ = entrants_hash(document["entrants"])
    tables = tuple(map(tuple, document.get("design", ())))
    return Plan(document["format"], document["seats"], entrants, key, hash_, document["rounds"], tables)


def round_of(document: Document) -> Round:
    """The pairings in the document of a round."""
    return Round(tuple(map(tuple, document["tables"])), tuple(document["byes"]))


def played_from(entries: Iterable[tuple[str, Document]]) -> list[PlayedRound]:
    """The rounds in kinds and documents. A ruling after the results of a round replaces the result of its table."""
    rounds: dict[int, Round] = {}
    results: dict[int, list[Points | None]] = {}
    for kind, document in entries:
        number = document.get("round", 0)
        if kind == "round":
            rounds[number] = round_of(document)
        elif kind == "results":
            results[number] = [None if points is None else tuple(points) for points in document["points"]]
        elif kind == "ruling" and number in results:
            results[number][document["table"]] = None if document["points"] is None else tuple(document["points"])
    return [PlayedRound(rounds[number], tuple(results[number])) for number in sorted(results)]
