"""The site's metrics in the text format of Prometheus, for staff and for whoever has the token.

What is counted here is kept by the clock's task (``ladder.ledger.audit``), so that asking for it costs a few queries.
It is public on the ladders' pages; the page is closed so that private ladders stay so.
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

from ladder.ledger.audit import kept_audits


class Accounts(Collector):
    """How the accounts of every ladder stood when they were counted last."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        kept, now = kept_audits(), timezone.now()
        violations = GaugeMetricFamily(
            "ladder_audit_violations", "Statements about a ladder's accounts that do not hold", labels=["ladder"]
        )
        age = GaugeMetricFamily(
            "ladder_audit_age_seconds", "Since the accounts of a ladder were counted", labels=["ladder"]
        )
        differences = GaugeMetricFamily(
            "ladder_rebuild_differences", "What the last check of all ratings found", labels=["ladder"]
        )
        for one in kept:
            violations.add_metric([one.ladder], one.violations)
            age.add_metric([one.ladder], (now - one.audited).total_seconds())
            differences.add_metric([one.ladder], one.differences)
        yield from (violations, age, differences)


REGISTRY = CollectorRegistry()
REGISTRY.register(Accounts())


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not (_has_token(request) or getattr(request.user, "is_staff", False)):
        raise Http404
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    """Whether the request has the token of the settings, where there is one."""
    right = f"Bearer {settings.METRICS_TOKEN}".encode()
    given = request.headers.get("Authorization", "").encode()
    return bool(settings.METRICS_TOKEN) and compare_digest(right, given)
