"""What pages keep for a while in Redis: without it they compute again, and nobody sees an error."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import ceil
from typing import Any, Final

import orjson
import structlog
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

# --- Django's cache in Redis -----------------------------------------------------------------------------------------

_BYTES: Final = b"\0"
_STRICT: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_INCREASE: Final = "return redis.call('EXISTS', KEYS[1]) == 1 and redis.call('INCRBY', KEYS[1], ARGV[1])"


class Serializer:
    """Values of the cache as JSON, never as pickles: a pickle would run the code of anyone who can write into Redis.

    Bytes are kept as they are, behind a zero byte, and integers as Redis counts them. A tuple comes back as a list.
    Convert other types before you cache them: they raise ``TypeError``.
    """

    def dumps(self, value: Any) -> bytes | int:
        if type(value) is int:
            return value
        return _BYTES + value if isinstance(value, bytes) else orjson.dumps(value, option=_STRICT)

    def loads(self, kept: bytes) -> Any:
        """Raise ``ValueError`` for anything else than :meth:`dumps` has written."""
        if kept.startswith(_BYTES):
            return kept[len(_BYTES) :]
        return orjson.loads(kept)


class _Client(RedisCacheClient):
    """Counts in one question: Django asks first whether the key is there, and then counts."""

    def incr(self, key: Any, delta: int) -> Any:
        found = self.get_client(key, write=True).eval(_INCREASE, 1, key, delta)
        if found is None:
            raise ValueError(f"Key '{key}' not found.")
        return found

    def add_for(self, key: Any, value: Any, milliseconds: int) -> bool:
        kept = self.get_client(key, write=True).set(key, Serializer().dumps(value), px=milliseconds, nx=True)
        return bool(kept)


class SharedRedisCache(RedisCache):
    """A ``RedisCache`` of JSON values with shared clients: Django makes a cache per request, and each would connect."""

    _servers: Sequence[str]
    _options: dict[str, Any]

    def add(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """As Django's, but fractions of a second count: Django keeps nothing at all for less than a second."""
        if not isinstance(timeout, float) or timeout <= 0:
            return bool(super().add(key, value, timeout, version))
        return self._cache.add_for(self.make_and_validate_key(key, version), value, ceil(1000 * timeout))

    @cached_property
    def _cache(self) -> _Client:
        return _client(tuple(self._servers), tuple(sorted(self._options.items())))


@lru_cache(maxsize=8)
def _client(servers: tuple[str, ...], options: tuple[tuple[str, Any], ...]) -> _Client:
    return _Client(list(servers), serializer=Serializer(), **dict(options))  # type: ignore[arg-type]  # integers are Redis' own


# --- Pages -----------------------------------------------------------------------------------------------------------

log = structlog.get_logger(__name__)


class PageCache(SharedRedisCache):
    """A cache that may be away or hold what an older release wrote: both are a miss. Limits must not be kept here.

    Invalid JSON is a miss. Keep dataclasses under ``ladder.pages.components.responses.cache_key``: it changes with
    their fields.
    """

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        try:
            return super().get(key, default, version)
        except (RedisError, OSError, ValueError) as error:
            log.warning("page_cache_missed", error=repr(error))
            return default

    def set(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        try:
            super().set(key, value, timeout, version)
        except (RedisError, OSError) as error:
            log.warning("page_cache_not_written", error=repr(error))

    def clear(self) -> None:
        """Never: the same database holds the broker's queues."""
        raise NotImplementedError("the cache of pages cannot be cleared: Redis keeps more than pages there")
