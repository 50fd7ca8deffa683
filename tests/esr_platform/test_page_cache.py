from __future__ import annotations

import pickle
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import redis

from esr_platform.page_cache import PageCache, SharedRedisCache
from tests.services.redis import redis_server


def test_what_is_kept_comes_back(redis_url: str) -> None:
    cache = PageCache(redis_url, {})
    cache.set("page", [1, 2])
    assert cache.get("page") == [1, 2]


def test_without_redis_nothing_is_kept_and_nobody_sees_an_error(tmp_path: Path) -> None:
    cache = PageCache(f"unix://{tmp_path}/nobody.sock", {})
    cache.set("page", [1, 2])
    assert cache.get("page", "computed again") == "computed again"


def test_redis_may_come_back(tmp_path: Path) -> None:
    with redis_server(tmp_path) as url:
        cache = PageCache(url, {})
    assert cache.get("page") is None
    with redis_server(tmp_path) as again:
        assert again == url
        cache.set("page", 1)
        assert cache.get("page") == 1


class Opened:
    """Calls ``print`` where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("unpickled",)


def test_a_pickle_is_a_miss_and_never_loaded(redis_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    cache = PageCache(redis_url, {})
    with redis.Redis.from_url(redis_url) as client:
        client.set(cache.make_key("page"), pickle.dumps(Opened()))
    assert cache.get("page", "computed again") == "computed again"
    assert "unpickled" not in capsys.readouterr().out


def test_limits_raise_at_a_pickle_instead_of_loading_it(redis_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    cache = SharedRedisCache(redis_url, {})
    with redis.Redis.from_url(redis_url) as client:
        client.set(cache.make_key("limit"), pickle.dumps(Opened()))
    with pytest.raises(ValueError, match="line 1 column 1"):
        cache.get("limit")
    assert "unpickled" not in capsys.readouterr().out


@pytest.mark.parametrize("value", [0, -5, 1.5, True, None, "12", "a", b"", b"\0{}", [1, "two"], {"a": [None]}])
def test_json_and_bytes_come_back_as_they_were(redis_url: str, value: Any) -> None:
    cache = SharedRedisCache(redis_url, {})
    cache.set("value", value)
    cached = cache.get("value", "missing")
    assert (cached, type(cached)) == (value, type(value))


@pytest.mark.parametrize("seconds", [0.4, 600.5])
def test_what_is_added_is_kept_for_fractions_of_a_second(redis_url: str, seconds: float) -> None:
    cache, key, since = SharedRedisCache(redis_url, {}), f"once-{seconds}", monotonic()
    assert cache.add(key, True, seconds)
    again = cache.add(key, True, seconds)
    assert not again or monotonic() - since >= seconds
    with redis.Redis.from_url(redis_url) as client:
        left = client.pttl(cache.make_key(key))
    assert 1000 * (seconds - (monotonic() - since)) <= left + 1
    assert left <= 1000 * seconds


@pytest.mark.parametrize("value", [{1}, Path("x"), datetime(2026, 1, 1, tzinfo=UTC), PageCache])
def test_what_would_come_back_as_something_else_is_refused(redis_url: str, value: Any) -> None:
    with pytest.raises(TypeError):
        SharedRedisCache(redis_url, {}).set("value", value)


def test_a_number_is_counted_by_redis(redis_url: str) -> None:
    cache = SharedRedisCache(redis_url, {})
    cache.set("count", 5)
    assert (cache.incr("count"), cache.get("count")) == (6, 6)
