"""Chance from the seed (`record.md`, "Chance from the seed")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TypeVar

Item = TypeVar("Item")


def words(seed: bytes, name: str, occurrence: int) -> Iterator[int]:
    """The 8-byte big-endian words of the SHA-256 blocks of one chance step."""
    block = 0
    while True:
        digest = hashlib.sha256(seed + f"{name}/{occurrence}/{block}".encode("ascii")).digest()
        for start in range(0, 32, 8):
            yield int.from_bytes(digest[start : start + 8], "big")
        block += 1


def below(stream: Iterator[int], n: int) -> int:
    """A number from 0 to n - 1, every one equally likely."""
    limit = (2**64 // n) * n
    while True:
        word = next(stream)
        if word < limit:
            return word % n


def shuffled(stream: Iterator[int], items: list[Item]) -> list[Item]:
    """A shuffled copy of `items`."""
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = below(stream, i + 1)
        result[i], result[j] = result[j], result[i]
    return result
