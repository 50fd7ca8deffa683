"""Django's cache in Redis, with one pool of connections for the whole process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

from django.core.cache.backends.redis import RedisCache, RedisCacheClient

_INCREASE: Final = "return redis.call('EXISTS', KEYS[1]) == 1 and redis.call('INCRBY', KEYS[1], ARGV[1])"


class _Client(RedisCacheClient):
    """Counts in one question: Django asks first whether the key is there, and then counts."""

    def incr(self, key: Any, delta: int) -> Any:
        found = self.get_client(key, write=True).eval(_INCREASE, 1, key, delta)
        if found is None:
            raise ValueError(f"Key '{key}' not found.")
        return found


class SharedRedisCache(RedisCache):
    """A ``RedisCache`` without options. Django makes one for every request, and each would connect to Redis anew."""

    _servers: Sequence[str]

    @cached_property
    def _cache(self) -> RedisCacheClient:
        return _client(tuple(self._servers))


@lru_cache(maxsize=8)
def _client(servers: tuple[str, ...]) -> _Client:
    return _Client(list(servers))
