from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client, RequestFactory
from pytest_django import Settings

from esr_platform.accounts.limits import wait_s
from esr_platform.api.http import on_500
from tests.esr_platform.api.conftest import Program, problem

pytestmark = pytest.mark.django_db


def test_an_address_that_is_not_there_is_a_problem_and_not_a_page(miriam: Program) -> None:
    problem(miriam.get("nothing"), 404, "not_found")
    problem(Client().get("/api/"), 404, "not_found")
    assert b"<html" in Client().get("/nothing").content


def test_a_method_that_is_not_there_is_named(miriam: Program) -> None:
    answer = miriam.client.delete("/api/v1/bots/x", headers=miriam.headers)
    problem(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]


def test_a_body_of_another_kind_is_refused(miriam: Program) -> None:
    answer = miriam.client.post("/api/v1/bots", "<bot/>", content_type="application/xml", headers=miriam.headers)
    problem(answer, 415, "unsupported_media_type")


def test_a_form_that_cannot_be_read_is_refused(miriam: Program) -> None:
    kind = "multipart/form-data; boundary="
    answer = miriam.client.post("/api/v1/bots", b"x", content_type=kind, headers=miriam.headers)
    problem(answer, 400, "parse_error")


def test_a_host_that_is_not_ours_is_a_problem(miriam: Program) -> None:
    problem(miriam.get("bots/x", Host="evil.example"), 400, "bad_request")


def test_who_asks_too_often_is_told_when_to_come_again(miriam: Program, carl: Program, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "read": 2}
    answers = [miriam.get("bots/x") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [404, 404, 429, 429]
    problem(answers[2], 429, "throttled")
    assert answers[2].headers["Retry-After"] == "30"
    assert carl.get("bots/x").status_code == 404, "each person is counted alone"


def test_a_forwarded_address_is_nobodys_way_around_the_count(db: None, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "read": 2, "guesses": 2}
    for authorization in ({}, {"Authorization": "Bearer esr_guess"}):
        statuses = []
        for number in range(6):
            headers = {"X-Forwarded-For": f"198.51.100.{number}", "X-Real-IP": f"198.51.100.{number}", **authorization}
            address = "/api/v1/bots/x" if authorization else "/api/v1/uploads/limits"
            statuses.append(Client().get(address, headers=headers).status_code)
        assert statuses.count(429) == 4, statuses


def test_a_scope_counts_for_itself(settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {"upload": 1, "read": 9}
    assert wait_s("upload", "a") == 0
    assert wait_s("read", "a") == 0


def test_what_breaks_on_our_side_is_a_problem_without_details() -> None:
    answer = on_500(RequestFactory().get("/api/v1/bots"))
    problem(answer, 500, "error")


def test_of_many_requests_at_once_exactly_as_many_pass_as_may(redis_url: str, settings: Settings) -> None:
    settings.CACHES = {
        **settings.CACHES,
        "default": {"BACKEND": "esr_platform.page_cache.SharedRedisCache", "LOCATION": redis_url},
    }
    settings.REQUESTS_PER_MINUTE = {"read": 100}

    with ThreadPoolExecutor(8) as pool:
        assert sum(wait == 0 for wait in pool.map(lambda _: wait_s("read", "race"), range(400))) == 100


def test_nothing_is_told_by_asking_what_can_be_asked(miriam: Program) -> None:
    problem(miriam.client.options("/api/v1/bots", headers=miriam.headers), 405, "method_not_allowed")
