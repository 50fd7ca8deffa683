"""Request heads that are too large, that never end, or of which one address holds many open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import h11
import pytest
import uvicorn
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings
from uvicorn.server import ServerState

from esr_platform import settings as defaults
from esr_platform.account_pages import notifications
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from esr_platform.headers import cache_policy, page_pace
from esr_platform.heads import CEILING, GRACE_SECONDS, MAX_HEAD_BYTES, TICK_SECONDS, BoundedHeads
from esr_platform.logging import ShortRejections
from esr_platform.supervisor.processes import web
from ladder.creation import open_house
from ladder.models import Invitation, Ladder
from tests.build import person

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


class Clock:
    """The part of an event loop that the protocol needs, with a time that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None], asyncio.TimerHandle]] = []
        self.tasks = 0

    def call_later(self, seconds: float, callback: Callable[..., None], *args: Any) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(self.now + seconds, callback, args, self)  # type: ignore[arg-type]
        self.timers.append((self.now + seconds, partial(callback, *args), handle))
        return handle

    def get_debug(self) -> bool:
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None: ...

    def create_task(self, work: Any) -> asyncio.Future[None]:
        work.close()
        self.tasks += 1
        return asyncio.Future(loop=self)  # type: ignore[arg-type]

    def go_on(self, seconds: float) -> None:
        """Run everything that is due within the next ``seconds``."""
        until = self.now + seconds
        while due := sorted((timer for timer in self.timers if timer[0] <= until), key=lambda timer: timer[0]):
            self.timers.remove(due[0])
            self.now = due[0][0]
            if not due[0][2].cancelled():
                due[0][1]()
        self.now = until


class Line(asyncio.Transport):
    """A connection from ``host`` without a network."""

    def __init__(self, host: str) -> None:
        super().__init__({"peername": (host, 50_000), "sockname": ("127.0.0.1", 8000)})
        self.sent, self.closed = b"", False

    def write(self, data: Any) -> None:
        self.sent += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Server:
    """Connections to one web process."""

    def __init__(self) -> None:
        async def application(scope: Any, receive: Any, send: Any) -> None: ...

        self.clock = Clock()
        self.config = uvicorn.Config(application, log_config=None, ws="none", proxy_headers=False, interface="asgi3")
        self.config.load()

    def connect(self, host: str = "192.0.2.1") -> tuple[BoundedHeads, Line]:
        protocol, line = BoundedHeads(self.config, ServerState(), {}, _loop=self.clock), Line(host)
        protocol.connection_made(line)
        return protocol, line

    def open_of(self, lines: list[tuple[BoundedHeads, Line]]) -> int:
        return sum(not line.closed for _, line in lines)


@pytest.fixture
def server() -> Iterator[Server]:
    yield Server()
    BoundedHeads.unfinished.clear()


def test_the_site_starts_its_web_server_with_these_limits() -> None:
    arguments = list(web("127.0.0.1", 8000, {}).arguments)
    assert arguments[arguments.index("--http") + 1] == f"{BoundedHeads.__module__}:{BoundedHeads.__qualname__}"
    assert MAX_HEAD_BYTES <= 32 * 1024


@pytest.mark.parametrize("start", [b"GET /", HEAD + b"X-Long: "])
@pytest.mark.parametrize("piece", [1000, MAX_HEAD_BYTES, 8 * MAX_HEAD_BYTES])
def test_a_head_without_an_end_is_refused_at_its_limit(server: Server, start: bytes, piece: int) -> None:
    protocol, line = server.connect()
    protocol.data_received(start)
    pieces = 0
    while not line.closed:
        protocol.data_received(b"a" * piece)
        pieces += 1
    assert line.sent.startswith(b"HTTP/1.1 400 ")
    assert b"32 KiB" in line.sent
    assert (pieces - 1) * piece <= MAX_HEAD_BYTES


def test_a_head_that_is_too_large_is_refused_though_it_comes_whole(server: Server) -> None:
    protocol, line = server.connect()
    protocol.data_received(HEAD + b"X-Long: " + b"a" * MAX_HEAD_BYTES + b"\r\n\r\n")
    assert line.sent.startswith(b"HTTP/1.1 400 ")
    assert server.clock.tasks == 0


