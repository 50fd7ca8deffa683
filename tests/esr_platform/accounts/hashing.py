"""A password hasher for tests: fast, and it counts."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.hashers import MD5PasswordHasher


class CountingHasher(MD5PasswordHasher):
    """Counts the passwords that it hashes. A real hasher is slow on purpose: time is what an attacker counts."""

    hashed = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.hashed += 1
        return super().encode(password, salt)


def hashed_by(call: Callable[[], object]) -> int:
    """How many passwords ``call`` hashes."""
    before = CountingHasher.hashed
    call()
    return CountingHasher.hashed - before
