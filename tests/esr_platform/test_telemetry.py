"""Reports to Sentry and OpenTelemetry, which real servers of this test receive from a real web process."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from esr_platform.supervisor import processes as commands
from tests.services.ports import free_port, wait_until
from tests.services.workers import Processes

pytestmark = pytest.mark.slow


class Collector:
    """A server that keeps the bodies of all requests."""

    def __init__(self) -> None:
        self.bodies: list[tuple[str, bytes]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.bodies.append((self.path, self._body()))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"{}" if "envelope" in self.path else b"")

            def _body(self) -> bytes:
                length = self.headers.get("Content-Length")
                body = self.rfile.read(int(length)) if length else self._chunks()
                kind = self.headers.get("Content-Encoding", "")
                return gzip.decompress(body) if kind == "gzip" else zlib.decompress(body) if kind == "deflate" else body

            def _chunks(self) -> bytes:
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                return body

            def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port


@pytest.fixture
def collector() -> Iterator[Collector]:
    running = Collector()
    Thread(target=running.server.serve_forever, daemon=True).start()
    yield running
    running.server.shutdown()


@contextmanager
def web(group: Processes, **variables: str) -> Iterator[int]:
    group.environment = {**group.environment, **variables, "LOG_LEVEL": "INFO"}
    port = free_port()
    group.python(*commands.web("127.0.0.1", port, {}).arguments[1:])
    wait_until(lambda: get(port, "/livez")[0] == 200, "the web process lives")
    yield port


def get(port: int, path: str, **headers: str) -> tuple[int, str]:
    request = Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urlopen(request, timeout=60) as response:
            return response.status, response.headers.get("X-Request-ID", "")
    except HTTPError as error:
        return error.code, error.headers.get("X-Request-ID", "")
    except OSError:
        return 0, ""


def test_sentry_gets_errors_with_the_id_of_the_request_and_without_secrets(
    site_processes: Processes, collector: Collector, tmp_path: Path
) -> None:
    dsn = f"http://public-key-of-sentry@127.0.0.1:{collector.port}/1"
    (tmp_path / "static").mkdir(exist_ok=True)
    broken = {"METRICS_TOKEN": "metrics-token-0123", "DATABASE_URL": f"sqlite:///{tmp_path}/empty.sqlite3"}
    with web(site_processes, SENTRY_DSN=dsn, **broken) as port:  # no tables, so that pages fail
        token = "esr_" + "s" * 43
        status, request_id = get(port, "/ladders/", Cookie="sessionid=secret-session", Authorization=f"Bearer {token}")
        assert status == 500
        wait_until(lambda: any(request_id.encode() in body for _, body in collector.bodies), "the error was sent")
    events = [
        json.loads(line)
        for path, body in collector.bodies
        for line in body.splitlines()
        if "envelope" in path and b'"event_id"' in line and b'"exception"' in line
    ]
    assert request_id in {event["tags"]["request_id"] for event in events}
    sent = b"".join(body for _, body in collector.bodies)
    for secret in (b"secret-session", token.encode(), b"metrics-token-0123"):
        assert secret not in sent


def test_a_collector_gets_traces_of_requests_with_their_id(site_processes: Processes, collector: Collector) -> None:
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}", "OTEL_BSP_SCHEDULE_DELAY": "100"}
    with web(site_processes, **endpoint) as port:
        status, request_id = get(port, "/about/")
        assert status == 200

        def attributes() -> list[tuple[str, str]]:
            spans = []
            for path, body in collector.bodies:
                assert path == "/v1/traces"
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    spans += [span for scope in resource.scope_spans for span in scope.spans]
            return [(entry.key, entry.value.string_value) for span in spans for entry in span.attributes]

        wait_until(lambda: ("request_id", request_id) in attributes(), "the trace was sent")
