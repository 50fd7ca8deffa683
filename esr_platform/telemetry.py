"""Optional reports to other systems: errors to Sentry, and traces of requests and tasks to OpenTelemetry.

Both are extras (``pip install '.[sentry]'``, ``'.[otel]'``) and off by default. Reports have the id of the request
(``esr_platform.request_ids``) and pass through the same filter of secrets as log lines.
"""

from __future__ import annotations

import json
from typing import Any, Final

from django.conf import settings

from esr_platform.logging import PRIVATE_URLS, hide_secrets
from esr_platform.request_ids import current_request_id
from games import __version__

REQUEST_ID: Final = "request_id"


def start_telemetry() -> None:
    """Begin to report what the settings ask for. Raises ``SystemExit`` if its packages are not installed."""
    if settings.SENTRY_DSN:
        _start_sentry(settings.SENTRY_DSN)
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        _start_opentelemetry()


def _start_sentry(dsn: str) -> None:
    try:
        import sentry_sdk
    except ModuleNotFoundError:
        raise SystemExit("SENTRY_DSN needs sentry-sdk. Run `pip install '.[sentry]'` or unset SENTRY_DSN.") from None
    sentry_sdk.init(
        dsn=dsn,
        release=f"steinreich@{__version__}",
        send_default_pii=False,  # no cookies, no IP addresses, no user names
        include_local_variables=False,  # they contain passwords and seeds
        max_request_body_size="never",
        before_send=_safe,
    )


def _safe(event: Any, _hint: Any) -> Any:
    """Add the id of the request to an event of Sentry, and hide secrets anywhere in it."""
    request_id = current_request_id()
    if request_id:
        event.setdefault("tags", {})[REQUEST_ID] = request_id
    event.get("request", {}).pop("headers", None)
    return json.loads(hide_secrets(json.dumps(event, default=str)))


def _start_opentelemetry() -> None:
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.instrumentation.celery import CeleryInstrumentor
        from opentelemetry.instrumentation.django import DjangoInstrumentor
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError:
        raise SystemExit(
            "OTEL_EXPORTER_OTLP_ENDPOINT needs OpenTelemetry. Run `pip install '.[otel]'` or unset the variable."
        ) from None

    class WithRequestId(SpanProcessor):
        def on_start(self, span: Span, parent_context: Any = None) -> None:  # noqa: ARG002
            request_id = current_request_id()
            if request_id:
                span.set_attribute(REQUEST_ID, request_id)

    resource = Resource.create({"service.name": "steinreich", "service.version": __version__})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(WithRequestId())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    DjangoInstrumentor().instrument(excluded_urls=PRIVATE_URLS)
    CeleryInstrumentor().instrument()  # type: ignore[no-untyped-call]
