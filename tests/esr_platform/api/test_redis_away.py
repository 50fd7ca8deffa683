from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern
from pytest_django import Settings
from rest_framework.views import APIView

from esr_platform.accounts.models import Scope
from esr_platform.api.urls import urlpatterns
from tests.esr_platform.api.conftest import Program, person, problem
from tests.services.redis import redis_server

pytestmark = pytest.mark.django_db

METHODS = ("get", "post", "put", "patch", "delete")


_CACHES: Final = {
    "default": {"BACKEND": "esr_platform.page_cache.SharedRedisCache"},
    "pages": {"BACKEND": "esr_platform.page_cache.PageCache", "KEY_PREFIX": "pages"},
}


def redis_at(url: str, settings: Settings, **options: float) -> None:
    settings.REDIS_URL = url
    settings.CACHES = {name: {**cache, "LOCATION": url, "OPTIONS": options} for name, cache in _CACHES.items()}


@pytest.fixture
def everybody() -> list[Program]:
    """A program with all scopes, and a browser in which the same person is signed in."""
    program = person("miriam", *Scope)
    browser = Client(raise_request_exception=False)
    browser.force_login(program.user)  # type: ignore[arg-type]
    return [program, Program(program.user, client=browser)]


@pytest.fixture
def no_redis(everybody: list[Program], settings: Settings, tmp_path: Path) -> None:
    """Redis is away after the sign-in, because the count of failed logins is in Redis as well."""
    redis_at(f"unix://{tmp_path}/nobody.sock", settings)


def operations() -> Iterator[tuple[str, str]]:
    """Each method of each REST framework view, with an address."""
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        view = getattr(pattern.callback, "cls", object)
        if issubclass(view, APIView):
            converters = pattern.pattern.converters
            values = {name: "1" if "int" in type(kind).__name__.lower() else "x" for name, kind in converters.items()}
            route = str(pattern.pattern)
            for name, kind in values.items():
                head, _, rest = route.partition("<")
                assert name in rest
                route = head + kind + rest.partition(">")[2]
            yield from ((method, f"/api/v1/{route}") for method in METHODS if hasattr(view, method))


def ask(program: Program, method: str, address: str) -> HttpResponse:
    kind = {} if method == "get" else {"content_type": "application/json"}  # forms of browsers are refused before
    answer: HttpResponse = getattr(program.client, method)(address, headers=program.headers, **kind)
    return answer


def test_every_operation_returns_503_while_redis_is_unavailable(no_redis: None, everybody: list[Program]) -> None:
    requests = list(operations())
    assert len(requests) > 50
    for method, address in requests:
        answers = [ask(program, method, address) for program in everybody]
        away = [answer for answer in answers if answer.status_code == 503]
        assert away, (method, address, [answer.status_code for answer in answers])
        assert {answer.status_code for answer in answers} <= {401, 403, 503}, (method, address)
        for answer in away:
            problem(answer, 503, "redis_away")
            assert int(answer.headers["Retry-After"]) > 0


def test_the_api_recovers_with_redis(settings: Settings, tmp_path: Path, everybody: list[Program]) -> None:
    program = everybody[0]
    with redis_server(tmp_path) as url:
        redis_at(url, settings)
        problem(program.get("bots/x"), 404, "not_found")
    problem(program.get("bots/x"), 503, "redis_away")
    with redis_server(tmp_path):
        problem(program.get("bots/x"), 404, "not_found")


def test_a_redis_that_does_not_respond_is_unavailable(
    settings: Settings, tmp_path: Path, everybody: list[Program]
) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "silent.sock"))
        silent.listen()
        redis_at(f"unix://{tmp_path}/silent.sock", settings, socket_timeout=0.05)
        problem(everybody[0].get("bots/x"), 503, "redis_away")


def test_only_pages_that_need_redis_return_503_without_it(no_redis: None) -> None:
    answer = Client(raise_request_exception=False).get("/search/?q=kontor")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "no-store" in answer.headers["Cache-Control"]
    assert Client().get("/").status_code == 200


def test_the_site_waits_only_briefly_for_redis() -> None:
    """Read from the settings themselves: tests have a cache in memory."""
    from esr_platform import settings as site

    for cache in (site.CACHES[name] for name in _CACHES):
        assert 0 < cache["OPTIONS"]["socket_timeout"] <= 5  # type: ignore[index]
