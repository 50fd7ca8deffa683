"""The one subscription of a process to what is told of tables."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson
import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from ladder.live.notify import CHANNEL

log = structlog.get_logger(__name__)

_PAUSE_S: Final = 0.5
_PING_S: Final = 10.0


async def listen(hear: Callable[[Mapping[str, Any]], None], missed: Callable[[], None]) -> None:
    """Call ``hear`` with every hint, and ``missed`` each time that some may have been lost. It never ends."""
    while True:
        try:
            await _listen(hear, missed)
        except (RedisError, OSError) as error:
            log.warning("hints_missed", error=repr(error))
        except Exception:  # the border of the task: everybody who waits here depends on it
            log.exception("hints_missed")
        await asyncio.sleep(_PAUSE_S)


async def _listen(hear: Callable[[Mapping[str, Any]], None], missed: Callable[[], None]) -> None:
    async with Redis.from_url(settings.REDIS_URL, health_check_interval=_PING_S) as client, client.pubsub() as channel:
        await channel.subscribe(CHANNEL)
        missed()
        while True:
            message = await channel.get_message(ignore_subscribe_messages=True, timeout=_PING_S)
            if message is not None:
                _pass_on(message["data"], hear)


def _pass_on(data: bytes, hear: Callable[[Mapping[str, Any]], None]) -> None:
    """What is no hint is nobody's; it must not end the listening."""
    try:
        hint = orjson.loads(data)
    except orjson.JSONDecodeError:
        hint = None
    if isinstance(hint, dict):
        hear(hint)
    else:
        log.warning("no_hint", data=repr(data[:200]))
