"""The cache of tests: in memory, and as strict about values as the one of the site."""

from __future__ import annotations

from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache

from esr_platform.page_cache import Serializer


class JsonInMemory(LocMemCache):
    """A cache in memory whose values pass through the site's serializer."""

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        kept = super().get(key, None, version)
        return default if kept is None else kept if isinstance(kept, int) else Serializer().loads(kept)

    def add(self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return super().add(key, Serializer().dumps(value), timeout, version)

    def set(self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        super().set(key, Serializer().dumps(value), timeout, version)
