"""The program of worker hosts, in real processes against a real web server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep, time
from typing import Any

import orjson
import pytest
from django.db.models.functions import Now

from bots.client import Unreachable
from bots.client.work import WorkClient
from bots.models import BotVersion, WorkerHost
from ladder.models import Attempt, LiveSeat, Match, PlayedMove, Result
from tests.bots.uploads.brought import uploaded
from tests.build import person
from tests.ladder.hosts import ABLE, asked, host, secret_of, send_all
from tests.ladder.live.hosted import house_game
from tests.services.ports import free_port, wait_until
from tests.services.workers import ROOT, Processes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def lab() -> WorkerHost:
    return host("lab")


@contextmanager
def running(port: int, tmp_path: Path) -> Iterator[None]:
    """The program with an empty environment but for its token."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ESR_WORKER_TOKEN": secret_of("lab")}
    command = [sys.executable, "-m", "bots.worker", "--site", f"http://127.0.0.1:{port}", "--processes", "1"]
    process = subprocess.Popen([*command, "--cache", str(tmp_path / "cache")], cwd=ROOT, env=environment)
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(60) == 0
    assert not {"secret-key", "db.sqlite3"} & {path.name for path in (tmp_path / "cache").rglob("*")}


def test_a_host_needs_neither_settings_nor_secrets_of_the_site(
    site_processes: Processes, match: Match, tmp_path: Path
) -> None:
    port = free_port()
    site_processes.web(port)

    def finished() -> bool:
        Match.objects.filter(pk=match.pk, status="queued").update(sent_at=Now())
        return Result.objects.filter(match=match).exists()

    with running(port, tmp_path):
        wait_until(finished, "the host has played the match", every_s=0.5)


@pytest.mark.slow
def test_a_site_whose_only_worker_is_a_host_validates_uploads_and_plays_at_live_tables(
    site_processes: Processes, house: None, sandbox_launcher: object, tmp_path: Path
) -> None:
    version, table, port = uploaded(person("ada")), house_game("greedy", "haggler", rated=False), free_port()
    site_processes.web(port)
    moves = PlayedMove.objects.filter(match=table)
    with running(port, tmp_path):
        wait_until(lambda: BotVersion.objects.filter(pk=version.pk, state="ready").exists(), "the upload is validated")
        wait_until(lambda: moves.count() > 10, "the game at the live table goes on")
    assert not moves.exclude(default="").exists()
    workers = set(LiveSeat.objects.filter(table=table.pk).values_list("worker", flat=True))
    assert {worker.rpartition("/")[0] for worker in workers} == {"host:lab"}
    assert BotVersion.objects.get(pk=version.pk).worker == "host:lab/0"


def test_a_host_that_disconnects_while_its_request_waits_gets_no_match(site_processes: Processes, match: Match) -> None:
    Match.objects.update(sent_at=None)
    port = free_port()
    site_processes.web(port)
    client = WorkClient(f"http://127.0.0.1:{port}", secret_of("lab"), poll_s=0)
    wait_until(lambda: _answers(client), "the web server answers")
    body = orjson.dumps({**ABLE, "clock": time(), "wait": 25, "slot": 1, "release": "0.0.2"})
    assert _sent(port, body).startswith(b"HTTP/1.1 409")  # so that the next state shows that the request has arrived
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(_request({**orjson.loads(body), "release": ABLE["release"]}))
        wait_until(lambda: WorkerHost.objects.get().state == "ready", "the request waits")
    sleep(2)  # the site notices the end of the connection
    send_all()
    sleep(2)
    assert not Attempt.objects.exists()
    assert asked(client) is not None


def _answers(client: WorkClient) -> bool:
    try:
        return asked(client) is None
    except Unreachable:
        return False


def _request(said: dict[str, Any]) -> bytes:
    body = orjson.dumps(said)
    head = f"POST /api/worker/work HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {secret_of('lab')}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def _sent(port: int, body: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(_request(orjson.loads(body)))
        return connection.recv(100)


def test_a_host_with_a_wrong_token_says_so_and_ends(site_processes: Processes, tmp_path: Path) -> None:
    port = free_port()
    site_processes.web(port)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ESR_WORKER_TOKEN": "esrw_wrong"}
    command = [sys.executable, "-m", "bots.worker", "--site", f"http://127.0.0.1:{port}", "--processes", "1"]
    ended = subprocess.run(
        [*command, "--cache", str(tmp_path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert ended.returncode == 78
    assert "unknown or revoked" in ended.stderr
