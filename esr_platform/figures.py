"""Counters and histograms that all processes of the site share, in Redis.

A site has many processes, on several machines, and workers that end after some tasks. Each adds to one hash in Redis,
so every web process shows the whole site at ``/metrics``. Figures are not worth a failure: without Redis they are lost,
which is logged once.
"""

from __future__ import annotations

import json
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import inf
from typing import Any, Final
from uuid import uuid4

import structlog
from django.conf import settings
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

# --- Redis -----------------------------------------------------------------------------------------------------------

KEY: Final = "figures"
TIMEOUT_S: Final = 1.0
PAUSE_S: Final = 5.0
"""How long nothing is written after a failure, so that an unresponsive Redis does not slow work down."""


@lru_cache(maxsize=4)
def client(url: str) -> Redis:
    """Return the client for the Redis server at ``url``. It answers or fails within ``TIMEOUT_S``."""
    return Redis.from_url(url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, retry=None)


_paused_until_s: Final[dict[str, float]] = {}
"""By the URL of Redis."""


def _write(add: Callable[[Any], object]) -> None:
    """Send what ``add`` does with a pipeline."""
    url = settings.REDIS_URL
    if time.monotonic() < _paused_until_s.get(url, -inf):
        return
    try:
        pipeline = client(url).pipeline(transaction=False)
        add(pipeline)
        pipeline.execute()
    except (RedisError, OSError) as error:
        _paused_until_s[url] = time.monotonic() + PAUSE_S
        log.info("figures_not_written", error=repr(error))


# --- Figures ---------------------------------------------------------------------------------------------------------


class SharedFigure:
    """A figure with ``labels``. Its fields in the hash are its name and the values of the labels, separated by bars."""

    def __init__(self, name: str, about: str, *labels: str) -> None:
        self.name, self.about, self.labels = name, about, labels
        FIGURES.append(self)

    def field(self, *values: str) -> str:
        assert len(values) >= len(self.labels)
        return "|".join((self.name, *values))

    def family(self, kept: Mapping[tuple[str, ...], float]) -> Any:
        """Return the metric of Prometheus. ``kept`` are the values of its fields by the parts after the name."""
        raise NotImplementedError


class SharedCounter(SharedFigure):
    """A number that only grows."""

    def add(self, *values: str, amount: int = 1) -> None:
        """Add ``amount`` for the ``values`` of the labels."""
        if amount:
            _write(lambda pipeline: pipeline.hincrby(KEY, self.field(*values), amount))

    def family(self, kept: Mapping[tuple[str, ...], float]) -> CounterMetricFamily:
        family = CounterMetricFamily(self.name, self.about, labels=self.labels)
        if not self.labels:
            kept = {(): 0.0, **kept}
        for values, number in sorted(kept.items()):
            family.add_metric(values, number)
        return family


class SharedHistogram(SharedFigure):
    """Durations in seconds, counted in buckets."""

    BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)

    def observe(self, seconds: float, *values: str) -> None:
        """Count a duration for the ``values`` of the labels. Clocks can differ, so it may be negative: it is 0 then."""
        seconds = max(seconds, 0.0)
        place = bisect_left(self.BUCKETS_S, seconds)

        def add(pipeline: Any) -> None:
            pipeline.hincrby(KEY, self.field(*values, str(place)), 1)
            pipeline.hincrbyfloat(KEY, self.field(*values, "sum"), seconds)

        _write(add)

    def family(self, kept: Mapping[tuple[str, ...], float]) -> HistogramMetricFamily:
        family = HistogramMetricFamily(self.name, self.about, labels=self.labels)
        for values in sorted({parts[:-1] for parts in kept}):
            total, buckets = 0.0, []
            for place, limit in enumerate((*self.BUCKETS_S, inf)):
                total += kept.get((*values, str(place)), 0.0)
                buckets.append(("+Inf" if limit == inf else str(limit), total))
            family.add_metric(values, buckets, kept.get((*values, "sum"), 0.0))
        return family


LOG_KEPT_S: Final = 14 * 86_400

FIGURES: Final[list[SharedFigure]] = []
"""All figures of this module."""


class SharedLog:
    """The latest events of a kind, newest first, with the time of each. They are kept for ``LOG_KEPT_S``."""

    MOST: Final = 100

    def __init__(self, name: str) -> None:
        self._key = f"figures:log:{name}"

    def add(self, **event: str | int) -> None:
        """Note an event with its JSON values."""
        line = json.dumps({"at_s": time.time(), **event})

        def add(pipeline: Any) -> None:
            pipeline.lpush(self._key, line)
            pipeline.ltrim(self._key, 0, self.MOST - 1)
            pipeline.expire(self._key, LOG_KEPT_S)

        _write(add)

    def latest(self, most: int) -> list[dict[str, Any]]:
        """Return up to ``most`` events. Raises ``RedisError``."""
        lines: Any = client(settings.REDIS_URL).lrange(self._key, 0, most - 1)
        return [json.loads(line) for line in lines]


