"""How many people watch a match, over all processes."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final
from uuid import uuid4

import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from esr_platform.api.authentication import STRANGER

# --- Open streams, counted -------------------------------------------------------------------------------------------


class ConnectionCounter:
    """Counts connections by client; ``strangers`` and ``total`` are the sums.

    One stranger counts at most ``most_a_stranger`` times in them, any other client at most ``most_a_person`` times.
    """

    def __init__(self, most_a_person: float = float("inf"), most_a_stranger: float = float("inf")) -> None:
        self._most_a_person, self._most_a_stranger = most_a_person, most_a_stranger
        self._here: Counter[str] = Counter()
        self.total = 0
        self.strangers = 0

    def count(self, who: str) -> int:
        """How many connections ``who`` has."""
        return self._here[who]

    @contextmanager
    def track(self, who: str) -> Iterator[None]:
        """Count one more connection of ``who``."""
        is_stranger = who.startswith(STRANGER)
        most = self._most_a_stranger if is_stranger else self._most_a_person
        self._here[who] += 1
        self._add(int(self._here[who] <= most), is_stranger)
        try:
            yield
        finally:
            self._here[who] -= 1
            self._add(-int(self._here[who] < most), is_stranger)
            if not self._here[who]:
                del self._here[who]

    def _add(self, number: int, is_stranger: bool) -> None:
        self.total += number
        self.strangers += number if is_stranger else 0


# --- Spectators ------------------------------------------------------------------------------------------------------
#
# What a process has said is forgotten when it says nothing more. Whoever opens many streams is counted a few times.

log = structlog.get_logger(__name__)

EVERY_S: Final = 1.5
"""So often a process says how many it has, and reads how many there are."""

FORGOTTEN_S: Final = 10
"""What a process has said counts for so long."""

MOST_AN_ADDRESS: Final = 5
"""So many streams of one address are counted: behind it may be several people, or one with many windows."""

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
"""Of one game: how many the process has, where it says so, and how many there are."""

Tell = Callable[[int], None]


class Viewers:
    """Who watches what in this process, and how many do everywhere, as far as anybody knows."""

    def __init__(self) -> None:
        self._name = uuid4().hex
        self._here: defaultdict[int, ConnectionCounter] = defaultdict(partial(ConnectionCounter, 1, MOST_AN_ADDRESS))
        self._told: defaultdict[int, set[Tell]] = defaultdict(set)
        self._said: set[int] = set()
        self._redis: Redis | None = None

    @contextmanager
    def watching(self, match: int, who: str, tell: Tell) -> Iterator[None]:
        """Count ``who`` for ``match``; ``tell`` is called with the sum each time that it was read."""
        try:
            with self.reading(match, tell), self._here[match].track(who):
                yield
        finally:
            if not self._count(match):
                self._here.pop(match, None)

    @contextmanager
    def reading(self, match: int, tell: Tell) -> Iterator[None]:
        """The same for who is told and not counted, who sits there."""
        self._told[match].add(tell)
        try:
            yield
        finally:
            self._told[match].discard(tell)
            if not self._told[match]:
                del self._told[match]

    async def count(self, match: int) -> int:
        """How many watch now; those of this process where Redis does not answer."""
        try:
            (found,) = await self._ask([(match, "")])
        except (RedisError, OSError, TimeoutError):
            return self._count(match)
        return max(found, self._count(match))

    async def keep(self, every_s: float = EVERY_S) -> None:
        """Say and read, again and again. It never ends."""
        while True:
            await asyncio.sleep(every_s)
            try:
                await self.say()
            except (RedisError, OSError, TimeoutError) as error:
                log.warning("viewers_not_counted", error=repr(error))
            except Exception:  # the border of the task
                log.exception("viewers_not_counted")

    async def say(self) -> None:
        """Say how many there are here, and tell those who watch how many there are everywhere."""
        matches = sorted(self._here.keys() | self._told.keys() | self._said)
        if not matches:
            return
        here = set(self._here)
        said = {match: str(self._count(match)) if match in here | self._said else "" for match in matches}
        sums = await self._ask(said.items())
        self._said = here
        for match, found in zip(matches, sums, strict=True):
            for tell in tuple(self._told.get(match, ())):
                tell(max(found, self._count(match)))

    def _count(self, match: int) -> int:
        return self._here[match].total if match in self._here else 0

    async def _ask(self, said: Iterable[tuple[int, str]]) -> Sequence[int]:
        if self._redis is None:
            self._redis = Redis.from_url(
                settings.REDIS_URL, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
            )
        async with self._redis.pipeline(transaction=False) as asking:
            for match, count in said:
                asking.eval(_SAY_AND_SUM, 1, f"viewers:{match}", self._name, count, FORGOTTEN_S)
            found: list[Any] = await asking.execute()
        return [int(one) for one in found]
