"""Metrics of the site in the Prometheus text format, for operators and for clients with the metrics token.

Three kinds of metrics are here, so every web process shows the whole site:

- figures that all processes share in Redis (``esr_platform.figures``)
- the state of the database and the findings of the health checks, read for each request with a few queries
- answers and refused requests of this web process, and its memory and CPU time

The periodic task ``audit`` computes the values of ladders (``ladder.ledger.integrity``). These values are also on the
ladder pages. This page requires access because it includes private ladders.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from bots.machines import GONE_AFTER
from bots.models import Machine
from esr_platform import figures, queues
from esr_platform.accounts.models import Role
from esr_platform.accounts.roles import has_role
from esr_platform.health import HEALTH, State, clock_offset_s
from esr_platform.overload import ANSWER_SECONDS, REFUSED
from esr_platform.probes import has_metrics_token
from games import __version__
from ladder.ledger.integrity import kept_reports
from ladder.models import RebuildRun

log = structlog.get_logger(__name__)

Family = GaugeMetricFamily | InfoMetricFamily


class Read(Collector):
    """Metrics that ``read`` yields for each request; none while the service or folder that it reads is unavailable.

    So ``/metrics`` answers during a fault, and says which check fails. ``needs_database``: while the check of the
    database fails, ``read`` is not called, because each attempt can wait for a connection for longer than Prometheus
    waits for the metrics.
    """

    def __init__(self, read: Callable[[], Iterator[Family]], *, needs_database: bool) -> None:
        self._read, self._needs_database = read, needs_database

    def describe(self) -> list[Any]:
        return []

    def collect(self) -> Iterator[Family]:
        if self._needs_database and any(
            finding.check.name == "database" and finding.state is State.FAILED for finding in HEALTH.findings()
        ):
            return
        try:
            families = list(self._read())
        except (DatabaseError, InterfaceError, RedisError, OSError) as error:
            log.info("metrics_not_read", of=self._read.__name__, error=repr(error))
            return
        yield from families


def ladders() -> Iterator[Family]:
    """Results of the last integrity check and of the last check of all ratings of every ladder."""
    kept, now = kept_reports(), timezone.now()
    violations = GaugeMetricFamily(
        "ladder_audit_violations", "Number of failed integrity checks of a ladder", labels=["ladder"]
    )
    age = GaugeMetricFamily(
        "ladder_audit_age_seconds", "Seconds since the last integrity check of a ladder", labels=["ladder"]
    )
    differences = GaugeMetricFamily(
        "ladder_rebuild_differences", "Number of differences in the last check of all ratings", labels=["ladder"]
    )
    for run in kept:
        violations.add_metric([run.ladder], run.violations)
        age.add_metric([run.ladder], (now - run.audited).total_seconds())
        differences.add_metric([run.ladder], run.differences)
    yield from (violations, age, differences)
    last = RebuildRun.objects.filter(purpose=RebuildRun.Purpose.CHECK).order_by("-pk").values_list("ended", flat=True)
    rebuilt = GaugeMetricFamily("rating_check_age_seconds", "Seconds since the last check of all ratings")
    for at in last[:1]:
        rebuilt.add_metric([], (now - at).total_seconds())
    yield rebuilt


def work() -> Iterator[Family]:
    """Matches and validations that wait or run."""
    states = GaugeMetricFamily(
        "matches", "Matches that are queued, are played by workers, or are live", labels=["state"]
    )
    by_purpose = queues.matches()
    states.add_metric(["queued"], sum(queue.waiting + queue.later for queue in by_purpose.values()))
    for state, live in (("running", False), ("live", True)):
        running = (queue.running for purpose, queue in by_purpose.items() if queues.is_live(purpose) == live)
        states.add_metric([state], sum(running))
    yield states
    versions = GaugeMetricFamily("validations", "Uploaded versions that wait or are undecided", labels=["state"])
    versions.add_metric(["waiting"], queues.validations().waiting)
    versions.add_metric(["undecided"], queues.undecided_validations())
    yield versions
    ages = GaugeMetricFamily("queue_age_seconds", "How long the oldest item of a queue has waited", labels=["queue"])
    waited = queues.ages()
    for queue in ("matches", "validations"):
        ages.add_metric([queue], waited[queue].total_seconds() if queue in waited else 0.0)
    yield ages


def messages() -> Iterator[Family]:
    """Messages in the queues of Celery, and the age of the scheduler's last task."""
    depth = GaugeMetricFamily("queue_messages", "Messages that wait for a worker", labels=["queue"])
    age = GaugeMetricFamily("scheduler_age_seconds", "Seconds since the last task of the scheduler")
    for queue, number in queues.messages().items():
        depth.add_metric([queue], number)
    age_s = figures.scheduler_age_s()
    if age_s < inf:
        age.add_metric([], age_s)
    yield from (depth, age)


def clock() -> Iterator[Family]:
    """The offset of the clock, which needs Redis and the database."""
    about = "By how much this machine's clock is ahead of Redis or database"
    yield GaugeMetricFamily("clock_offset_seconds", about, value=clock_offset_s())


def machines() -> Iterator[Family]:
    """The self-tests of the sandboxes of all machines with workers."""
    states = GaugeMetricFamily("sandbox_machines", "Machines by the state of their sandbox", labels=["state"])
    counts = {"works": 0, "unrated": 0, "fails": 0}
    for machine in Machine.objects.filter(told__gt=timezone.now() - GONE_AFTER):
        works, rated = machine.sandbox.get("ok"), machine.sandbox.get("rated")
        counts["works" if works and rated else "unrated" if works else "fails"] += 1
    for state, number in counts.items():
        states.add_metric([state], number)
    yield states


def health() -> Iterator[Family]:
    """The findings of all checks, and the version of the site."""
    failing = GaugeMetricFamily("health_check_failing", "1 if a check of /readyz fails, otherwise 0", labels=["check"])
    seconds = GaugeMetricFamily("health_check_seconds", "Duration of a check of /readyz", labels=["check"])
    for finding in HEALTH.findings():
        failing.add_metric([finding.check.name], float(finding.state is State.FAILED))
        seconds.add_metric([finding.check.name], finding.seconds)
    yield from (failing, seconds)
    yield InfoMetricFamily("site", "The version of Steinreich", value={"version": __version__})


def disk() -> Iterator[Family]:
    """The free space."""
    free = shutil.disk_usage(settings.VAR_DIR).free
    yield GaugeMetricFamily("disk_free_bytes", "Free space on the disk of VAR_DIR", value=free)


REGISTRY = CollectorRegistry()
for read in (health, disk, messages):
    REGISTRY.register(Read(read, needs_database=False))
for read in (clock, work, machines, ladders):
    REGISTRY.register(Read(read, needs_database=True))
REGISTRY.register(figures.SharedFigures())
REGISTRY.register(REFUSED)
REGISTRY.register(ANSWER_SECONDS)
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    authorization = request.headers.get("Authorization", "").encode()
    if not (has_metrics_token(authorization) or has_role(request.user, Role.OPERATOR)):
        raise Http404
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)
