"""Where deals come from: a season's secret key and a number, so that no deal is chosen, not even by the house."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Final

KEY_BYTES: Final = 32


def seed_of(key: bytes, name: str, season: int, number: int) -> bytes:
    """The 32 bytes of deal ``number`` of a series: HMAC-SHA256 (RFC 2104) of ``name/season/number`` in ASCII.

    Raises ``UnicodeEncodeError`` for a name that is not ASCII.
    """
    return hmac.digest(key, f"{name}/{season}/{number}".encode("ascii"), "sha256")


def key_hash(key: bytes) -> str:
    """The SHA-256 of a key, 64 hex digits: published when the season opens."""
    return sha256(key).hexdigest()
