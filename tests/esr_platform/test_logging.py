"""Log lines: one JSON object each, with one id from the click to the result, and without secrets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener
from uuid import uuid4

import pytest
from django.conf import settings
from rich.console import Console

from bots.models import BotVersion
from esr_platform.accounts.models import Scope, User
from esr_platform.accounts.tokens import issue
from esr_platform.logging import HIDDEN, SHORTEST_SECRET
from esr_platform.supervisor import processes as commands
from esr_platform.supervisor.terminal import Terminal
from ladder.models import Exhibition, Ladder, Match
from tests.build import PASSWORD, opened_house, signed_in, verified
from tests.services.ports import free_port, wait_until
from tests.services.workers import ROOT, Processes

SECRETS = {
    "SECRET_KEY": 'a key with "quotes" and 0123456789 abcdefghijklmnopqrstuvwxyz',
    "METRICS_TOKEN": "metrics-token-0123",
    "EMAIL_URL": "smtp+tls://mailer:mail-password-4711@127.0.0.1:9",
    "GITHUB_CLIENT_ID": "client",
    "GITHUB_CLIENT_SECRET": "client-secret-4712",
}
VALUES = [SECRETS["SECRET_KEY"], SECRETS["METRICS_TOKEN"], "mail-password-4711", "client-secret-4712"]


def logged(program: str, folder: Path, **environment: str) -> str:
    """What ``program`` writes to its log, with the settings of a site that has all kinds of secrets."""
    run = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\nimport logging, structlog\n{program}"],
        cwd=ROOT,
        env={
            **os.environ,
            **SECRETS,
            "DATABASE_URL": "",
            "REDIS_URL": "redis://user:redis-password-4713@127.0.0.1:9/0",
            "VAR_DIR": str(folder),
            "LOG_FORMAT": "json",
            **environment,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stderr


@pytest.mark.parametrize("form", ["json", "console"])
def test_secrets_of_the_settings_never_appear(tmp_path: Path, form: str) -> None:
    program = """
from django.conf import settings
from urllib.parse import quote
secrets = [settings.SECRET_KEY, settings.METRICS_TOKEN, settings.EMAIL_HOST_PASSWORD, "client-secret-4712"]
log = structlog.get_logger("test")
for secret in secrets:
    logging.getLogger("other").error("cannot use %s", secret)
    log.warning("failed", url=f"https://example.org/?key={quote(secret, safe='')}", nested={"key": [secret]})
    try:
        raise ValueError(secret)
    except ValueError:
        logging.getLogger("other").exception("failed")
        log.exception("failed")
log.error("no connection", url=settings.REDIS_URL, other="postgres://user:unknown-password@db/name")
token = "esr_0123456789abcdef0123456789abcdef0123456789a"
log.error("request", header=f"Bearer {token}", token=token)
log.error("end")
"""
    text = logged(program, tmp_path, LOG_FORMAT=form)
    for secret in (
        *VALUES,
        "redis-password-4713",
        "unknown-password",
        "esr_0123456789abcdef0123456789abcdef0123456789a",
    ):
        assert len(secret) >= SHORTEST_SECRET
        assert secret not in text
        assert json.dumps(secret)[1:-1] not in text
    assert text.count(HIDDEN) >= 4 * len(VALUES)
    assert "postgres://" in text


def test_every_line_of_a_json_log_is_an_object_with_a_time(tmp_path: Path) -> None:
    program = """
logging.getLogger("library").warning("two\\nlines of %s", "text")
from datetime import date
structlog.get_logger("own").info("event", number=1, day=date(2026, 11, 30), headers=str({"Authorization": "Bearer '0"}))
try:
    1 / 0
except ZeroDivisionError:
    structlog.get_logger("own").exception("failed")
"""
    lines = [json.loads(line) for line in logged(program, tmp_path).splitlines()]
    assert [(line["logger"], line["level"]) for line in lines] == [
        ("library", "warning"),
        ("own", "info"),
        ("own", "error"),
    ]
    assert lines[1]["number"] == 1
    assert "ZeroDivisionError" in lines[2]["exception"]
    assert all(re.fullmatch(r"2\d{3}-\d\d-\d\dT[\d:.]+Z", line["timestamp"]) for line in lines)


def test_the_supervisor_prints_only_json_into_a_json_log(settings: Any) -> None:
    settings.LOG_FORMAT = "json"
    written = StringIO()
    terminal = Terminal(Console(file=written, width=20))
    terminal.say("The site is running, [bold] and a long line that no terminal may break.")
    terminal.pass_on("redis", "a plain line")
    terminal.pass_on("web", '{"event": "of a process"}')
    terminal.pass_on("web", "exited", "error")
    terminal.table("Standings", ("", "Bot", "Win share"), [("1", "Greedy", "62%"), ("2", "[bold] {}", "")])
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [line.get("logger") for line in lines] == ["run", "redis", None, "web", "run"]
    assert [line.get("level") for line in lines] == ["info", "info", None, "error", "info"]
    assert all(line["timestamp"].endswith("Z") for line in lines if "timestamp" in line)
    assert lines[0]["event"].endswith("may break.")
    assert lines[-1]["event"] == "Standings"
    assert lines[-1]["rows"] == [
        {"rank": "1", "bot": "Greedy", "win_share": "62%"},
        {"rank": "2", "bot": "[bold] {}", "win_share": ""},
    ]


# --- From the click to the result ------------------------------------------------------------------------------------


class Site:
    """Real processes of a site that write their log as JSON to one file each."""

    def __init__(self, group: Processes, folder: Path) -> None:
        self.group, self.folder, self.port = group, folder, free_port()
        self.logs: list[Path] = []

    def start(self, *arguments: str) -> None:
        log = self.folder / f"log-{len(self.logs)}.jsonl"
        self.logs.append(log)
        script = f"import os, sys; os.dup2(os.open({str(log)!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)"
        program = f"{script}\nos.execv(sys.executable, [sys.executable, *{arguments!r}])"
        self.group.python("-c", program)

    def lines(self) -> list[dict[str, Any]]:
        texts = [log.read_text(encoding="utf-8") for log in self.logs if log.exists()]
        return [json.loads(line) for text in texts for line in text.splitlines() if line.endswith("}")]

    def text(self) -> str:
        return "".join(log.read_text(encoding="utf-8") for log in self.logs)


@pytest.fixture
def site(site_processes: Processes, tmp_path: Path) -> Site:
    opened_house()
    environment = {**site_processes.environment, "LOG_LEVEL": "INFO", "LOG_FORMAT": "json"}
    site_processes.environment = environment
    running = Site(site_processes, tmp_path)
    running.start(*commands.web("127.0.0.1", running.port, {}).arguments[1:])
    wait_until(lambda: status(running.port, "/livez")[0] == 200, "the web process lives")
    return running


class NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def status(port: int, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    """The status and the id of a request."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        request = Request(f"http://127.0.0.1:{port}{path}", body, named)
        with build_opener(NoRedirects).open(request, timeout=60) as response:
            return response.status, response.headers["X-Request-ID"]
    except HTTPError as error:
        return error.code, error.headers["X-Request-ID"]
    except OSError:
        return 0, ""


