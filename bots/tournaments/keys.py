"""What follows from the secret key of a season or a cup: its published hash, the seeds of its deals, and draws.

Every value is an HMAC-SHA256 (RFC 2104) with the key. The message of a cup contains the SHA-256 of the frozen entrant
list, so that someone who knows the key cannot choose entrants to suit the deals. ``docs/reference/cup-ledger.md`` and
``docs/concepts/fairness-and-seeds.md`` specify all of it.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Final

KEY_BYTES: Final = 32


def key_hash(key: bytes) -> str:
    """The SHA-256 of a key, 64 hex digits. It is public before the first deal."""
    return sha256(key).hexdigest()


def season_seed(key: bytes, name: str, season: int, number: int) -> bytes:
    """The 32 bytes of deal ``number`` of a series: HMAC-SHA256 of ``name/season/number`` in ASCII.

    Raises ``UnicodeEncodeError`` for a name that is not ASCII.
    """
    return hmac.digest(key, f"{name}/{season}/{number}".encode("ascii"), "sha256")


def derived(key: bytes, entrants: str, purpose: str, *numbers: int) -> bytes:
    """32 bytes: HMAC-SHA256 of ``ENTRANTS/PURPOSE/NUMBER`` with the key of the cup; several numbers have slashes.

    ``entrants`` is the hash of the entrant list. The purposes are ``deal``, ``lot`` and ``place``.
    """
    return hmac.digest(key, "/".join([entrants, purpose, *map(str, numbers)]).encode("ascii"), "sha256")


def cup_seed(key: bytes, entrants: str, round_: int, table: int, block: int) -> bytes:
    """The seed of a deal of a cup. Rounds, tables and the blocks of a table are counted from 1."""
    return derived(key, entrants, "deal", round_, table, block)


def permutation(key: bytes, entrants: str, purpose: str, count: int) -> tuple[int, ...]:
    """The numbers below ``count`` in the order of their :func:`derived` bytes.

    ``lot`` decides the last ties of the standings, ``place`` the places of the entrants in a round robin.
    """
    return tuple(sorted(range(count), key=lambda number: derived(key, entrants, purpose, number)))
