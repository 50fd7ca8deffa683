"""Health checks with real faults: each one fails the check of its name, and no other one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import F
from django.test import Client
from django.utils import timezone
from psycopg_pool import PoolTimeout

from bots import machines
from bots.models import Drain, Machine
from esr_platform import figures, health, tasks
from esr_platform.accounts.models import Role, Scope, Token
from esr_platform.accounts.tokens import issue
from esr_platform.disconnects import is_not_writable, is_overload
from esr_platform.health import CHECKS, Check, Health, State, Unhealthy
from esr_platform.probes import Probes
from esr_platform.supervisor import processes as commands
from ladder.models import Attempt, Ladder, Match
from tests import page as shown
from tests.build import block_on, opened_house, person, signed_in, verified
from tests.conftest import site_environment
from tests.services.ports import free_port, wait_until
from tests.services.postgres import running_server
from tests.services.redis import redis_server
from tests.services.workers import ROOT, Processes

ALL = [check.name for check in CHECKS]


def states() -> dict[str, str]:
    return {finding.check.name: finding.state.value for finding in Health(patience_s=60).findings()}


def failing() -> list[str]:
    return [name for name, state in states().items() if state == State.FAILED]


@pytest.fixture
def site(transactional_db: None, broker: str, settings: Any) -> str:
    """A site on which every check succeeds, except for a fault that a test adds. Gives the URL of its Redis."""
    settings.MIN_FREE_DISK_BYTES = 1
    machines.write_down({"ok": True, "rated": True, "problem": "", "remedy": ""})
    tasks.heartbeat()
    tasks.probe_mail()
    assert states() == dict.fromkeys(ALL, "ok")
    return broker


# --- Faults ----------------------------------------------------------------------------------------------------------


def test_a_read_only_database_fails_its_check(site: str) -> None:
    with read_only_database():
        assert failing() == ["database"]
        assert states()["migrations"] == "unknown"
    assert failing() == []


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no pool")
@pytest.mark.django_db
def test_a_process_whose_connections_are_all_in_use_fails_the_check_of_the_database() -> None:
    pool: Any = connection.pool  # type: ignore[attr-defined]
    pool.open()
    held = []
    try:
        with suppress(PoolTimeout):
            while True:
                held.append(pool.getconn(timeout=1))
        with pytest.raises(Unhealthy, match="in use"):
            health.check_database()
    finally:
        for connected in held:
            pool.putconn(connected)
    health.check_database()


def test_a_read_only_database_refuses_changes_with_its_reason_and_loses_nothing(site: str, client: Client) -> None:
    user = verified("ada")
    _, secret = issue(user, "test", [Scope.MANAGE], None)
    browser = signed_in(user)

    def responses() -> list[Any]:
        bearer = {"Authorization": f"Bearer {secret}"}
        name = {"name": "Another", "scopes": ["manage"], "lifetime": "30"}
        return [
            client.get("/ladders/"),
            browser.post("/account/tokens/", name),
            client.post("/api/v1/remote-bots", {"name": "Mine"}, "application/json", headers=bearer),
        ]

    with read_only_database():
        connection.close()
        page, form, api = responses()
    connection.close()
    assert page.status_code == 200
    assert (form.status_code, form.headers["Retry-After"]) == (503, "60")
    assert (api.status_code, api.json()["code"]) == (503, "not_stored")
    assert Token.objects.count() == 1
    assert all(response.status_code < 500 for response in responses())


def test_while_the_database_is_read_only_operators_see_it_and_change_nothing(site: str) -> None:
    operator = signed_in(person("olga", role=Role.OPERATOR))
    host, drain = Machine.objects.get().host, "/staff/operations/drain/"
    with read_only_database():
        connection.close()
        page = shown.page(operator, "/staff/operations/")
        refused = operator.post(f"{drain}{host}/", {"reason": "A test"})
    connection.close()
    assert page.one(data_check="database")["data-state"] == "failed"
    assert (refused.status_code, refused["Retry-After"]) == (503, "60")
    assert not Drain.objects.exists()
    assert operator.post(f"{drain}{host}/", {"reason": "A test"}).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_a_full_disk_is_known_from_the_error_of_the_database() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite can be limited to its size")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        cursor.execute(f"PRAGMA max_page_count = {cursor.fetchone()[0] + 1}")
        with pytest.raises(OperationalError) as caught:
            cursor.execute("UPDATE django_migrations SET name = zeroblob(1000000)")
        cursor.execute("PRAGMA max_page_count = 1000000000")
        cursor.execute("PRAGMA integrity_check")
        assert cursor.fetchone()[0] == "ok"
    assert is_not_writable(caught.value)
    assert not is_overload(caught.value)


def read_only_database() -> Any:
    from contextlib import contextmanager

    @contextmanager
    def of_sqlite() -> Iterator[None]:
        known = connections.settings["default"]
        name = known["NAME"]
        known["NAME"] = f"file:{name}?mode=ro"
        try:
            yield
        finally:
            known["NAME"] = name

    @contextmanager
    def of_postgresql() -> Iterator[None]:
        name = connection.settings_dict["NAME"]
        for setting in ("on", "off"):
            with connection.cursor() as cursor:
                cursor.execute("SET SESSION default_transaction_read_only = off")
                cursor.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE")
                cursor.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {setting}')
            if connection.pool is not None:
                connection.close()
                connection.close_pool()
            if setting == "on":
                yield

    return of_sqlite() if connection.vendor == "sqlite" else of_postgresql()


def test_a_redis_that_has_stopped_fails_its_check(site: str, settings: Any, tmp_path: Path) -> None:
    with redis_server(tmp_path) as url:
        settings.REDIS_URL = url
        tasks.heartbeat()
        tasks.probe_mail()
        assert failing() == []
    assert failing() == ["redis"]
    assert states()["scheduler"] == "unknown"


@pytest.mark.slow
def test_a_scheduler_that_has_stopped_fails_its_check(
    site: str, site_processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines.write_down({"ok": True, "rated": True, "problem": "", "remedy": ""})
    figures.client(site).delete(figures.HEARTBEAT)
    assert failing() == ["scheduler"]
    worker, beat = site_processes.worker("default"), site_processes.beat()
    wait_until(lambda: failing() == [], "the scheduler works")
    beat.send_signal(signal.SIGTERM)
    beat.wait()
    monkeypatch.setattr(health, "SCHEDULER_LATE_S", 5.5)
    wait_until(lambda: failing() == ["scheduler"], "its end is noticed")
    site_processes.beat()
    wait_until(lambda: failing() == [], "the next one works")
    assert worker.poll() is None


def test_a_sandbox_that_does_not_hold_fails_its_check(site: str) -> None:
    Machine.objects.all().delete()
    assert states()["sandbox"] == "unknown"
    program = (
        "import django; django.setup()\n"
        "from bots.sandbox import sandbox_launcher as launcher\n"
        "launcher.find_bubblewrap.__defaults__ = (('/nonexistent',),)\n"
        "from bots import machines\n"
        "machines.tell()\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment(site), check=True, capture_output=True)
    assert failing() == ["sandbox"]
    assert "bubblewrap" in problem_of("sandbox")


def environment(redis_url: str) -> dict[str, str]:
    return {**os.environ, **site_environment(redis_url, Path("/nonexistent")), "VAR_DIR": ""}


def problem_of(name: str) -> str:
    return next(finding.problem for finding in Health(patience_s=60).findings() if finding.check.name == name)


def test_a_full_disk_fails_its_check(site: str, settings: Any) -> None:
    settings.MIN_FREE_DISK_BYTES = 1 << 60
    assert failing() == ["disk"]


def test_an_unapplied_migration_fails_its_check(site: str) -> None:
    recorder, latest = MigrationRecorder(connection), ("ladder", "0017_request_id")
    recorder.record_unapplied(*latest)
    try:
        assert failing() == ["migrations"]
        assert "ladder.0017_request_id" in problem_of("migrations")
    finally:
        recorder.record_applied(*latest)
    assert failing() == []


def test_matches_that_no_worker_begins_fail_the_check_of_the_queue(site: str) -> None:
    opened_house()
    scheduler_has_run(site, 360)
    block = block_on(Ladder.objects.get(slug="edel-stein-reich-4"))
    assert failing() == []
    Match.objects.filter(block=block).update(due_at=timezone.now() - timedelta(minutes=6))
    assert failing() == ["queue"]
    match = block.matches.order_by("pk")[0]
    long_ago = timezone.now() - timedelta(minutes=4)
    Attempt.objects.create(
        match=match, number=1, token="0" * 32, worker="other/1", started=long_ago, heartbeat_at=long_ago
    )
    assert failing() == []  # workers do something, so the queue is only long
    Attempt.objects.update(started=F("started") - timedelta(minutes=2))
    assert failing() == ["queue"]


def test_workers_get_five_minutes_after_an_outage_to_begin_what_is_late(site: str) -> None:
    opened_house()
    block = block_on(Ladder.objects.get(slug="edel-stein-reich-4"))
    Match.objects.filter(block=block).update(due_at=timezone.now() - timedelta(hours=2))
    assert failing() == []
    scheduler_has_run(site, 290)
    tasks.heartbeat()
    assert failing() == []
    scheduler_has_run(site, 310)
    tasks.heartbeat()
    assert failing() == ["queue"]
    figures.client(site).delete(figures.RUNNING_SINCE)  # it expires in an outage
    tasks.heartbeat()
    assert failing() == []
    assert 0 < figures.client(site).ttl(figures.RUNNING_SINCE) <= figures.PAUSE_ENDS_RUN_S


def scheduler_has_run(redis_url: str, seconds: float) -> None:
    figures.client(redis_url).set(figures.RUNNING_SINCE, time.time() - seconds, ex=60)


def test_a_mail_server_that_refuses_connections_fails_its_check(site: str, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    assert failing() == []
    tasks.probe_mail()
    assert failing() == ["mail"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    tasks.probe_mail()
    assert failing() == []


@pytest.mark.parametrize("off_s", [-300, 300])
def test_a_clock_that_is_off_by_minutes_fails_its_check(site: str, monkeypatch: pytest.MonkeyPatch, off_s: int) -> None:
    clock = SimpleNamespace(time=lambda: time.time() + off_s, monotonic=time.monotonic)
    monkeypatch.setattr(health, "time", clock)
    assert failing() == ["clock"]


# --- The registry ----------------------------------------------------------------------------------------------------


def bad() -> None:
    raise Unhealthy("It is broken.")


def good() -> None: ...


def test_a_check_that_hangs_has_failed_and_is_not_begun_again() -> None:
    begun, end = [], Event()

    def hang() -> None:
        begun.append(1)
        end.wait(60)

    site = Health([Check("slow", hang, ""), Check("fast", good, "")], kept_s=0, patience_s=0.05)
    for _ in range(3):
        assert [finding.state for finding in site.findings()] == ["failed", "ok"]
    assert len(begun) == 1
    end.set()


def test_many_requests_cause_one_check() -> None:
    begun: list[int] = []
    site = Health([Check("counted", lambda: begun.append(1), "")], kept_s=60)
    for _ in range(5):
        site.findings()
    assert len(begun) == 1


def test_what_needs_a_failed_check_is_unknown() -> None:
    site = Health([Check("base", bad, ""), Check("further", bad, "", ("base",))])
    assert [finding.state for finding in site.findings()] == ["failed", "unknown"]


@pytest.mark.usefixtures("site")
def test_the_command_exits_with_an_error_if_a_check_fails(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    health.HEALTH._found_s = -1e9
    call_command("health")
    printed = capsys.readouterr().out
    assert [name for name in ALL if name not in printed] == []
    settings.MIN_FREE_DISK_BYTES = 1 << 60
    health.HEALTH._found_s = -1e9
    with pytest.raises(SystemExit):
        call_command("health")
    health.HEALTH._found_s = -1e9


# --- Probes ----------------------------------------------------------------------------------------------------------


def ask(path: str, health: Health, method: str = "GET", token: str = "") -> tuple[int, Any]:
    """The status and the document of a response of ``Probes``. Other paths have status 999."""
    sent: list[Any] = []

    async def elsewhere(scope: Any, receive: Any, send: Any) -> None:
        sent.extend(({"status": 999}, {"body": b""}))

    async def send(message: Any) -> None:
        sent.append(message)

    path, _, query = path.partition("?")
    headers = [(b"host", b"10.1.2.3"), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": headers}
    asyncio.run(Probes(elsewhere, health)(scope, None, send))  # type: ignore[arg-type]
    body = sent[1]["body"]
    return sent[0]["status"], json.loads(body) if body else None


def test_a_process_lives_whatever_is_broken() -> None:
    site = Health([Check("base", bad, "")])
    assert ask("/livez", site) == (200, {"status": "live"})
    assert ask("/livez", site, "HEAD") == (200, None)
    assert ask("/livez", site, "POST")[0] == 405
    assert ask("/livez/", site)[0] == 999


def test_strangers_learn_the_names_of_failing_checks_and_nothing_else(settings: Any) -> None:
    settings.METRICS_TOKEN = "token of metrics"
    site = Health([Check("base", bad, "Repair it."), Check("other", good, "")])
    for token in ("", "wrong"):
        status, document = ask("/readyz", site, token=token)
        assert status == 503
        assert document == {
            "status": "failing",
            "failing": ["base"],
            "checks": [{"name": "base", "state": "failed"}, {"name": "other", "state": "ok"}],
        }
    _, document = ask("/readyz", site, token="token of metrics")
    assert document["checks"][0] == {
        "name": "base",
        "state": "failed",
        "problem": "It is broken.",
        "remedy": "Repair it.",
    }


def test_a_probe_can_exclude_checks() -> None:
    site = Health([Check("base", bad, ""), Check("other", bad, ""), Check("third", good, "")])
    assert ask("/readyz?exclude=base", site)[1]["failing"] == ["other"]
    assert ask("/readyz?exclude=base&exclude=other", site)[0] == 200


@pytest.mark.parametrize("name", ["bsae", "base,other"])
def test_a_probe_that_excludes_an_unknown_check_learns_the_known_ones(name: str) -> None:
    site = Health([Check("base", good, ""), Check("other", good, "")])
    status, document = ask(f"/readyz?exclude=base&exclude={name}", site)
    assert (status, document["unknown"], document["known"]) == (400, [name], ["base", "other"])


@pytest.mark.slow
def test_a_web_process_lives_and_names_the_fault_while_its_database_is_down(tmp_path: Path) -> None:
    port = free_port()
    with running_server() as database, redis_server(tmp_path) as redis_url:
        variables = {
            "DATABASE_URL": database.url,
            "REDIS_URL": redis_url,
            "VAR_DIR": str(tmp_path),
            "MIN_FREE_DISK_BYTES": "1",
            "METRICS_TOKEN": "token-of-metrics",
            "LOG_LEVEL": "ERROR",
        }
        group = Processes(variables)
        try:
            web = group.python(*commands.web("127.0.0.1", port, {}).arguments[1:])
            wait_until(lambda: probe(port, "/livez")[0] == 200, "the web process lives")
            assert probe(port, "/readyz")[1]["failing"] == ["migrations", "scheduler"]
            database.end(signal.SIGKILL)
            assert probe(port, "/livez") == (200, {"status": "live"})
            wait_until(lambda: probe(port, "/readyz")[1]["failing"] == ["database", "scheduler"], "the fault is named")
            wait_until(lambda: "refused" in problem_of_database(port), "the reason of the server is named")
            assert probe(port, "/readyz?exclude=database&exclude=scheduler")[0] == 200
            began_s = time.monotonic()
            exported = exposed(port)
            assert time.monotonic() - began_s < 10  # Prometheus waits for 10 s by default
            assert exported['health_check_failing{check="database"}'] == 1
            assert exported['health_check_failing{check="redis"}'] == 0
            assert {"disk_free_bytes", 'queue_messages{queue="matches"}'} <= exported.keys()
            assert 'matches{state="queued"}' not in exported
            database.start()
            wait_until(lambda: "database" not in probe(port, "/readyz")[1]["failing"], "the database is back")
            assert web.poll() is None
        finally:
            group.end()


def problem_of_database(port: int) -> str:
    request = Request(f"http://127.0.0.1:{port}/readyz", headers={"Authorization": "Bearer token-of-metrics"})
    with pytest.raises(HTTPError) as answer:
        urlopen(request, timeout=30)
    return str(json.load(answer.value)["checks"][0].get("problem"))


def exposed(port: int) -> dict[str, float]:
    """The lines of ``/metrics``, as Prometheus reads it, by everything before the value."""
    authorization = {"Authorization": "Bearer token-of-metrics"}
    request = Request(f"http://127.0.0.1:{port}/metrics", headers=authorization)
    with urlopen(request, timeout=30) as response:
        lines = response.read().decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def probe(port: int, path: str) -> tuple[int, Any]:
    request = Request(f"http://127.0.0.1:{port}{path}", headers={"Host": "probe.invalid"})
    try:
        with urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        return error.code, json.load(error)
    except OSError:
        return 0, {"failing": []}