ATTEMPTS: Final = SharedCounter(
    "match_attempts", "Attempts of workers at matches, by ending: delayed ones are re-runs after server lag", "ending"
)
EXPIRED_LEASES: Final = SharedCounter("match_leases_expired", "Matches whose worker was lost")
WAIT: Final = SharedHistogram("match_wait_seconds", "Time from the due time of a match to its start", "purpose")
PLAY: Final = SharedHistogram("match_play_seconds", "Time in which a match was played", "purpose")
STORE: Final = SharedHistogram("match_store_seconds", "Time in which a result was verified, stored and rated")
STRIKES: Final = SharedCounter("match_strikes", "Strikes of bots in matches, by reason", "reason")
FORFEITS: Final = SharedCounter("match_forfeits", "Forfeits of bots in matches, by reason", "reason")
RECHECKS: Final = SharedCounter(
    "worker_rechecks", "Games of worker hosts that were played again, by outcome: same or different", "outcome"
)
EMAILS: Final = SharedCounter("emails", "Emails by outcome: sent or failed", "outcome")
TASKS: Final = SharedHistogram("task_seconds", "Duration of background tasks", "task")
FAILED_TASKS: Final = SharedCounter("task_failures", "Background tasks that ended with an error", "task")
FAILED_EMAILS: Final = SharedLog("emails")
SLOW_QUERIES: Final = SharedLog("queries")


# --- Streams ---------------------------------------------------------------------------------------------------------

STREAMS: Final = "figures:streams"
STREAMS_KEPT_S: Final = 20
"""How long the number of a process counts. Processes write it every few seconds (``api.streams.presence``)."""

_process = f"{STREAMS}:{uuid4().hex}"


def note_streams(number: int) -> None:
    """Store the number of clients that wait in this process."""

    def add(pipeline: Any) -> None:
        pipeline.set(_process, number, ex=STREAMS_KEPT_S)
        pipeline.sadd(STREAMS, _process)

    _write(add)


def stream_clients(redis: Redis) -> int:
    """Return the number of clients of streams and long polls in all processes. Raises ``RedisError``."""
    names: list[Any] = sorted(redis.smembers(STREAMS))
    if not names:
        return 0
    numbers: Any = redis.mget(names)
    ended = [name for name, number in zip(names, numbers, strict=True) if number is None]
    if ended:
        redis.srem(STREAMS, *ended)
    return sum(int(number) for number in numbers if number is not None)


# --- Scheduler -------------------------------------------------------------------------------------------------------

HEARTBEAT: Final = "figures:scheduler"
_HEARTBEAT_KEPT_S: Final = 86_400

RUNNING_SINCE: Final = "figures:scheduler:since"
"""The time of the first task of the scheduler after a pause of ``PAUSE_ENDS_RUN_S``, in seconds since 1970."""

PAUSE_ENDS_RUN_S: Final = 60


def note_scheduler() -> None:
    """Note that a worker has just run a task of the scheduler."""

    def add(pipeline: Any) -> None:
        pipeline.set(HEARTBEAT, 1, ex=_HEARTBEAT_KEPT_S)
        pipeline.set(RUNNING_SINCE, time.time(), ex=PAUSE_ENDS_RUN_S, nx=True)
        pipeline.expire(RUNNING_SINCE, PAUSE_ENDS_RUN_S)

    _write(add)


def scheduler_age_s() -> float:
    """Return the seconds since ``note_scheduler`` by the clock of Redis, or ``inf`` after a day.

    Raises ``RedisError``.
    """
    left_ms: Any = client(settings.REDIS_URL).pttl(HEARTBEAT)
    return inf if left_ms < 0 else _HEARTBEAT_KEPT_S - left_ms / 1000


def scheduler_runs_s() -> float:
    """Return for how many seconds the scheduler has been running tasks without a long pause; 0 if it does not.

    Raises ``RedisError``.
    """
    redis = client(settings.REDIS_URL)
    since_s: Any = redis.get(RUNNING_SINCE)
    seconds, microseconds = redis.time()
    return 0.0 if since_s is None else seconds + microseconds / 1e6 - float(since_s)


# --- Problems --------------------------------------------------------------------------------------------------------

PROBLEM: Final = "figures:problem:"
PROBLEM_KEPT_S: Final = 3600


def note_problem(what: str, problem: str) -> None:
    """Store the ``problem`` that a process has just found with ``what``; empty if it found none."""
    _write(lambda pipeline: pipeline.set(PROBLEM + what, problem, ex=PROBLEM_KEPT_S))


def noted_problem(what: str) -> str | None:
    """Return the problem that was found last; ``None`` if nothing was found out lately. Raises ``RedisError``."""
    kept: Any = client(settings.REDIS_URL).get(PROBLEM + what)
    return None if kept is None else kept.decode("utf-8", "replace")


# --- Collector -------------------------------------------------------------------------------------------------------


class SharedFigures(Collector):
    """All figures of ``FIGURES`` and the number of stream clients; none while Redis is away."""

    def describe(self) -> Iterator[Any]:
        return iter(())

    def collect(self) -> Iterator[Any]:
        redis = client(settings.REDIS_URL)
        try:
            kept: Any = redis.hgetall(KEY)
            clients = stream_clients(redis)
        except (RedisError, OSError):
            return
        by_name: dict[str, dict[tuple[str, ...], float]] = {figure.name: {} for figure in FIGURES}
        for field, number in kept.items():
            name, *values = field.decode().split("|")
            if name in by_name:
                by_name[name][tuple(values)] = float(number)
        yield from (figure.family(by_name[figure.name]) for figure in FIGURES)
        yield GaugeMetricFamily("stream_clients", "Clients of streams and long polls in all processes", value=clients)
