"""Keys under which the cache of pages keeps dataclasses, other ones for each release that has other fields."""

from __future__ import annotations

from dataclasses import fields
from hashlib import sha256
from typing import Any


def cache_key(name: str, kind: type[Any]) -> str:
    """The key for instances of the dataclass ``kind``. It contains a hash of their fields and types.

    While a site is updated, old and new processes share the cache. Each finds what its own release has written.
    """
    shape = " ".join(f"{field.name}:{field.type}" for field in fields(kind))
    return f"{name}/{sha256(shape.encode()).hexdigest()[:12]}"