def test_a_head_of_almost_that_size_is_answered_with_its_body(server: Server) -> None:
    protocol, line = server.connect()
    size = MAX_HEAD_BYTES - len(HEAD) - 60
    body = b"b" * 100_000
    protocol.data_received(HEAD + b"Content-Length: 100000\r\nX-Long: " + b"a" * size + b"\r\n\r\n" + body)
    assert (server.clock.tasks, line.closed) == (1, False)
    assert bytes(protocol.cycle.body) == body


@pytest.mark.parametrize("bytes_before", [b"", HEAD])
def test_a_head_that_is_not_there_in_time_ends_the_connection(
    server: Server, settings: Settings, bytes_before: bytes
) -> None:
    assert settings.REQUEST_HEAD_SECONDS <= 10
    protocol, line = server.connect()
    if bytes_before:
        protocol.data_received(bytes_before)
    for _ in range(9):
        server.clock.go_on(settings.REQUEST_HEAD_SECONDS / 10)
        protocol.data_received(b"a")
    assert not line.closed
    server.clock.go_on(settings.REQUEST_HEAD_SECONDS / 10)
    assert line.closed


def test_the_head_of_the_next_request_has_as_much_time(server: Server, settings: Settings) -> None:
    protocol, line = server.connect()
    protocol.data_received(HEAD + b"\r\n")
    server.clock.go_on(100)
    assert not line.closed, "the answer may take its time"
    protocol.conn.send(h11.Response(status_code=204, headers=[]))
    protocol.conn.send(h11.EndOfMessage())
    protocol.on_response_complete()
    protocol.data_received(b"GET /")
    server.clock.go_on(settings.REQUEST_HEAD_SECONDS - 1)
    assert not line.closed
    server.clock.go_on(1)
    assert line.closed


def test_one_address_holds_32_unfinished_heads_open_at_most(server: Server, settings: Settings) -> None:
    most = settings.MAX_UNFINISHED_HEADS_PER_IP
    assert most <= 32
    lines = [server.connect() for _ in range(100)]
    other = server.connect("198.51.100.7")
    server.clock.go_on(GRACE_SECONDS)
    assert server.open_of(lines) == most
    assert not other[1].closed
    server.clock.go_on(settings.REQUEST_HEAD_SECONDS)
    assert server.open_of(lines) == 0


def test_one_address_that_opens_ever_more_connections_is_soon_closed(server: Server, settings: Settings) -> None:
    most = CEILING * settings.MAX_UNFINISHED_HEADS_PER_IP
    lines = [server.connect() for _ in range(2 * most)]
    server.clock.go_on(TICK_SECONDS)
    assert server.open_of(lines) == BoundedHeads.unfinished["192.0.2.1"] == most
    assert all(line.closed for _, line in lines[most:])


def test_all_addresses_of_one_ipv6_line_are_one(server: Server, settings: Settings) -> None:
    lines = [server.connect(f"2001:db8:1:2::{number:x}") for number in range(1, 60)]
    server.clock.go_on(GRACE_SECONDS)
    assert server.open_of(lines) == settings.MAX_UNFINISHED_HEADS_PER_IP


def test_many_connections_at_once_that_send_their_heads_are_all_served(server: Server) -> None:
    lines = [server.connect("127.0.0.1") for _ in range(400)]
    for protocol, _ in lines:
        protocol.data_received(HEAD + b"\r\n")
    server.clock.go_on(100)
    assert server.open_of(lines) == server.clock.tasks == 400


def test_connections_that_have_ended_are_not_counted(server: Server) -> None:
    for _ in range(5):
        lines = [server.connect() for _ in range(30)]
        server.clock.go_on(GRACE_SECONDS)
        assert server.open_of(lines) == 30
        for protocol, _ in lines:
            protocol.connection_lost(None)
    assert not BoundedHeads.unfinished


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
    paths = [f"/ladders/{ladder.slug}/{path}" for path in ("", "table.csv")]
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
    said: list[Any] = [record.msg for record in caplog.records]
    assert [(line["event"], line["code"]) for line in said] == [("request_finished", 200)]
    assert len(said[0]["request"]) == 200
    assert "bbb" not in str(said)


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