@pytest.mark.slow
def test_only_a_trusted_proxy_can_choose_the_id_of_a_request(site: Site) -> None:
    of_proxy = {"X_Forwarded_For": "10.1.2.3"}
    assert status(site.port, "/about/", X_Request_ID="proxy-0123", **of_proxy) == (200, "proxy-0123")
    for malformed in ("short", "x" * 65, "with space", 'with"quote'):
        assert status(site.port, "/about/", X_Request_ID=malformed, **of_proxy)[1] not in ("", malformed)
    assert status(site.port, "/about/", X_Request_ID="stranger-0123")[1] != "stranger-0123"
    ids = [status(site.port, "/about/")[1] for _ in range(2)]
    assert len(set(ids)) == 2
    wait_until(lambda: "proxy-0123" in site.text(), "the request is logged")
    assert "stranger-0123" not in site.text()
    assert {line["request_id"] for line in site.lines() if line["event"] == "request_finished"} >= {*ids, "proxy-0123"}


@pytest.mark.slow
def test_one_id_leads_from_a_request_for_a_match_to_its_result_and_no_secret_is_logged(site: Site) -> None:
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel")
    browser, csrf = signed_in(verified("ada")), "c" * 32
    browser.cookies["csrftoken"] = csrf
    session = browser.cookies["sessionid"].value
    token = bearing_token("ada")
    versions = BotVersion.objects.filter(bot__memberships__ladder=ladder, active=True).order_by("pk")[:2]
    fields = {f"seat_{seat}": str(version.pk) for seat, version in enumerate(versions)}
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())

    def post(path: str, **fields: str) -> tuple[int, str]:
        body = urlencode({"csrfmiddlewaretoken": csrf, **fields}).encode()
        return status(site.port, path, body, Cookie=cookies, Referer=f"http://127.0.0.1:{site.port}/")

    assert post("/account/login/?next=/", login="ada", password="a wrong password")[0] == 302  # already signed in
    assert status(site.port, "/account/login/", b"login=ada&password=another-password")[0] == 403
    assert status(site.port, "/api/v1/token", Authorization=f"Bearer {token}")[0] == 200
    assert status(site.port, "/account/password/reset/key/1-secret-key/")[0] in (200, 302, 404)
    code, of_answer = status(site.port, "/api/v1/matches/1/decisions/1", b"{}", Authorization=f"Bearer {token}")
    assert code in (403, 404)
    code, request_id = post(f"/ladders/{ladder.slug}/test/", token=str(uuid4()), blocks="1", **fields)
    assert code == 302
    exhibition = Exhibition.objects.get()
    assert exhibition.request_id == request_id
    site.start("-m", "celery", "--app", "esr_platform", "beat", "--pidfile", "")
    for queue in ("default", "matches,soon,on_time"):
        options = ("--queues", queue, "--concurrency", "1", "--hostname", f"{queue[:5]}@test")
        site.start("-m", "celery", "--app", "esr_platform", "worker", *options)
    wait_until(lambda: Exhibition.objects.get().state == Exhibition.State.FINISHED, "the matches are played", 300)
    matches = set(Match.objects.filter(block__exhibition=exhibition).values_list("pk", flat=True))
    assert len(matches) == 2
    lines = site.lines()
    of_request = [line for line in lines if line.get("request_id") == request_id]
    assert of_answer in {line["request_id"] for line in lines if line["event"] == "request_finished"}
    assert [line["code"] for line in of_request if line["event"] == "request_finished"] == [302]
    ended = [line for line in of_request if line["logger"] == "ladder.matches.assignments"]
    assert {line["match"] for line in ended} == matches
    others = [line for line in lines if line["logger"] == "ladder.matches.assignments" and line["match"] not in matches]
    assert others
    assert [line for line in others if "request_id" in line] == []
    secrets = (session, csrf, token, "a wrong password", "another-password", "secret-key", PASSWORD)
    assert [secret for secret in secrets if secret in site.text()] == []
    assert settings.SECRET_KEY not in site.text()


def bearing_token(name: str) -> str:
    return issue(User.objects.get(username=name), "test", [Scope.READ], None)[1]
