"""Worker hosts in tests: their requests reach the views of this process, and everything else is what a host runs."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from time import time
from typing import Any

import httpx2
import orjson
from django.db.models.functions import Now
from django.test import Client

import games
from bots import worker_hosts
from bots.client.work import WorkClient
from bots.models import WorkerHost, WorkerScope
from bots.runner import FakeProgram, MatchReport, MatchSpec, SeatSpec, play_match
from bots.runner.launcher import Observer
from bots.sandbox import InProcessLauncher
from bots.sandbox.status import status
from bots.worker.documents import PROTOCOL
from bots.worker.host import KINDS, HostProcess
from bots.worker.play import Play
from esr_platform.accounts.models import digest_of
from games.rules import Document
from ladder.models import Attempt, Match

SITE = "http://localhost"
ABLE: Mapping[str, Any] = {
    "release": games.__version__,
    "protocol": PROTOCOL,
    "slot": 0,
    "kinds": list(KINDS),
    "uploads": True,
    "rated": True,
    "languages": ["python"],
    "libraries": [],
    "problem": "",
}
"""What a host says that can play every bot in Python."""


class SiteTransport(httpx2.BaseTransport):
    """Sends requests to the views of this process, and keeps the bodies of their responses in ``received``."""

    def __init__(self) -> None:
        self.received: list[bytes] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        known = {name: value for name, value in request.headers.items() if name in ("authorization", "accept")}
        kind = request.headers.get("content-type", "application/json")
        client = Client(raise_request_exception=False, SERVER_NAME="localhost")
        response = client.generic(request.method, request.url.path, request.read(), content_type=kind, headers=known)
        self.received.append(response.content)
        return httpx2.Response(response.status_code, headers=dict(response.headers), content=response.content)


def secret_of(name: str) -> str:
    """The token of a host that tests create, so that several processes know it."""
    return f"{worker_hosts.PREFIX}{name}-0123456789"


def host(name: str = "lab") -> WorkerHost:
    """A host with the token :func:`secret_of`."""
    known = {"digest": digest_of(secret_of(name)), "hint": "esrw_", "scopes": list(WorkerScope.values)}
    return WorkerHost.objects.get_or_create(name=name, defaults=known)[0]


def present(name: str) -> None:
    """Let a host have asked for work just now, with a sandbox that works."""
    host(name)
    WorkerHost.objects.filter(name=name).update(asked=Now(), sandbox={"uploads": True})


def client_of(name: str = "lab", transport: SiteTransport | None = None) -> WorkClient:
    """A client with the token of a host."""
    return WorkClient(SITE, secret_of(name), poll_s=0, transport=transport or SiteTransport())


def asked(client: WorkClient, **said: Any) -> Document | None:
    """The assignment that a host gets which says ``ABLE``, or else ``said``."""
    assignment: Document | None = client.ask({**ABLE, "clock": time(), **said})["assignment"]
    return assignment


def packed_report(report: MatchReport, logs: Document | None = None) -> bytes:
    """The document of a result with this report."""
    return packed_document({"record": report.record, "report": report.document(), "logs": logs or {}})


def packed_document(document: Any) -> bytes:
    """A document as a host sends it."""
    return zlib.compress(orjson.dumps(document))


def send_all() -> None:
    """Let the scheduler have sent every queued match, at a time that stays recent however long processes start."""
    Match.objects.filter(status=Match.Status.QUEUED).update(sent_at=Now() + timedelta(hours=1))


def play_by_host(
    match_id: int, runner: Play | None = None, cache: Path | None = None, name: str = "lab"
) -> Attempt.Ending | None:
    """Let a host ask for work while only this match waits; how the attempt ended, ``None`` if there was none."""
    host(name)
    status()  # takes some seconds once, in which the message would become too old
    Match.objects.filter(status=Match.Status.QUEUED).update(sent_at=None)
    Match.objects.filter(pk=match_id, status=Match.Status.QUEUED).update(sent_at=Now())
    before = set(Attempt.objects.filter(match=match_id).values_list("pk", flat=True))
    process = HostProcess(client_of(name), SITE, cache or Path("/nowhere"), runner=runner)
    process.play_next()
    new = Attempt.objects.filter(match=match_id).exclude(pk__in=before).order_by("pk").first()
    return None if new is None or new.ending == Attempt.Ending.OPEN else Attempt.Ending(new.ending)


def faked(play: Callable[[Document], Any] | FakeProgram) -> Play:
    """Play games with this fake in place of every program."""
    program = play if isinstance(play, FakeProgram) else FakeProgram(play)

    def runner(spec: MatchSpec[Any], observer: Observer | None) -> MatchReport:
        seats = tuple(SeatSpec(seat.label, program) for seat in spec.seats)
        return play_match(replace(spec, seats=seats), InProcessLauncher(), observer)

    return runner


def process_of(name: str, cache: Path, runner: Play | None = None, launcher: Any = None) -> HostProcess:
    """A process of a host, which exists from now on, with fakes in place of the sandbox."""
    host(name)
    status()  # takes some seconds once
    return HostProcess(client_of(name), SITE, cache, runner=runner, launcher=launcher)
