"""How many watch running games, as the processes that serve them say in Redis (``esr_platform.api.live.viewers``)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from django.utils.translation import ngettext
from redis import Redis, RedisError

from ladder.pages.words import grouped

logger = logging.getLogger(__name__)

COUNTS_S: Final = 10
"""What a process has said counts for so long."""

_TIMEOUT_S: Final = 0.5


def watching(matches: Sequence[int]) -> dict[int, int]:
    """How many watch each of these games; nothing of any where Redis does not answer. One question for all."""
    if not matches:
        return {}
    try:
        (now, _), *found = _ask(matches)
    except (RedisError, OSError) as error:
        logger.warning("nobody knows how many watch: %s", error)
        return {}
    return {match: _sum(said, int(now)) for match, said in zip(matches, found, strict=True)}


def watching_said(matches: Sequence[int]) -> dict[int, str]:
    """The same in words: ``14 watching``; nothing of games that nobody watches."""
    counts = watching(matches)
    return {match: said(count) for match, count in counts.items() if count}


def said(count: int) -> str:
    """``14 watching``."""
    return ngettext("%(number)s watching", "%(number)s watching", count) % {"number": grouped(count)}


def _ask(matches: Sequence[int]) -> list[Any]:
    with _redis(settings.REDIS_URL).pipeline(transaction=False) as asking:
        asking.time()
        for match in matches:
            asking.hvals(f"viewers:{match}")
        return list(asking.execute())


def _sum(said: Iterable[bytes], now: int) -> int:
    """Of values ``count:time``, those that count still."""
    rows = [value.decode().partition(":") for value in said]
    return sum(int(count) for count, _, at in rows if now - int(at) < COUNTS_S)


@lru_cache(maxsize=1)
def _redis(url: str) -> Redis:
    return Redis.from_url(url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S)
