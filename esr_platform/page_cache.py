"""The caches in Redis. Pages work without their cache: they compute the data again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from math import ceil
from typing import Any, Final, TypeVar

import orjson
import structlog
from django.core.cache import caches
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

# --- Django's cache in Redis -----------------------------------------------------------------------------------------

_BYTES: Final = b"\0"
_STRICT: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_INCREASE: Final = "return redis.call('EXISTS', KEYS[1]) == 1 and redis.call('INCRBY', KEYS[1], ARGV[1])"


class Serializer:
    """Serializes cached values as JSON. A pickle would run code of anyone who can write to Redis.

    Bytes are stored unchanged after a zero byte, and integers as Redis numbers. Tuples are returned as lists. Other
    types raise ``TypeError``: convert them before you cache them.
    """

    def dumps(self, value: Any) -> bytes | int:
        if type(value) is int:
            return value
        return _BYTES + value if isinstance(value, bytes) else orjson.dumps(value, option=_STRICT)

    def loads(self, kept: bytes) -> Any:
        """Return the value. Raises ``ValueError`` for data that :meth:`dumps` did not write."""
        if kept.startswith(_BYTES):
            return kept[len(_BYTES) :]
        return orjson.loads(kept)


class _Client(RedisCacheClient):
    """A client for one server that increments with one command; Django first checks whether the key exists."""

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:  # noqa: ARG002 - as in Django
        return self._shared

    @cached_property
    def _shared(self) -> Any:
        """The client for all commands. Django makes one per command, which takes as long as the command."""
        return super().get_client(write=True)

    def incr(self, key: Any, delta: int) -> Any:
        value = self.get_client(key, write=True).eval(_INCREASE, 1, key, delta)
        if value is None:
            raise ValueError(f"Key '{key}' not found.")
        return value

    def add_for(self, key: Any, value: Any, milliseconds: int) -> bool:
        kept = self.get_client(key, write=True).set(key, Serializer().dumps(value), px=milliseconds, nx=True)
        return bool(kept)


class SharedRedisCache(RedisCache):
    """A ``RedisCache`` of JSON values with shared clients. Django's cache would reconnect for each request."""

    _servers: Sequence[str]
    _options: dict[str, Any]

    def add(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Add a value. Unlike in Django, ``timeout`` can be a fraction of a second."""
        if not isinstance(timeout, float) or timeout <= 0:
            return bool(super().add(key, value, timeout, version))
        return self._cache.add_for(self.make_and_validate_key(key, version), value, ceil(1000 * timeout))

    @cached_property
    def _cache(self) -> _Client:
        return _client(tuple(self._servers), tuple(sorted(self._options.items())))


@lru_cache(maxsize=8)
def _client(servers: tuple[str, ...], options: tuple[tuple[str, Any], ...]) -> _Client:
    return _Client(list(servers), serializer=Serializer(), **dict(options))  # type: ignore[arg-type]  # Redis stores integers itself


# --- Pages -----------------------------------------------------------------------------------------------------------

log = structlog.get_logger(__name__)


class PageCache(SharedRedisCache):
    """A cache for data that can be computed again. If Redis is unavailable or a value is invalid, it is a miss.

    Do not store limits here. Store dataclasses under ``ladder.pages.components.responses.cache_key``, which changes
    with their fields.
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
        """Raise ``NotImplementedError``, because the same Redis database contains the queues of the broker."""
        raise NotImplementedError("the page cache cannot be cleared: its Redis database also contains the task queues")


T = TypeVar("T")


def cached(key: str, seconds: float, compute: Callable[[], T]) -> T:
    """Return the value of ``key`` in the page cache, or else compute and store it. ``None`` is not stored."""
    value: T | None = caches["pages"].get(key)
    if value is None:
        value = compute()
        caches["pages"].set(key, value, seconds)
    return value
