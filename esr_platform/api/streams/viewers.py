"""Count the spectators of matches over all processes."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final
from uuid import uuid4

import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from esr_platform.api.authentication import STRANGER

# --- Connections -----------------------------------------------------------------------------------------------------


class ConnectionCounter:
    """Counts connections by client. ``strangers`` and ``total`` are sums.

    In the sums, a client without a token or account (stranger) counts at most ``most_a_stranger`` times, and any other
    client at most ``most_a_person`` times.
    """

    def __init__(self, most_a_person: float = float("inf"), most_a_stranger: float = float("inf")) -> None:
        self._most_a_person, self._most_a_stranger = most_a_person, most_a_stranger
        self._here: Counter[str] = Counter()
        self.total = 0
        self.strangers = 0

    def count(self, who: str) -> int:
        """Return the number of connections of ``who``."""
        return self._here[who]

    def add(self, who: str) -> None:
        """Count a connection of ``who``."""
        self._here[who] += 1
        if self._here[who] <= self._most(who):
            self._change(who, 1)

    def remove(self, who: str) -> None:
        """Count a connection of ``who`` no longer."""
        self._here[who] -= 1
        if self._here[who] < self._most(who):
            self._change(who, -1)
        if not self._here[who]:
            del self._here[who]

    def _most(self, who: str) -> float:
        return self._most_a_stranger if who.startswith(STRANGER) else self._most_a_person

    def _change(self, who: str, number: int) -> None:
        self.total += number
        self.strangers += number if who.startswith(STRANGER) else 0


# --- Spectators ------------------------------------------------------------------------------------------------------
#
# Each process reports its counts to Redis, where they expire. A client with many streams counts only a few times.

log = structlog.get_logger(__name__)

EVERY_S: Final = 1.5
"""Seconds between two reports of a process, which also read the sums."""

FORGOTTEN_S: Final = 10
"""Seconds after which the report of a process expires."""

MOST_AN_ADDRESS: Final = 5
"""Maximum spectators that are counted per IP address, which several people can share."""

_TIMEOUT_S: Final = 1.0

_SAY_AND_SUM: Final = """
local now = tonumber(redis.call('TIME')[1])
if ARGV[2] == '0' then
  redis.call('HDEL', KEYS[1], ARGV[1])
elseif ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':' .. now)
  redis.call('EXPIRE', KEYS[1], ARGV[3])
end
local sum, said = 0, redis.call('HGETALL', KEYS[1])
for i = 1, #said, 2 do
  local count, at = string.match(said[i + 1], '(%d+):(%d+)')
  if now - tonumber(at) < tonumber(ARGV[3]) then
    sum = sum + tonumber(count)
  else
    redis.call('HDEL', KEYS[1], said[i])
  end
end
return sum
"""
"""Store the count of a process for a game, if one is given, and return the sum over all processes."""

Tell = Callable[[int], None]


class SpectatorCounts:
    """The spectators in this process, and their numbers over all processes."""

    def __init__(self) -> None:
        self._name = uuid4().hex
        self._here: defaultdict[int, ConnectionCounter] = defaultdict(partial(ConnectionCounter, 1, MOST_AN_ADDRESS))
        self._told: defaultdict[int, set[Tell]] = defaultdict(set)
        self._said: set[int] = set()
        self._sums: dict[int, int] = {}
        """What all clients of a match know."""
        self._redis: Redis | None = None

    def add(self, match: int, tell: Tell, who: str | None = None) -> None:
        """Call ``tell`` with each new sum of ``match``, and count ``who``. ``None`` is a player."""
        self._told[match].add(tell)
        self._sums.pop(match, None)
        if who is not None:
            self._here[match].add(who)

    def remove(self, match: int, tell: Tell, who: str | None = None) -> None:
        """Undo ``add``."""
        self._told[match].remove(tell)
        if not self._told[match]:
            del self._told[match]
            self._sums.pop(match, None)
        if who is not None:
            self._here[match].remove(who)
            if not self._count(match):
                del self._here[match]

    async def count(self, match: int) -> int:
        """Return the number of spectators, or only those in this process if Redis does not respond."""
        try:
            (total,) = await self._ask([(match, "")])
        except (RedisError, OSError, TimeoutError):
            return self._count(match)
        return max(total, self._count(match))

    async def keep(self, every_s: float = EVERY_S) -> None:
        """Report and read the counts every ``every_s`` seconds. Never returns."""
        while True:
            await asyncio.sleep(every_s)
            try:
                await self.say()
            except (RedisError, OSError, TimeoutError) as error:
                log.warning("viewers_not_counted", error=repr(error))
            except Exception:  # the outermost handler of the task
                log.exception("viewers_not_counted")

    async def say(self) -> None:
        """Report the counts of this process, and pass the sums to all clients."""
        matches = sorted(self._here.keys() | self._told.keys() | self._said)
        if not matches:
            return
        here = set(self._here)
        counts = {match: str(self._count(match)) if match in here | self._said else "" for match in matches}
        sums = await self._ask(counts.items())
        self._said = here
        for match, total in zip(matches, sums, strict=True):
            number = max(total, self._count(match))
            if match in self._told and self._sums.get(match) != number:
                self._sums[match] = number
                for tell in tuple(self._told[match]):
                    tell(number)

    def _count(self, match: int) -> int:
        return self._here[match].total if match in self._here else 0

    async def _ask(self, counts: Iterable[tuple[int, str]]) -> Sequence[int]:
        if self._redis is None:
            self._redis = Redis.from_url(
                settings.REDIS_URL, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
            )
        async with self._redis.pipeline(transaction=False) as asking:
            for match, count in counts:
                asking.eval(_SAY_AND_SUM, 1, f"viewers:{match}", self._name, count, FORGOTTEN_S)
            totals: list[Any] = await asking.execute()
        return [int(total) for total in totals]
