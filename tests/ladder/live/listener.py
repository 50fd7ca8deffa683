"""What a test hears of the hints that the site publishes on Redis."""

from __future__ import annotations

import time
from typing import Any

import orjson
import redis

from ladder.live.notify import CHANNEL


class Listener:
    """A client that has subscribed to the hints."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url)
        self._hints = self._redis.pubsub(ignore_subscribe_messages=True)
        self._hints.subscribe(CHANNEL)
        self._hints.get_message(timeout=180)

    def heard(self) -> list[dict[str, Any]]:
        """All that has come since it was asked last."""
        self._redis.publish(CHANNEL, orjson.dumps({"match": None}))  # marks the end of earlier hints
        hints, until = [], time.monotonic() + 180
        while time.monotonic() < until:
            message = self._hints.get_message(timeout=0.1)
            if message is None:
                continue
            hint = orjson.loads(message["data"])
            if hint["match"] is None:
                return hints
            hints.append(hint)
        raise TimeoutError

    def close(self) -> None:
        self._hints.close()
        self._redis.close()
