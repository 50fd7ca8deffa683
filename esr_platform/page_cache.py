"""What pages keep for a while, in Redis: without it they compute again, and nobody sees an error."""

from __future__ import annotations

from typing import Any

import structlog
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from redis.exceptions import RedisError

from esr_platform.redis_cache import SharedRedisCache

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
