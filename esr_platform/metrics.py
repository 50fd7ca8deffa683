"""Metrics of the site in the Prometheus text format, for staff and for clients with the metrics token.

The periodic task ``audit`` computes the values of ladders (``ladder.ledger.integrity``), so a request needs only a few
queries. These values are also on the ladder pages. This page requires access because it includes private ladders.
Refused requests are counted by each web process for itself (``esr_platform.overload``).
"""

from __future__ import annotations

from collections.abc import Iterator
from hmac import compare_digest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from esr_platform.overload import REFUSED
from ladder.ledger.integrity import kept_reports


class Accounts(Collector):
    """Results of the last integrity check of every ladder."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
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


REGISTRY = CollectorRegistry()
REGISTRY.register(Accounts())
REGISTRY.register(REFUSED)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not (_has_token(request) or getattr(request.user, "is_staff", False)):
        raise Http404
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    """Whether the request has the metrics token from the settings."""
    right = f"Bearer {settings.METRICS_TOKEN}".encode()
    given = request.headers.get("Authorization", "").encode()
    return bool(settings.METRICS_TOKEN) and compare_digest(right, given)
