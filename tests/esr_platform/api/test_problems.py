from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client, RequestFactory
from pytest_django import Settings

from esr_platform.accounts.limits import wait_s
from esr_platform.api.http import on_500
from tests.esr_platform.api.conftest import Program, problem

pytestmark = pytest.mark.django_db


def test_an_unknown_url_returns_a_problem_document(miriam: Program) -> None:
    problem(miriam.get("nothing"), 404, "not_found")
    problem(Client().get("/api/"), 404, "not_found")
    assert b"<html" in Client().get("/nothing").content


def test_an_unknown_method_is_named(miriam: Program) -> None:
    answer = miriam.client.delete("/api/v1/bots/x", headers=miriam.headers)
    problem(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]


def test_an_unknown_media_type_is_refused(miriam: Program) -> None:
    answer = miriam.client.post("/api/v1/bots", "<bot/>", content_type="application/xml", headers=miriam.headers)
    problem(answer, 415, "unsupported_media_type")


def test_a_malformed_form_is_refused(miriam: Program) -> None:
    kind = "multipart/form-data; boundary="
    answer = miriam.client.post("/api/v1/bots", b"x", content_type=kind, headers=miriam.headers)
    problem(answer, 400, "parse_error")


def test_an_unknown_host_returns_a_problem_document(miriam: Program) -> None:
    problem(miriam.get("bots/x", Host="evil.example"), 400, "bad_request")


def test_a_client_over_the_rate_limit_gets_retry_after(miriam: Program, carl: Program, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "read": 2}
    answers = [miriam.get("bots/x") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [404, 404, 429, 429]
    problem(answers[2], 429, "throttled")
    assert answers[2].headers["Retry-After"] == "30"
    assert carl.get("bots/x").status_code == 404, "each person is counted alone"


def test_forwarded_addresses_do_not_bypass_rate_limits(db: None, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "read": 2, "guesses": 2}
    for authorization in ({}, {"Authorization": "Bearer esr_guess"}):
        statuses = []
        for number in range(6):
            headers = {"X-Forwarded-For": f"198.51.100.{number}", "X-Real-IP": f"198.51.100.{number}", **authorization}
            address = "/api/v1/bots/x" if authorization else "/api/v1/uploads/limits"
            statuses.append(Client().get(address, headers=headers).status_code)
        assert statuses.count(429) == 4, statuses


def test_each_throttle_scope_is_counted_separately(settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {"upload": 1, "read": 9}
    assert wait_s("upload", "a") == 0
    assert wait_s("read", "a") == 0


def test_a_server_error_does_not_reveal_details() -> None:
    answer = on_500(RequestFactory().get("/api/v1/bots"))
    problem(answer, 500, "error")


def test_the_rate_limit_is_exact_for_concurrent_requests(redis_url: str, settings: Settings) -> None:
    settings.CACHES = {
        **settings.CACHES,
        "default": {"BACKEND": "esr_platform.page_cache.SharedRedisCache", "LOCATION": redis_url},
    }
    settings.REQUESTS_PER_MINUTE = {"read": 100}

    with ThreadPoolExecutor(8) as pool:
        assert sum(wait == 0 for wait in pool.map(lambda _: wait_s("read", "race"), range(400))) == 100


@pytest.mark.parametrize("address", ["bots", "matches/1/view", "matches/1/viewers", "matches/1/stream"])
def test_options_requests_are_not_allowed(miriam: Program, address: str) -> None:
    answer = miriam.client.options(f"/api/v1/{address}", headers=miriam.headers)
    problem(answer, 405, "method_not_allowed")
    assert "GET" in answer["Allow"]
    assert "OPTIONS" not in answer["Allow"]


def test_documentation_and_unknown_paths_count_as_pages(settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "pages": 4}
    client = Client()
    paths = ("", "redoc", "schema", "nowhere")
    answers = [client.get(f"/api/v1/{path}") for path in (*paths, *paths)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 404] + [429] * 4
    for answer in answers[4:]:
        problem(answer, 429, "throttled")
        assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert client.get("/api/v1/ladders").status_code == 200


def test_responses_announce_the_rate_limit_before_it_is_reached(miriam: Program, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "read": 2}
    answers = [miriam.get("ladders"), miriam.get("bots/x"), miriam.get("ladders")]
    assert [answer.status_code for answer in answers] == [200, 404, 429]
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"read";q=2;w=60'}
    limits = [answer.headers["RateLimit"] for answer in answers]
    assert limits == ['"read";r=1;t=30', '"read";r=0;t=30', '"read";r=0;t=30']


def test_pages_of_other_sites_can_read_and_do_nothing_else(miriam: Program) -> None:
    other = {"Origin": "https://elsewhere.example"}
    for path in ("ladders", "schema", "bots/x"):
        answer = Client().get(f"/api/v1/{path}", headers=other)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
    for answer in (Client().options("/api/v1/bots", headers=other), miriam.upload()):
        assert "Access-Control-Allow-Origin" not in answer.headers
    assert "Access-Control-Allow-Origin" not in Client().get("/", headers=other).headers
