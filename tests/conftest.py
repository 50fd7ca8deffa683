"""Fixtures for every test: a database that other processes can open, a broker in memory, real services on demand."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kombu.pools
import pytest
import redis
from django.conf import settings
from django.core.cache import caches
from django.db import connection
from django.test import override_settings

from esr_platform.celery import app
from tests.services.redis import redis_server
from tests.services.workers import Processes, processes

IN_MEMORY = "memory://"
NOWHERE = "unix:///dev/null"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell, and children inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module", autouse=True)
def _no_loop_of_a_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once a browser was open, Playwright leaves its event loop in the thread, where no async view could be asked.

    For a whole module, before any test of it opens the database: beside a loop that is another connection.
    """
    loop = asyncio.events._get_running_loop()
    if "browser" in request.path.parts or loop is None:
        yield
        return
    asyncio.events._set_running_loop(None)
    yield
    asyncio.events._set_running_loop(loop)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the SQLite test database in a file of this run, where real workers can open it, not in memory."""
    database: dict[str, Any] = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(autouse=True)
def _own_cache() -> Iterator[None]:
    """Every test has an empty cache of its own, in memory, and hints about tables reach nobody."""
    backend = "django.core.cache.backends.locmem.LocMemCache"
    in_memory = {name: {"BACKEND": backend, "LOCATION": name} for name in settings.CACHES}
    with override_settings(CACHES=in_memory, REDIS_URL=NOWHERE):
        yield
        for cache in caches.all(initialized_only=True):
            cache.clear()


@contextmanager
def data_in(folder: Path) -> Iterator[None]:
    """What is uploaded and unpacked lies in ``folder``; static files keep their names, whatever was collected here."""
    options = {"allow_overwrite": True, "location": str(folder / "uploads")}
    storages = {
        **settings.STORAGES,
        "uploads": {"BACKEND": "bots.storage.WholeFileStorage", "OPTIONS": options},
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    with override_settings(VAR_DIR=folder, STORAGES=storages):
        yield


@pytest.fixture(scope="session", autouse=True)
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes into the data folder of a site."""
    with data_in(tmp_path_factory.mktemp("data")):
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_broker() -> None:
    """What a test sends stays in this process unless it asks for ``broker``; a running site is never reached."""
    _send_through(IN_MEMORY)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A Redis server for this test process."""
    with tempfile.TemporaryDirectory(prefix="esr-redis-") as folder, redis_server(Path(folder)) as url:
        yield url


@pytest.fixture
def broker(redis_url: str) -> Iterator[str]:
    """Send what this test sends through a real, empty Redis; gives its URL."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    _send_through(redis_url.replace("unix://", "redis+socket://"))
    with override_settings(REDIS_URL=redis_url):
        yield redis_url
    _send_through(IN_MEMORY)


def _send_through(url: str) -> None:
    app.conf.broker_url = url
    kombu.pools.reset()
    app._after_fork()  # what Celery itself does to forget connections


@pytest.fixture
def site_processes(transactional_db: None, broker: str, tmp_path: Path) -> Iterator[Processes]:
    """Starts workers and other real processes of the site on this test's database and broker."""
    environment = {
        "DATABASE_URL": _database_url(),
        "REDIS_URL": broker,
        "VAR_DIR": str(tmp_path),
        "SECRET_KEY": settings.SECRET_KEY,
        "LOG_LEVEL": "WARNING",
    }
    with data_in(tmp_path), processes(environment) as group:
        yield group


def _database_url() -> str:
    """The address of the test database as it is open now."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    return f"postgres://{found['USER']}@{found['HOST']}:{found['PORT']}/{found['NAME']}"
