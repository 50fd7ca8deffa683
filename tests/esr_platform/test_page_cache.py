from __future__ import annotations

import pickle
from pathlib import Path

import redis

from esr_platform.page_cache import PageCache
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


def test_what_an_older_release_wrote_is_a_miss(redis_url: str) -> None:
    cache = PageCache(redis_url, {})
    gone = pickle.dumps(PageCache).replace(b"PageCache", b"PastCache")
    with redis.Redis.from_url(redis_url) as client:
        client.set(cache.make_key("page"), gone)
    assert cache.get("page") is None
