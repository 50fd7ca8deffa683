"""Request heads that are too large or never end, and the cache and log policy of responses."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Thread
from typing import Any

import pytest
import uvicorn
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from esr_platform import heads
from esr_platform import settings as defaults
from esr_platform.account_pages import notifications
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from esr_platform.handover import WebProtocol
from esr_platform.headers import cache_policy, page_pace
from esr_platform.heads import CEILING, MAX_HEAD_BYTES, BoundedHeads
from esr_platform.logging import ShortRejections
from esr_platform.supervisor.processes import web
from ladder.creation import open_house
from ladder.models import Invitation, Ladder
from tests.build import person
from tests.services.ports import free_port, wait_until

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
UNFINISHED = BoundedHeads.unfinished


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the length of the body."""
    length, more = 0, True
    while more:
        message = await receive()
        length, more = length + len(message["body"]), message["more_body"]
    body = str(length).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    config = uvicorn.Config(
        application, port=free_port(), http=BoundedHeads, lifespan="off", log_level="critical", interface="asgi3"
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started, "the server listens")
    yield server.config.port
    server.should_exit = True
    thread.join()


@pytest.fixture
def connect(port: int) -> Iterator[Callable[[], socket.socket]]:
    """Open connections; they end with the test, and the server no longer counts them."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=180))
    wait_until(lambda: not UNFINISHED, "connections that have ended are not counted")


Connect = Callable[[], socket.socket]


def answer(line: socket.socket) -> bytes:
    """What the server sends, up to the end of an answer or of the connection; empty if it says nothing."""
    received = b""
    try:
        while piece := line.recv(65536):
            received += piece
            head, _, body = received.partition(b"\r\n\r\n")
            length = re.search(rb"^content-length: (\d+)", head, re.MULTILINE)
            if head.startswith(b"HTTP/1.1 200 ") and length and len(body) == int(length[1]):
                break
    except ConnectionError:
        pass
    return received


def is_closed(line: socket.socket) -> bool:
    """Send another byte of a head, and see whether the server has closed the connection."""
    try:
        line.sendall(b"a")
    except ConnectionError:
        return True
    return False


def test_the_site_starts_its_web_server_with_these_limits() -> None:
    arguments = list(web("127.0.0.1", 8000, {}).arguments)
    assert arguments[arguments.index("--http") + 1] == f"{WebProtocol.__module__}:{WebProtocol.__qualname__}"
    assert issubclass(WebProtocol, BoundedHeads)
    assert MAX_HEAD_BYTES <= 32 * 1024
    assert defaults.REQUEST_HEAD_SECONDS <= 10
    assert defaults.MAX_UNFINISHED_HEADS_PER_IP <= 32


@pytest.mark.parametrize("end", [b"", b"\r\n\r\n"])
@pytest.mark.parametrize("start", [b"GET /", HEAD + b"X-Long: "])
def test_a_head_that_is_too_large_is_refused(connect: Connect, start: bytes, end: bytes) -> None:
    line = connect()
    line.sendall(start + b"a" * MAX_HEAD_BYTES + end)
    refused = answer(line)
    assert refused.startswith(b"HTTP/1.1 400 ")
    assert b"32 KiB" in refused


def test_a_head_of_almost_that_size_is_answered_with_its_body(connect: Connect) -> None:
    line = connect()
    long = b"a" * (MAX_HEAD_BYTES - len(HEAD) - 60)
    line.sendall(HEAD + b"Content-Length: 100000\r\nX-Long: " + long + b"\r\n\r\n" + b"b" * 100_000)
    assert answer(line).endswith(b"100000")


@pytest.mark.parametrize("request_before", [b"", HEAD + b"\r\n"])
def test_a_head_that_drips_ends_the_connection(connect: Connect, settings: Settings, request_before: bytes) -> None:
    settings.REQUEST_HEAD_SECONDS = 0.2
    line = connect()
    if request_before:
        line.sendall(request_before)
        assert answer(line).startswith(b"HTTP/1.1 200 ")
    wait_until(lambda: is_closed(line), "the connection ends although bytes arrive")


def test_an_address_holds_a_limited_number_of_unfinished_heads_open(connect: Connect, settings: Settings) -> None:
    settings.MAX_UNFINISHED_HEADS_PER_IP = 4
    silent = [connect() for _ in range(8)]
    served = [connect() for _ in range(40)]
    for line in served:
        line.sendall(HEAD + b"\r\n")
    assert all(answer(line).startswith(b"HTTP/1.1 200 ") for line in served), "whole heads do not count"
    wait_until(lambda: UNFINISHED["127.0.0.1"] == 4, "those above the limit are closed")
    assert answer(silent[-1]) == b""
    for line in silent[:4]:
        line.sendall(HEAD + b"\r\n")
        assert answer(line).startswith(b"HTTP/1.1 200 "), "the first ones are still open"


def test_an_address_that_opens_ever_more_connections_is_closed_before_the_grace_ends(
    connect: Connect, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads, "GRACE_SECONDS", 3600)
    settings.MAX_UNFINISHED_HEADS_PER_IP = 1
    lines = [connect() for _ in range(2 * CEILING)]
    wait_until(lambda: UNFINISHED["127.0.0.1"] == CEILING, "those above the ceiling are closed")
    assert answer(lines[-1]) == b""


OWN = "private, no-store"


@pytest.fixture
def ada(db: None) -> User:
    return person("ada")


def answering(**headers: str) -> Callable[[HttpRequest], HttpResponse]:
    return lambda _request: HttpResponse(headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize("path", ["/account/", "/account/email/", "/account/2fa/", "/account/password/change/"])
def test_account_pages_are_kept_nowhere(ada: User, client: Client, path: str) -> None:
    client.force_login(ada)
    assert client.get(path).headers["Cache-Control"].replace("max-age=0, ", "").count("no-store") == 1
    assert "private" in client.get(path).headers["Cache-Control"]
    assert Client().get("/account/login/").headers["Cache-Control"].endswith("private")


def test_what_a_member_sees_is_kept_nowhere(ada: User, client: Client) -> None:
    open_house()
    ladder = Ladder.objects.order_by("pk")[0]
    paths = [f"/ladders/{ladder.slug}/{path}" for path in ("", "standings.csv")]
    assert [client.get(path).headers["Cache-Control"] for path in paths] == ["private, no-cache"] * 2
    client.force_login(ada)
    Invitation.objects.create(ladder=ladder, person=ada)
    Ladder.objects.filter(pk=ladder.pk).update(private=True, by_invitation=True)
    members = [client.get(path) for path in paths]
    assert [(page.status_code, page.headers["Cache-Control"]) for page in members] == [(200, OWN)] * 2


def test_what_a_token_reads_is_kept_nowhere(ada: User, client: Client) -> None:
    _, secret = tokens.issue(ada, "a test", [Scope.READ], None)
    own = client.get("/api/v1/bots", headers={"Authorization": f"Bearer {secret}"})
    assert (own.status_code, own.headers["Cache-Control"]) == (200, OWN)
    assert client.get("/api/v1/bots").headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("said", ["public, max-age=60", "max-age=0, no-cache, no-store, must-revalidate, private"])
def test_a_policy_of_a_view_that_is_public_or_as_strict_stays(said: str) -> None:
    request = RequestFactory(headers={"Authorization": "Bearer x"}).get("/feeds/")
    assert cache_policy(answering(Cache_Control=said))(request).headers["Cache-Control"] == said


def test_one_address_gets_so_many_pages_in_a_minute_and_then_an_answer_that_costs_nothing(settings: Settings) -> None:
    assert defaults.REQUESTS_PER_MINUTE["pages"] >= 1200
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "pages": 3}
    asked = []

    def view(request: HttpRequest) -> HttpResponse:
        asked.append(request)
        return HttpResponse()

    pages = page_pace(view)
    factory = RequestFactory(REMOTE_ADDR="192.0.2.7")
    answers = [pages(factory.get("/bots/")) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert answers[3].headers["Retry-After"] == "30"
    assert len(asked) == 3
    assert pages(RequestFactory(REMOTE_ADDR="192.0.2.8").get("/bots/")).status_code == 200
    assert pages(factory.get("/api/v1/bots")).status_code == 200, "the API counts its own"


def test_pages_are_served_without_redis(settings: Settings) -> None:
    settings.CACHES = {
        "default": {"BACKEND": "esr_platform.page_cache.SharedRedisCache", "LOCATION": "redis://127.0.0.1:9"}
    }
    assert page_pace(answering())(RequestFactory().get("/bots/")).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("level", [logging.INFO, logging.WARNING])
def test_a_rejected_request_is_one_short_line_in_the_log(
    client: Client, caplog: pytest.LogCaptureFixture, level: int
) -> None:
    caplog.handler.addFilter(ShortRejections())
    caplog.set_level(level)
    long = "a" * 5000
    client.get("/about/", headers={"host": f"{long}.example"})
    forging = Client(enforce_csrf_checks=True, headers={"user-agent": long})
    forging.post("/account/login/", {"next": long})
    client.get(f"/{long}/")
    assert len(caplog.records) == 3
    assert [record.getMessage()[record.getMessage().rindex("(") :] for record in caplog.records] == [
        "(GET, 127.0.0.1)",
        "(POST, 127.0.0.1)",
        "(GET, 127.0.0.1)",
    ]
    for record in caplog.records:
        assert record.levelname == "WARNING"
        assert record.exc_info is None
        assert len(record.getMessage()) <= 200


@pytest.mark.django_db
def test_a_request_is_one_short_line_in_the_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    client.get("/terms/", {"x": "a" * 5000}, headers={"user-agent": "b" * 5000})
    lines: list[Any] = [record.msg for record in caplog.records]
    assert [(line["event"], line["code"]) for line in lines] == [("request_finished", 200)]
    assert len(lines[0]["request"]) == 200
    assert "bbb" not in str(lines)


@pytest.mark.django_db
def test_a_rejected_request_names_its_user(ada: User, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.addFilter(ShortRejections())
    client.force_login(ada)
    caplog.set_level(logging.INFO)
    assert client.get("/staff/people/nobody/").status_code in (403, 404)
    assert caplog.messages[-1].endswith(f"(GET, 127.0.0.1, user {ada.pk})")


@pytest.mark.django_db
def test_the_url_of_a_private_feed_is_not_logged(ada: User, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    url = notifications.path_of(ada)
    assert client.get(url).status_code == 200
    assert url not in str([record.msg for record in caplog.records])


def test_an_error_of_ours_keeps_its_traceback() -> None:
    record = logging.LogRecord("django.request", logging.ERROR, "", 0, "x" * 900, (), (ValueError, ValueError(), None))
    assert ShortRejections().filter(record)
    assert record.exc_info and len(record.getMessage()) == 900
