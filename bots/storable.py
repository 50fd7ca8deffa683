"""What bots say, such that every database takes it: a bot must not veto its own result."""

from __future__ import annotations

from typing import Any


def storable(value: Any) -> Any:
    """``value``, made of JSON's kinds, with every NUL and lone surrogate written out: PostgreSQL stores none."""
    if isinstance(value, str):
        return value.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: storable(one) for key, one in value.items()}
    return [storable(one) for one in value] if isinstance(value, list | tuple) else value
