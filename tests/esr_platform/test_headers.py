"""Cache headers, the limit on pages per IP address, and the log line of a rejected request."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from esr_platform import settings as defaults
from esr_platform.account_pages import notifications
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from esr_platform.headers import cache_policy, page_pace
from esr_platform.logging import ShortRejections
from ladder.creation import open_house
from ladder.models import Ladder, Membership
from tests.build import person

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
    Membership.objects.create(ladder=ladder, person=ada)
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
